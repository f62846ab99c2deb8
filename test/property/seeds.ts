// Which random runs a property test makes: always the same few, and one that is new each time.
//
//   LATCHKEY_TEST_SEED=17  only this seed, to repeat a run that failed
//   LATCHKEY_TEST_RUNS=99  runs per seed, to search for longer

import { randomInt } from 'node:crypto';

const { LATCHKEY_TEST_SEED: wanted, LATCHKEY_TEST_RUNS: numRuns = '8' } = process.env;

/** Seeds for `test.each`. */
export const seeds: readonly number[] =
  wanted === undefined ? [1, 2026, randomInt(2 ** 31)] : [Number(wanted)];

process.stderr.write(`property seeds: ${seeds.join(', ')}\n`);

/**
 * Settings for `fc.assert`, which prints seed, path and commands of a failure. It does not shrink:
 * each try would cost seconds.
 */
export function runSettings(seed: number): { seed: number; numRuns: number; endOnFailure: true } {
  return { seed, numRuns: Number(numRuns), endOnFailure: true };
}
