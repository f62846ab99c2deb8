// @ts-check
// Seeds of the chaos one after the other, for as long as is wanted.

import { runVitest } from './vitest.mjs';

/** Seeds of one run of vitest: about a minute. */
const BATCH = 48;

/**
 * @param {{ minutes: number, seed: number }} wanted `seed` is the first
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runChaos({ minutes, seed }) {
  const end = performance.now() + minutes * 60_000;
  let [passed, failed, next] = [0, 0, seed];
  do {
    const leftMs = end - performance.now();
    // At the end a smaller batch, so that it lasts about as long as was wanted.
    const count = Math.min(BATCH, Math.max(5, Math.ceil((leftMs / 60_000) * BATCH)));
    const tally = await runVitest(['test/chaos/chaos.test.ts'], {
      env: { REDLATCH_TEST_SEED: String(next), REDLATCH_TEST_RUNS: String(count) },
      timeoutMs: 8 * 60_000,
    });
    passed += tally.passed;
    failed += tally.failures.length;
    next += count;
    const left = Math.max(0, (end - performance.now()) / 60_000).toFixed(1);
    console.log(`chaos: seeds ${seed} to ${next - 1}, ${failed} failed, ${left} minutes left`);
  } while (performance.now() < end);
  return { passed, failed };
}
