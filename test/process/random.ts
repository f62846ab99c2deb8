// Random choices of a test, told by one number.

import { givenSeed, seed as usualSeed } from '../support/seed.js';

export interface Chance {
  /** An integer from `low` to `high`. */
  readonly between: (low: number, high: number) => number;
  readonly shuffled: <T>(items: readonly T[]) => T[];
}

/** The same choices for the same seed (mulberry32), which is printed. */
export function chance(what: string, usual = usualSeed): Chance {
  const seed = givenSeed ?? usual;
  process.stderr.write(`${what}: seed ${seed}\n`);
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    shuffled: (items) =>
      items
        .map((item) => ({ item, rank: next() }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ item }) => item),
  };
}
