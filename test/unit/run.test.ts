// The bounds of a run, and what may be passed on in it.

import { expect, test } from 'vitest';
import type { LockHold } from '../../src/core/locks/hold.js';
import { Run } from '../../src/core/locks/run.js';
import type { Lease } from '../../src/core/lease/lease.js';
import { fakeClock } from '../support/fake-clock.js';

const hold = { renewed: true } as LockHold;

/** A run on a lease of which nothing is known but that it is held. */
function stage(othersWait: boolean, known: Partial<Lease> = {}, firstToken?: bigint) {
  const clock = fakeClock();
  const lease = {
    most: 1,
    isExtended: false,
    companion: undefined,
    hasUnackedCopy: false,
    isReordered: false,
    state: 'held',
    provenAt: -Infinity,
    ...known,
  } as Lease;
  const run = new Run(lease, clock, {
    othersWait,
    holdsMax: firstToken === undefined ? Infinity : 16,
    fencingToken: firstToken,
  });
  /** How many holds follow the first one. */
  const passes = (limit = 1_000): number => {
    let count = 0;
    while (count < limit && run.allows(hold)) {
      run.passing(hold);
      count += 1;
    }
    return count;
  };
  return { clock, run, lease, passes };
}

test('a run has 64 grants while another client waits, and 256 while none is known to wait', () => {
  expect(stage(true).passes()).toBe(63);
  expect(stage(false).passes()).toBe(255);
});

test('a run of a fenced lock has 16 grants at most, and a token for each', () => {
  const { run, passes } = stage(false, {}, 100n);
  expect(run.fencingToken).toBe(100n);

  expect(passes(1)).toBe(1);
  expect(run.fencingToken).toBe(101n);
  expect(passes()).toBe(14);

  expect(run.fencingToken).toBe(115n);
  expect(stage(true, {}, 100n).passes()).toBe(15);
  expect(stage(false).run.fencingToken).toBeUndefined();
});

test('a run ends after 6 ms while another client waits, and after 10 ms while none is known to wait', () => {
  for (const [othersWait, ms] of [
    [true, 6],
    [false, 10],
  ] as const) {
    const { clock, run } = stage(othersWait);
    clock.advance(ms - 1);
    expect(run.allows(hold)).toBe(true);
    clock.advance(1);
    expect(run.allows(hold)).toBe(false);
  }
});

test('a client that hears of another one that waits has 64 grants in all', () => {
  const { run, passes } = stage(false);
  expect(passes(10)).toBe(10);

  run.othersWait();

  expect(passes()).toBe(53);
});

test.each<[string, Partial<Lease>]>([
  ['was re-entered', { most: 2 }],
  ['was made longer', { isExtended: true }],
  ['has a copy of its acquisition under way', { hasUnackedCopy: true }],
  ['was acquired by a call that was sent twice', { isReordered: true }],
  ['cannot be proven just now', { state: 'suspect' }],
  ['is lost', { state: 'lost' }],
  ['has a companion', { companion: {} as Lease }],
])('a hold whose lease %s is not passed on', (_, known) => {
  expect(stage(false, known).run.allows(hold)).toBe(false);
});

test('a hold with a fixed lease is not passed on', () => {
  expect(stage(false).run.allows({ renewed: false } as LockHold)).toBe(false);
});

test('messages are read after 16 passes, or 1 ms', async () => {
  for (const [passes, ms, isDue] of [
    [15, 0, false],
    [16, 0, true],
    [0, 1, true],
  ] as const) {
    const { clock, run, passes: pass } = stage(false);
    pass(passes);
    clock.holdInput();
    clock.advance(ms);
    let isOver = false;

    void run.nextTurn().then(() => (isOver = true));
    await Promise.resolve();
    await Promise.resolve();

    expect(isOver).toBe(!isDue);
    clock.inputHandled();
  }
});

test('holds that were passed on are unproven until an answer to a later command proves the lease', () => {
  const { clock, run, lease, passes } = stage(false);
  clock.advance(1);
  passes(2);
  expect(run.unproven).toHaveLength(2);

  lease.provenAt = clock.now() + 1;

  expect(run.unproven).toEqual([]);
});
