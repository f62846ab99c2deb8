// A lock that nobody has while others wait is found, as soon as the short lease that was let run out is over.

import { expect, test } from 'vitest';
import type { Kind } from '../history.js';
import { call, fault, found as foundAnywhere, hold, part, type Part } from './made-up.js';

const IDLE = 'a free lock with waiters is soon taken';

const found = (parts: readonly Part[], isFlow = true): string[] => foundAnywhere(parts, { isFlow });

type HoldGiven = Parameters<typeof hold>[2];

const next = (from: number, given: HoldGiven = {}): Part =>
  hold('b', [20, from, from + 10, from + 12], { client: 2, ...given });

test('after a release one that waits gets in within the bound', () => {
  const holder = hold('a', [0, 10, 50, 60]);

  expect(found([holder, next(77)])).toEqual([]);
  expect(found([holder, next(79)])).toEqual([IDLE]);
});

const lapsed = hold('a', [0, 10, 110], { leaseMs: 100, isRenewed: false, toldLostAt: 110 });

test('after a lease that was let run out the bound begins with the end of the lease', () => {
  expect(found([lapsed, next(129)])).toEqual([]);
  expect(found([lapsed, next(131)])).toEqual([IDLE]);
});

test('a lease that is renewed has no such end', () => {
  const lost = hold('a', [0, 10, 110], { leaseMs: 100, toldLostAt: 110 });

  expect(found([lost, next(131)])).toEqual([]);
});

test('one that waits behind others that get in finds no fault', () => {
  const between = hold('c', [15, 75, 100, 105], { client: 3 });

  expect(found([hold('a', [0, 10, 50, 60]), between, next(120)])).toEqual([]);
});

const gone = (until: number): Part =>
  part(call('acquire', [20, until], { client: 2, waits: true, waitMs: until - 20, outcome: 'no' }));

test('one that gave up before had its time', () => {
  expect(found([lapsed, gone(129)])).toEqual([]);
  expect(found([lapsed, gone(150)])).toEqual([IDLE]);
});

test('where something is faulty, or some race, other bounds hold', () => {
  expect(found([lapsed, next(131), fault('cut', [5, 5], { client: 3 })])).toEqual([]);
  expect(found([lapsed, next(131)], false)).toEqual([]);
});

test.each<Kind>(['fair', 'fenced', 'rwlock'])('of a %s', (kind) => {
  const short = { kind, leaseMs: 100, isRenewed: false, toldLostAt: 110 };
  const given = { kind, ...(kind === 'fenced' ? { token: 2n } : {}) };
  const first = hold('a', [0, 10, 110], { ...short, ...(kind === 'fenced' ? { token: 1n } : {}) });

  expect(found([first, next(129, given)])).toEqual([]);
  expect(found([first, next(131, given)])).toEqual([IDLE]);
});

test('of permits, when one of them is back', () => {
  const kind: Kind = 'expirable';
  const set = part(call('set', [0, 2], { kind, amount: 1 }));
  const permit = hold('a', [3, 10, 110], {
    kind,
    leaseMs: 100,
    isRenewed: false,
    toldLostAt: 110,
  });

  expect(found([set, permit, next(129, { kind })])).toEqual([]);
  expect(found([set, permit, next(131, { kind })])).toEqual([IDLE]);
});
