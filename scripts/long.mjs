// @ts-check
// `npm run test:long`: what takes too long for every `npm test`. The last line is
// "N passed, N failed".

import { runChaos } from './lib/chaos.mjs';
import { runVitest } from './lib/vitest.mjs';

/** Of chaos with seeds that nobody has seen. */
const CHAOS_MINUTES = 2;

/**
 * @typedef {object} LongCheck
 * @property {string} name
 * @property {string[]} args for vitest
 * @property {NodeJS.ProcessEnv} env
 * @property {number} timeoutMs
 */

/** @type {LongCheck[]} */
const checks = [
  {
    name: 'the whole suite on ioredis 5',
    args: [],
    env: { LATCHKEY_TEST_IOREDIS: '5' },
    timeoutMs: 8 * 60_000,
  },
  {
    name: 'the models, for longer',
    args: ['test/property'],
    env: { LATCHKEY_TEST_RUNS: '40' },
    timeoutMs: 8 * 60_000,
  },
];

let passed = 0;
let failed = 0;
for (const { name, args, env, timeoutMs } of checks) {
  console.log(`\nlong check: ${name}`);
  const tally = await runVitest(args, { env, timeoutMs });
  passed += tally.passed;
  failed += tally.failed;
}
console.log(`\nlong check: chaos for ${CHAOS_MINUTES} minutes`);
const chaos = await runChaos({ minutes: CHAOS_MINUTES });
passed += chaos.passed;
failed += chaos.failed;
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
