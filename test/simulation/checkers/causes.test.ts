// A renewed hold that is lost although its renewals could get through is found.

import { expect, test } from 'vitest';
import { call, fault, found, hold, part, uncaused, type Part } from './made-up.js';

/** Its lease is 300 ms: the renewal that was to save it was due 100 ms before its end. */
const lost = hold('a', [0, 10, 500], { toldLostAt: 500 });

const cut = (until: number): Part => fault('cut', [200, until], { client: 1 });

const force = (at: readonly [number, number], outcome: 'ok' | 'no' | 'failed' | 'unknown'): Part =>
  part(call('force', at, { client: 2, outcome }));

const stalled = (until: number): Part => fault('stall', [20_000, until], { client: 1 });

const beside = (...parts: readonly Part[]): number => uncaused([lost, ...parts]);

test('a loss with nothing beside it is found, a release is none', () => {
  expect(beside()).toBe(1);
  expect(uncaused([hold('a', [0, 10, 500, 505])])).toBe(0);
});

test('a fault at the time of the last renewal excuses it, an earlier one does not', () => {
  // 20 ms for late bytes, 50 ms to recover, and a round trip.
  expect([beside(cut(320)), beside(cut(330))]).toEqual([1, 0]);
  expect(beside(fault('server stall', [450, 460]))).toBe(0);
});

test('what keeps no call from the server excuses nothing', () => {
  expect(beside(fault('script flush', [450, 450]))).toBe(1);
  expect(beside(fault('no messages', [100, 490]))).toBe(1);
  expect(beside(fault('clock step', [450, 450], { detail: '-100 ms' }))).toBe(1);
  expect(beside(fault('clock step', [450, 450], { detail: '100 ms' }))).toBe(0);
});

test('a short fault excuses no loss of a long lease', () => {
  const long = hold('a', [0, 10, 30_000], { leaseMs: 30_000, toldLostAt: 30_000 });
  // A renewal is made again within 2.5 s.
  expect([uncaused([long, stalled(27_000)]), uncaused([long, stalled(28_000)])]).toEqual([1, 0]);
});

test('a fault of another client excuses nothing, one that comes later neither', () => {
  expect(beside(fault('stall', [450, 460], { client: 2 }))).toBe(1);
  expect(beside(fault('flush', [510, 510]))).toBe(1);
});

test('a forced release excuses it, where it may have run by then', () => {
  expect([beside(force([100, 110], 'ok')), beside(force([450, 460], 'ok'))]).toEqual([1, 0]);
  expect(beside(force([100, 110], 'unknown'))).toBe(0);
  expect([beside(force([100, 110], 'no')), beside(force([450, 460], 'failed'))]).toEqual([1, 1]);
  expect(beside(part(call('force', [450, 460], { object: 'y' })))).toBe(1);
});

test('a lease that nobody renews ends by itself, and all of its owner with it', () => {
  const fixed = hold('a', [20, 30, 310], { isRenewed: false, toldLostAt: 310 });
  expect(uncaused([fixed])).toBe(0);
  expect(beside(fixed)).toBe(0);
});

const ANSWERED = 'no call fails without a cause';

const unanswered = part(
  call('look', [5_000, 5_200], { outcome: 'failed', error: 'CommandTimeoutError' }),
);

test('a call that is not answered needs a fault', () => {
  expect(found([unanswered])).toEqual([ANSWERED]);
  expect(found([unanswered, fault('stall', [4_900, 4_950], { client: 1 })])).toEqual([]);
  expect(found([unanswered, fault('stall', [2_000, 2_050], { client: 1 })])).toEqual([ANSWERED]);
  expect(found([unanswered, fault('script flush', [5_100, 5_100])])).toEqual([ANSWERED]);
});

const secondOf = (holderId: string): Part => hold('b', [75, 84, 89], { holderId });

test('a forced release that was over before a hold of a run began may end it, and no other hold', () => {
  const first = hold('a', [50, 80, 82, 83], { holderId: 'h' });

  expect(uncaused([first, secondOf('h'), force([60, 70], 'ok')])).toBe(0);
  expect(uncaused([first, secondOf('other'), force([60, 70], 'ok')])).toBe(1);
});
