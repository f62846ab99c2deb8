// How much is compared, and which random numbers choose it.
//
//   REDLATCH_TEST_SEED=17               only this seed
//   REDLATCH_DIFFERENTIAL_STEPS=100000  steps of each test, to search for longer

import { givenSeed, seed } from '../../support/seed.js';

const { REDLATCH_DIFFERENTIAL_STEPS: steps } = process.env;

export const seeds: readonly number[] = givenSeed === undefined ? [1, seed] : [givenSeed];

process.stderr.write(`differential seeds: ${seeds.join(', ')}\n`);

/** Steps for each seed, of so many that a test makes without the environment variable. */
export function stepsForEach(usual: number): number {
  return Math.ceil(Number(steps ?? usual) / seeds.length);
}

/** Time limit for a test of so many steps. */
export function limitFor(stepCount: number): number {
  return 30_000 + stepCount * 10;
}
