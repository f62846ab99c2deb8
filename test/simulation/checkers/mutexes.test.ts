// The four mutexes: each rule is kept by what is accepted, and broken by what is found.

import { expect, test } from 'vitest';
import { linearize, type Call, type Model } from './linearizability.js';
import { lockModel, type LockAct } from './models/lock.js';

/** Acts one after the other. */
function isLegal<State, Act>(model: Model<State, Act>, acts: readonly Act[]): boolean {
  const calls = acts.map((act, i): Call<Act> => ({ act, from: i, until: i, isOptional: false }));
  const spread = calls.map((one) => ({ ...one, from: one.from * 2, until: one.until * 2 }));
  return linearize(model, spread, 1_000).verdict === 'legal';
}

const takes = (owner: string, token?: bigint): LockAct => ({ what: 'acquire', owner, token });
const gives = (owner: string): LockAct => ({ what: 'release', owner, mayBeGone: false });

const plain = lockModel({ isReentrant: false, isFenced: false });
const reentrant = lockModel({ isReentrant: true, isFenced: false });
const fenced = lockModel({ isReentrant: false, isFenced: true });
const both = lockModel({ isReentrant: true, isFenced: true });

test('nobody acquires what is held, and only its owner releases it', () => {
  for (const model of [plain, reentrant, fenced, both]) {
    expect(isLegal(model, [takes('a', 1n), gives('a'), takes('b', 2n)])).toBe(true);
    expect(isLegal(model, [takes('a', 1n), takes('b', 2n)])).toBe(false);
    expect(isLegal(model, [takes('a', 1n), gives('b')])).toBe(false);
    expect(isLegal(model, [gives('a')])).toBe(false);
  }
});

test('re-entry is for the reentrant, and is free when the last hold is released', () => {
  const twice = [takes('a', 1n), takes('a', 1n)];
  expect([plain, reentrant, fenced, both].map((model) => isLegal(model, twice))).toEqual([
    false,
    true,
    false,
    true,
  ]);
  expect(isLegal(reentrant, [...twice, gives('a'), takes('b')])).toBe(false);
  expect(isLegal(reentrant, [...twice, gives('a'), gives('a'), takes('b')])).toBe(true);
});

const isLegalThird = (token?: bigint): boolean =>
  isLegal(fenced, [takes('a', 5n), gives('a'), takes('b'), gives('b'), takes('c', token)]);

test('a known token is larger than every one before', () => {
  expect([isLegalThird(4n), isLegalThird(5n), isLegalThird(6n), isLegalThird()]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

const isLegalAgain = (first?: bigint, second?: bigint): boolean =>
  isLegal(both, [takes('z', 4n), gives('z'), takes('a', first), takes('a', second)]);

test('it is equal on re-entry, or becomes known', () => {
  expect([
    isLegalAgain(5n, 5n),
    isLegalAgain(5n, 6n),
    isLegalAgain(5n),
    isLegalAgain(undefined, 5n),
  ]).toEqual([true, false, true, true]);
  expect(isLegalAgain(undefined, 4n)).toBe(false);
});
