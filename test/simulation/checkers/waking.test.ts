// Waiters that sleep while nothing keeps them out are found.

import { expect, test } from 'vitest';
import type { Kind, Operation } from '../history.js';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const WAKING = 'waiters get in';

type HoldAt = Parameters<typeof hold>[1];

const waits = (
  [calledAt, returnedAt]: readonly [number, number],
  given: Partial<Operation> = {},
): Part =>
  part(
    call(given.kind === 'latch' ? 'wait' : 'acquire', [calledAt, returnedAt], {
      waits: true,
      outcome: 'unknown',
      client: 2,
      ...given,
    }),
  );
const holder = hold('a', [0, 10, 50, 60]);

const next = (from: number): Part => hold('b', [20, from, from + 10, from + 12], { client: 2 });

test('who waits gets in within the bound', () => {
  expect(found([holder, next(160)])).toEqual([]);
  expect(found([holder, next(170)])).toEqual([WAKING]);
});

test('who waits for ever for what is free is found', () => {
  expect(found([holder, waits([20, Infinity])])).toEqual([WAKING]);
  expect(found([holder, waits([20, Infinity])], { endedAt: 150 })).toEqual([]);
});

test('behind a killed holder the bound begins when its lease has ended', () => {
  const open = hold('a', [0, 10, 50], { end: 'open' });
  const kill = fault('kill', [50, 50], { client: 1 });
  expect(found([open, kill, waits([20, Infinity])], { endedAt: 460 })).toEqual([]);
  expect(found([open, kill, waits([20, Infinity])], { endedAt: 500 })).toEqual([WAKING]);
});

const cut = (until: number, client?: number): Part => fault('cut', [30, until], { client });

test('while its client or the server is not sound nothing counts', () => {
  const parts = [holder, waits([20, Infinity])];
  expect(found([...parts, cut(300, 2)], { endedAt: 440 })).toEqual([]);
  expect(found([...parts, cut(300, 2)], { endedAt: 470 })).toEqual([WAKING]);
  expect(found([...parts, cut(300)], { endedAt: 440 })).toEqual([]);
  expect(found([...parts, cut(300, 3)], { endedAt: 440 })).toEqual([WAKING]);
});

test('a silent waiter holds up the line of a fair lock', () => {
  const kind: Kind = 'fair';
  const parts = [hold('a', [0, 10, 50, 60], { kind }), waits([20, Infinity], { kind })];
  const silent = [
    waits([15, Infinity], { kind, client: 3 }),
    fault('kill', [40, 40], { client: 3 }),
  ];
  expect(found([...parts, ...silent], { endedAt: 250 })).toEqual([]);
  expect(found(parts, { endedAt: 250 })).toEqual([WAKING]);
});

test('one that may have had it without a word keeps others out, for its lease', () => {
  const kill = fault('kill', [65, 65], { client: 3 });
  const ghost = waits([15, Infinity], { client: 3, waits: false, leaseMs: 300 });
  const parts = [holder, waits([20, Infinity]), ghost, kill];
  expect(found(parts, { endedAt: 450 })).toEqual([]);
  expect(found(parts, { endedAt: 600 })).toEqual([WAKING]);
});

const rw = (owner: string, at: HoldAt, mode: Operation['mode'], client = 1): Part =>
  hold(owner, at, { kind: 'rwlock', mode, client });

test('readers wait for the writers before them, and for no readers', () => {
  const reader = rw('a', [0, 10, 400, 410], 'shared');
  const late = waits([20, Infinity], { kind: 'rwlock', mode: 'shared' });
  expect(found([reader, late], { endedAt: 300 })).toEqual([WAKING]);
  const writer = rw('b', [15, 415, 420, 425], 'exclusive', 3);
  expect(found([reader, writer, late], { endedAt: 500 })).toEqual([]);
});

test.each(['semaphore', 'expirable'] as const)('of a %s: when enough is left', (kind) => {
  const set = part(call('set', [0, 5], { kind, amount: 3 }));
  const two = hold('a', [6, 10, 50, 60], { kind, amount: 2 });
  const needs = (amount: number): Part => waits([20, Infinity], { kind, amount });
  expect(found([set, two, needs(4)])).toEqual([]);
  expect(found([set, two, needs(2)], { endedAt: 160 })).toEqual([]);
  expect(found([set, two, needs(2)], { endedAt: 170 })).toEqual([WAKING]);
  expect(found([set, two, needs(1)], { endedAt: 130 })).toEqual([WAKING]);
  // A big request stands before it.
  expect(found([set, two, needs(1), needs(4)])).toEqual([]);
  expect(found([needs(1)])).toEqual([]);
});

test('of a latch: when it is open', () => {
  const kind: Kind = 'latch';
  const set = part(call('set', [0, 5], { kind, amount: 1 }));
  const down = part(call('count down', [20, 25], { kind }));
  const wait = waits([10, Infinity], { kind });
  expect(found([set, wait])).toEqual([]);
  expect(found([set, down, wait], { endedAt: 120 })).toEqual([]);
  expect(found([set, down, wait], { endedAt: 140 })).toEqual([WAKING]);
  expect(found([wait], { endedAt: 140 })).toEqual([WAKING]);
  const life = part(call('set', [0, 5], { kind, amount: 1, ttlMs: 50 }));
  expect(found([life, wait], { endedAt: 160 })).toEqual([]);
  expect(found([life, wait], { endedAt: 170 })).toEqual([WAKING]);
});

test('of a latch: when the next one was set after the first look', () => {
  const kind: Kind = 'latch';
  const set = part(call('set', [0, 5], { kind, amount: 1 }));
  const gone = part(call('delete', [28, 32], { kind }));
  const again = part(call('set', [30, 35], { kind, amount: 1 }));
  const from = (calledAt: number): Part => waits([calledAt, Infinity], { kind });
  const parts = [set, gone, again];
  expect(found([...parts, from(10)], { endedAt: 47 })).toEqual([]);
  expect(found([...parts, from(10)], { endedAt: 49 })).toEqual([WAKING]);
  expect(found([...parts, from(25)])).toEqual([]);
  // Somebody who was cut off has a look once that is over.
  expect(found([...parts, from(10), cut(60, 2)], { endedAt: 210 })).toEqual([]);
  expect(found([...parts, from(10), cut(60, 2)], { endedAt: 230 })).toEqual([WAKING]);
  expect(found([...parts, from(10), fault('flush', [40, 40])])).toEqual([]);
});
