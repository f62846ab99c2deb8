// The rules of a lock: a history that keeps them is accepted, one that breaks one is found.

import { expect, test } from 'vitest';
import type { Operation } from '../history.js';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const ORDER = 'calls have an order';
const TOKENS = 'fencing tokens grow';
const OVERLAP = 'one holder at an instant';
const ONE_CLIENT = 'one holder in a client, whatever happens';

const busy = (at: readonly [number, number], given: Partial<Operation> = {}): Part =>
  part(call('acquire', at, { outcome: 'no', ...given }));
const looks = (at: readonly [number, number], answer: boolean): Part =>
  part(call('look', at, { answer }));

test('a refusal is true while another one holds', () => {
  const history = [hold('a', [0, 10, 50, 60]), busy([20, 30])];
  expect(found(history)).toEqual([]);
  expect(found([...history, busy([70, 80])])).toEqual([ORDER]);
});

test.each(['failed', 'unknown'] as const)('a refusal may be due to one that %s', (outcome) => {
  const ghost = part(call('acquire', [0, 20], { outcome }));
  expect(found([ghost, busy([21, 24])])).toEqual([]);
  expect(found([ghost, busy([60, 62])])).toEqual([ORDER]);
});

test('one of a client that was killed may be due until its lease has ended', () => {
  const ghost = part(call('acquire', [0, Infinity], { outcome: 'unknown', leaseMs: 300 }));
  const kill = fault('kill', [10, 10], { client: 1 });
  const given = { client: 2 };
  expect(found([ghost, kill, busy([300, 305], given)])).toEqual([]);
  expect(found([ghost, kill, busy([400, 405], given)])).toEqual([ORDER]);
});

test.each([
  ['refusal', [ORDER]],
  ['no right', []],
] as const)('one that failed may be due until its lease has ended after a %s', (what, expected) => {
  const ghost = part(call('acquire', [0, 20], { outcome: 'failed', leaseMs: 30_000 }));
  const refusal = fault(what, [10, 700]);
  const given = { client: 2 };
  expect(found([ghost, refusal, busy([20_000, 20_005], given)])).toEqual(expected);
  expect(found([ghost, refusal, busy([40_000, 40_005], given)])).toEqual([ORDER]);
});

const isFalse = (kind: 'lock' | 'fair', client: number): boolean =>
  found([
    hold('a', [28, 30, 50, 60], { kind }),
    busy([0, 40], { kind, client, waits: true, waitMs: 40 }),
    busy([10, 12], { kind }),
  ]).includes(ORDER);

test('a refusal may be due to a waiter of the same client, of a fair lock to any', () => {
  expect([isFalse('lock', 1), isFalse('lock', 2), isFalse('fair', 2)]).toEqual([
    false,
    true,
    false,
  ]);
});

test('an answer to a question is true at some time in it', () => {
  const history = [hold('a', [0, 10, 50, 60])];
  expect(found([...history, looks([20, 30], true), looks([70, 80], false)])).toEqual([]);
  expect(found([...history, looks([20, 30], false)])).toEqual([ORDER]);
  expect(found([...history, looks([70, 80], true)])).toEqual([ORDER]);
});

const forced = (outcome: 'ok' | 'no'): Part =>
  part(call('force', [20, 30], { outcome, client: 2 }));

test('a forced release frees it, and says whether it did', () => {
  const lost = hold('a', [0, 10, 50], { toldLostAt: 50 });
  const next = hold('b', [32, 40, 45, 48], { client: 2 });
  expect(found([lost, forced('ok'), next])).toEqual([]);
  expect(found([lost, forced('no'), next])).toContain(ORDER);
  expect(found([forced('no'), hold('b', [32, 40, 45, 48])])).toEqual([]);
  expect(found([forced('ok'), hold('b', [32, 40, 45, 48])])).toEqual([ORDER]);
});

test('a lost hold makes room from its end on, not before', () => {
  const lost = hold('a', [0, 10, 300], { toldLostAt: 300 });
  expect(found([lost, hold('b', [20, 305, 310, 312])])).toEqual([]);
  expect(found([lost, hold('b', [20, 290, 310, 312])])).toEqual([OVERLAP, ONE_CLIENT, ORDER]);
});

test('one of a killed process makes room when its lease has ended', () => {
  const kill = fault('kill', [50, 50], { client: 1 });
  const open = hold('a', [0, 10, 50], { end: 'open' });
  const [early, late] = [299, 301].map((from) =>
    hold('b', [20, from, from + 1, from + 2], { client: 2 }),
  );
  expect(found([kill, open, late!])).toEqual([]);
  expect(found([kill, open, early!])).toEqual([ORDER]);
});

test.each(['flush', 'failover', 'clock step'] as const)('a %s makes room at once', (what) => {
  const detail = what === 'clock step' ? '500 ms forward' : '';
  const lost = hold('a', [0, 10, 100], { toldLostAt: 100 });
  const next = hold('b', [20, 60, 70, 80], { client: 2 });
  expect(found([lost, next, fault(what, [50, 55], { detail })])).toEqual([]);
  expect(found([lost, next, fault(what, [50, 55], { detail, object: 'y' })])).not.toEqual([]);
  // It concerns nothing that was acquired later.
  expect(found([lost, next, fault(what, [-20, -15], { detail })])).not.toEqual([]);
});

test('a step back of the clock makes no room', () => {
  const back = fault('clock step', [50, 50], { detail: '-500 ms' });
  const lost = hold('a', [0, 10, 100], { toldLostAt: 100 });
  expect(found([lost, hold('b', [20, 60, 70, 80], { client: 2 }), back])).toContain(ORDER);
});

