// Which random runs a property test makes: always the same few, and one that is new each time.

import { randomInt } from 'node:crypto';

const wanted = process.env['LATCHKEY_TEST_SEED'];

/** Seeds for `test.each`; LATCHKEY_TEST_SEED repeats one that failed. */
export const seeds: readonly number[] =
  wanted === undefined ? [1, 2026, randomInt(2 ** 31)] : [Number(wanted)];

/** Settings of a run; its seed is in the name of the test, and fast-check prints it on failure. */
export function runSettings(seed: number): { seed: number; numRuns: number; endOnFailure: true } {
  // Without shrinking: each try costs seconds, and the commands of the failure are printed.
  return { seed, numRuns: 8, endOnFailure: true };
}
