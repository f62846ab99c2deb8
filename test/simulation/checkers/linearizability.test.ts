// The search for an order finds one where there is one, and only there.

import { expect, test } from 'vitest';
import { Random } from '../../../src/testing/random.js';
import { linearize, type Call } from './linearizability.js';
import { lockModel, type LockAct } from './models/lock.js';

const MAX_STEPS = 100_000;
const mutex = lockModel({ isReentrant: false, isFenced: false });

const acquire = (owner: string, from: number, until: number): Call<LockAct> => ({
  act: { what: 'acquire', owner, token: undefined },
  from,
  until,
  isOptional: false,
});

const release = (owner: string, from: number, until: number): Call<LockAct> => ({
  act: { what: 'release', owner, mayBeGone: false },
  from,
  until,
  isOptional: false,
});

const perhaps = <Act>(call: Call<Act>): Call<Act> => ({ ...call, isOptional: true });

const verdictOf = (calls: readonly Call<LockAct>[], maxSteps = MAX_STEPS): string =>
  linearize(mutex, calls, maxSteps).verdict;

test('there is an order of nothing', () => {
  expect(verdictOf([])).toBe('legal');
});

test('an order is found where calls overlap', () => {
  const calls = [
    acquire('a', 0, 10),
    acquire('b', 0, 30),
    release('a', 12, 20),
    release('b', 31, 40),
  ];
  expect(verdictOf(calls)).toBe('legal');
});

test('no order is found for two who have it', () => {
  expect(verdictOf([acquire('a', 0, 10), acquire('b', 11, 20)])).toBe('illegal');
});

const handedOver = (callAt: number): string =>
  verdictOf([acquire('a', 0, 5), acquire('b', 6, 10), release('a', callAt, callAt + 5)]);

test('a call at the instant of a return may come before it, one after it may not', () => {
  expect([handedOver(10), handedOver(10.1)]).toEqual(['legal', 'illegal']);
});

const lost = (from: number): string =>
  verdictOf([
    acquire('a', 0, 5),
    perhaps({ ...release('a', from, Number.POSITIVE_INFINITY) }),
    acquire('b', 20, 30),
  ]);

test('an optional act explains what follows it, and nothing before its call', () => {
  expect([lost(10), lost(30), lost(31)]).toEqual(['legal', 'legal', 'illegal']);
});

const ghost = (until: number): string =>
  verdictOf([
    acquire('a', 0, 5),
    release('a', 8, 10),
    perhaps(acquire('b', 3, until)),
    release('b', 20, 25),
  ]);

test('an optional act with an end explains nothing that came after it', () => {
  // Before its end the lock was taken.
  expect([ghost(8), ghost(7), ghost(30)]).toEqual(['legal', 'illegal', 'legal']);
});

test('an optional act need not take effect', () => {
  expect(verdictOf([perhaps(acquire('b', 0, 50)), acquire('a', 0, 5)])).toBe('legal');
});

test('the report says how far it got, and what had no place', () => {
  const calls = [
    acquire('a', 0, 10),
    release('a', 12, 20),
    acquire('b', 21, 30),
    acquire('c', 31, 40),
  ];
  const verdict = linearize(mutex, calls, MAX_STEPS);

  expect(verdict).toMatchObject({ verdict: 'illegal', placed: 3, stuck: calls[3] });
  expect(verdict.last).toEqual(calls.slice(0, 3));
});

test('a search that takes too long is undecided', () => {
  // Any subset of the perhaps released ones may be tried.
  const calls = Array.from({ length: 14 }, (_, i) => perhaps(acquire(`p${i}`, 0, 1_000)));
  const releases = Array.from({ length: 14 }, (_, i) => perhaps(release(`p${i}`, 0, 1_000)));
  const stuck = [acquire('a', 0, 5), acquire('b', 20, 30)];

  expect(verdictOf([...calls, ...releases, ...stuck], 2_000)).toBe('undecided');
});

test('a long history takes few steps more than it has calls', () => {
  const random = new Random(3);
  const calls = contended(random, 5_000, 20);

  const { verdict, steps } = linearize(mutex, calls, 1_000_000);

  expect(verdict).toBe('legal');
  expect(steps).toBeLessThan(20 * calls.length);
});

/** Waiters that get in one after the other, and all wait at once. */
function contended(random: Random, rounds: number, clients: number): Call<LockAct>[] {
  const free = Array.from({ length: clients }, () => 0);
  let now = 0;
  return Array.from({ length: rounds }, (_, i) => {
    const client = random.int(0, clients - 1);
    const calledAt = free[client]!;
    const granted = Math.max(now, calledAt) + random.int(1, 5);
    const returned = granted + random.int(0, 3);
    const freed = returned + random.int(1, 5);
    now = freed;
    free[client] = freed + random.int(0, 20);
    return [acquire(`o${i}`, calledAt, returned), release(`o${i}`, returned, free[client])];
  }).flat();
}
