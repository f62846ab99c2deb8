// Waiters of a fair lock that are passed are found, where no fault excuses it.

import { expect, test } from 'vitest';
import type { FaultKind, Operation } from '../history.js';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const FAIR = 'first come, first served';

type HoldAt = Parameters<typeof hold>[1];
type HoldGiven = Parameters<typeof hold>[2];

const fair = (owner: string, at: HoldAt, given: HoldGiven = {}): Part =>
  hold(owner, at, { kind: 'fair', ...given });
const holder = fair('z', [0, 5, 80, 85]);
const first = fair('a', [20, 110, 120, 125], { client: 2 });
const second = (calledAt: number): Part => fair('b', [calledAt, 90, 100, 105], { client: 3 });

test('who came first is served first', () => {
  expect(found([holder, first, second(10)])).toEqual([]);
  expect(found([holder, first, second(49)])).toEqual([FAIR]);
});

test('who came while the other one may still have been on its way may be served first', () => {
  expect(found([holder, first, second(22)])).toEqual([]);
  expect(found([holder, first, second(23)])).toEqual([FAIR]);
});

test('who asks without waiting does not pass those who wait', () => {
  const asks = fair('b', [88, 90, 100, 105], { client: 3, waits: false });
  expect(found([holder, first, asks])).toEqual([FAIR]);
});

test.each([
  ['while the first one waits', [40, 50] as const, {}, []],
  ['before it waits', [5, 15] as const, {}, [FAIR]],
  ['after the grant', [95, 99] as const, {}, [FAIR]],
  ['in vain', [40, 50] as const, { outcome: 'failed' as const }, [FAIR]],
])('a lock that is freed by force %s', (_, at, given, expected) => {
  const force = part(call('force', [...at], { kind: 'fair', client: 4, ...given }));
  expect(found([holder, first, second(60), force])).toEqual(expected);
});

test('a re-entry passes everybody', () => {
  expect(found([holder, first, fair('z', [60, 61, 70, 75])])).toEqual([]);
});

const gone = (given: Partial<Operation>): Part =>
  part(call('acquire', [20, 88], { kind: 'fair', client: 2, waits: true, ...given }));

test('who gave up, or was aborted, is passed', () => {
  const b = second(60);
  expect(found([holder, gone({ outcome: 'no', waitMs: 68 }), b])).toEqual([]);
  expect(found([holder, gone({ outcome: 'failed', abortedAt: 87 }), b])).toEqual([]);
  const late = part(
    call('acquire', [20, 120], {
      kind: 'fair',
      client: 2,
      waits: true,
      outcome: 'no',
      waitMs: 100,
    }),
  );
  expect(found([holder, late, b])).toEqual([FAIR]);
});

const gaveUp = (client: number, until: number): Part =>
  part(
    call('acquire', [2, until], { kind: 'fair', client, waits: true, outcome: 'no', waitMs: 1 }),
  );

test('an entry that a failover has brought back excuses the later waiters of its client', () => {
  const failover = fault('failover', [400, 400], { detail: '50 ms of writes are lost' });
  const a = fair('a', [6_020, 6_110, 6_120, 6_125], { client: 2 });
  const b = fair('b', [6_080, 6_090, 6_100, 6_105], { client: 3 });
  const passes = (...parts: readonly Part[]): boolean =>
    found([a, b, failover, ...parts]).includes(FAIR);
  expect(passes()).toBe(true);
  expect(passes(gaveUp(3, 360))).toBe(false);
  expect(passes(gaveUp(3, 340))).toBe(true);
  expect(passes(gaveUp(2, 360))).toBe(true);
  const letIn = (from: number, waits = true): Part =>
    fair('c', [2, from, from + 1, from + 2], { client: 3, waits });
  expect(passes(letIn(360))).toBe(false);
  expect(passes(letIn(340))).toBe(true);
  expect(passes(letIn(360, false))).toBe(true);
  // Its entry was there, and it has left the line by itself.
  expect(passes(letIn(410))).toBe(true);
});

test.each<FaultKind>(['cut', 'half-open', 'slow', 'stall', 'kill', 'server stall', 'restart'])(
  'a %s excuses that its client is passed, and not another client',
  (what) => {
    const a = fair('a', [120, 210, 220, 225], { client: 2 });
    const b = fair('b', [160, 190, 200, 205], { client: 3 });
    const hit = (client: number | undefined): string[] =>
      found([fair('z', [100, 105, 180, 185]), a, b, fault(what, [170, 175], { client })]);
    expect(hit(2)).toEqual([]);
    expect(hit(3)).toEqual([FAIR]);
    expect(hit(undefined)).toEqual([]);
  },
);
