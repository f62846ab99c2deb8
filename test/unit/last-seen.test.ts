// When the holders of what is waited for are looked for, with a clock that the tests drive.

import { expect, test } from 'vitest';
import { firstOf, LastSeen } from '../../src/core/observe/last-seen.js';
import type { Holder } from '../../src/core/observe/events.js';
import { fakeClock } from '../support/fake-clock.js';

function stage(answer: () => Promise<readonly Holder[]>) {
  const clock = fakeClock();
  let looks = 0;
  const seen = new LastSeen(
    clock,
    async () => {
      looks += 1;
      return await answer();
    },
    (holderId) => holderId === 'me',
  );
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let turns = 0; turns < 5; turns += 1) {
      await Promise.resolve();
    }
  };
  return { clock, seen, pass, looks: () => looks };
}

const holder = (holderId: string, remainingMs: number): Holder => ({
  holderId,
  remainingMs,
  depth: 1,
});

test.each([
  [1_000, 900],
  [200, 100],
  [80, 40],
])('a wait of %i ms is looked into after %i ms', async (waitMs, dueMs) => {
  const { clock, seen, pass, looks } = stage(async () => await Promise.resolve([]));
  seen.lookBefore(clock.now() + waitMs);

  await pass(dueMs - 1);
  const before = looks();
  await pass(1);

  expect([before, looks(), clock.pending]).toEqual([0, 1, 0]);
});

test('waits that end together share a look, and a later one looks again', async () => {
  const { clock, seen, pass, looks } = stage(async () => await Promise.resolve([]));
  for (const waitMs of [1_000, 1_020, 1_049, 1_060]) {
    seen.lookBefore(clock.now() + waitMs);
  }

  await pass(2_000);

  expect(looks()).toBe(2);
});

test('leases have run on since, and none is below zero', async () => {
  const found = [holder('me', 5_000.4), holder('other', 20), holder('java', Infinity)];
  const { clock, seen, pass } = stage(async () => await Promise.resolve(found));
  seen.lookBefore(clock.now() + 200);

  await pass(100);
  await pass(90);

  expect(seen.holders).toEqual([
    { holderId: 'me', remainingMs: 4_910, isOwnClient: true },
    { holderId: 'other', remainingMs: 0, isOwnClient: false },
    { holderId: 'java', remainingMs: Infinity, isOwnClient: false },
  ]);
  expect(seen.holders.map((each) => firstOf([each]))).toEqual([
    'me (lease ends in 4,910 ms)',
    'other (lease ends in 0 ms)',
    'java (its lease has no end)',
  ]);
});

test('without an answer nobody was seen', async () => {
  const { clock, seen, pass } = stage(async () => await Promise.reject(new Error('no answer')));
  seen.lookBefore(clock.now() + 200);

  await pass(200);

  expect([seen.holders, firstOf(seen.holders)]).toEqual([[], undefined]);
});