const unsureRelease = (outcome: 'failed' | 'unknown'): Part => {
  const { operations, ...rest } = hold('a', [0, 10, 50, 60]);
  const changed = operations.map((one) => (one.action === 'release' ? { ...one, outcome } : one));
  return { operations: changed, ...rest };
};

test('a release without an answer may be done, or done later', () => {
  const next = hold('b', [20, 90, 95, 98]);
  expect(found([unsureRelease('failed'), next])).toEqual([]);
  expect(found([unsureRelease('unknown'), next])).toEqual([]);
  expect(found([unsureRelease('unknown'), hold('b', [20, 45, 95, 98])])).toContain(ORDER);
});

test('re-entries are released one by one', () => {
  const history = [hold('a', [0, 10, 50, 60]), hold('a', [20, 20, 30, 35])];
  expect(found([...history, hold('b', [40, 55, 65, 70])])).toEqual([]);
  expect(found([...history, hold('b', [36, 45, 48, 49])])).toContain(ORDER);
});

test('what an acquisition had before its answer was lost may be freed by force', () => {
  const kind = 'fenced';
  const force = part(call('force', [20, 25], { kind, client: 2 }));
  const between = hold('b', [30, 35, 40, 45], { kind, client: 2, token: 5n });
  const slow = hold('a', [10, 60, 70, 75], { kind, token: 9n, waits: false });
  expect(found([slow, force, between, fault('half-open', [5, 55], { client: 1 })])).toEqual([]);
  expect(found([slow, force, between])).toEqual([ORDER]);
});

const freedAt = (calledAt: number): Part =>
  part(call('force', [calledAt, calledAt + 2], { client: 2, answer: true }));

test('a waiter may have had what was freed by force before it was told of that, and go on waiting', () => {
  const held = hold('z', [0, 5, 10, 12]);
  const waits = hold('a', [6, 60, 70, 75], { waits: true });
  expect(found([held, waits, freedAt(20)])).toEqual([]);
  expect(found([held, waits, freedAt(20), freedAt(30)])).toEqual([]);
  expect(found([held, freedAt(20)])).toEqual([ORDER]);
  expect(found([held, waits, freedAt(80)])).toEqual([ORDER]);
});

test('a wait that was over may have had it for a moment', () => {
  const over = busy([0, 40], { waits: true, waitMs: 40, client: 2 });
  expect(found([hold('a', [1, 4, 10, 12]), over, busy([41, 44])])).toEqual([]);
  expect(found([hold('a', [1, 4, 10, 12]), over, busy([70, 74])])).toEqual([ORDER]);
});

test('a wait of a moment may fall into the turn of those who stand in no line', () => {
  const before = hold('a', [0, 10, 50, 60]);
  const waits = { waits: true, waitMs: 5, client: 2 };
  expect(found([before, busy([61, 66], waits)])).toEqual([]);
  expect(found([before, busy([61, 66], { client: 2 })])).toEqual([ORDER]);
  expect(found([before, busy([66, 71], waits)])).toEqual([ORDER]);
  expect(found([before, busy([61, 161], { ...waits, waitMs: 100 })])).toEqual([ORDER]);
});

test('a branch is refused by the one beside it in its client, also when the lock was forced free', () => {
  const outer = hold('a', [0, 10, 90], { end: 'lost', toldLostAt: 90 });
  const branch = hold('a', [12, 14, 90], { end: 'lost', toldLostAt: 90 });
  const force = part(call('force', [20, 22], { client: 2, answer: true }));
  const refused = busy([40, 60], { owner: 'a' });

  expect(found([outer, branch, force, refused])).toEqual([]);
  expect(found([outer, force, refused])).toEqual([ORDER]);
});

test('a hold that was passed on and was lost has no place in the order: its lock may have gone to others before', () => {
  const kind = 'fenced';
  const first = hold('a', [0, 25, 40, 40], { kind, holderId: 'run', token: 1n });
  const force = part(call('force', [20, 22], { kind, client: 3, answer: true }));
  const other = hold('b', [10, 24, 30, 32], { kind, client: 2, token: 3n });
  const passed = (holderId: string): Part =>
    hold('c', [38, 40, 45], { kind, holderId, token: 2n, end: 'lost', toldLostAt: 45 });

  expect(found([first, force, other, passed('run')])).not.toContain(ORDER);
  expect(found([first, force, other, passed('own')])).toContain(ORDER);
});

test('one that came by the place of a waiter that gave up, and was lost, has none either', () => {
  const kind = 'fenced';
  const force = part(call('force', [20, 22], { kind, client: 3, answer: true }));
  const other = hold('b', [10, 24, 30, 32], { kind, client: 2, token: 3n });
  const gaveUp = (at: readonly [number, number]): Part =>
    part(call('acquire', at, { kind, owner: 'a', waits: true, outcome: 'no' }));
  const heir = hold('c', [26, 40, 45], { kind, token: 2n, end: 'lost', toldLostAt: 45 });
  const foundFor = (...parts: readonly Part[]): string[] => found([force, other, heir, ...parts]);

  expect(foundFor(gaveUp([0, 35]))).toEqual([]);
  expect(foundFor(gaveUp([0, 25]))).toEqual([ORDER, TOKENS]);
  expect(found([other, heir, gaveUp([0, 35])])).toEqual([ORDER, TOKENS]);
});
