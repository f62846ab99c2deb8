// Runs that go on for too long are found, those within their bounds are not.

import { expect, test } from 'vitest';
import { call, fault, foundIn, hold, historyOf, part, type Part } from './made-up.js';

const RUNS = 'a run ends while others wait';

/** So many holds of client 1 on one lease, one after the other, from 100 on. */
function run(holds: number, eachMs: number): Part[] {
  return Array.from({ length: holds }, (_, i) => {
    const [from, until] = [100 + i * eachMs, 100 + (i + 1) * eachMs];
    const given = { holderId: 'h' };
    return hold(`o${i}`, [50, from, until - eachMs / 4, until], given);
  });
}

/** One of client 2 that waits from so early on, and gets nothing. */
const waiter = (calledAt: number): Part =>
  part(
    call('acquire', [calledAt, 900], { client: 2, waits: true, outcome: 'failed', abortedAt: 900 }),
  );

const finds = (parts: readonly Part[], isCrowd = true): boolean =>
  foundIn(historyOf(parts, { isCrowd })).includes(RUNS);

test('a run goes on for as long as it may', () => {
  expect(finds(run(9, 1))).toBe(false);
  expect(finds(run(9, 2))).toBe(true);
  expect(finds(run(256, 0.01))).toBe(false);
  expect(finds(run(257, 0.01))).toBe(true);
});

test('while another client waits a run is shorter', () => {
  expect(finds([...run(7, 1), waiter(60)])).toBe(false);
  expect(finds([...run(8, 1), waiter(60)])).toBe(true);
  expect(finds([...run(64, 0.01), waiter(60)])).toBe(false);
  expect(finds([...run(65, 0.01), waiter(60)])).toBe(true);
  // Those of its own client may wait.
  expect(finds([...run(8, 1), ...run(1, 300)])).toBe(false);
});

test('a run ends when its client is told of a waiter, and not before', () => {
  expect(finds([...run(9, 1), waiter(105)])).toBe(false);
  expect(finds([...run(9, 1), waiter(103)])).toBe(true);
});

test('whoever does not hear of a waiter may go on, as beside those who stand in no line', () => {
  expect(finds([...run(9, 1), waiter(60), fault('cut', [80, 85], { client: 1 })])).toBe(false);
  expect(finds([...run(9, 1), waiter(60)], false)).toBe(false);
});
