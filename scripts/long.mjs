// @ts-check
// `npm run test:long`: what takes too long for every `npm test`. The last line is
// "N passed, N failed".
//
//   node scripts/long.mjs [TEXT]...
//
// TEXT  only the checks whose name has one of these in it

import { delimiter } from 'node:path';
import { runChaos } from './lib/chaos.mjs';
import { keepFailure } from './lib/failures.mjs';
import { installFromGit } from './lib/git-install.mjs';
import { installNodes } from './lib/nodes.mjs';
import { runVitest } from './lib/vitest.mjs';

/** Of chaos with seeds that nobody has seen. */
const CHAOS_MINUTES = 2;
const LIMIT_MS = 8 * 60_000;

/**
 * @typedef {object} LongCheck
 * @property {string} name
 * @property {() => Promise<{ passed: number, failed: number }>} run
 */

/** @type {LongCheck[]} */
const checks = [
  {
    name: 'the whole suite on ioredis 5',
    run: async () =>
      await runVitest([], { env: { LATCHKEY_TEST_IOREDIS: '5' }, timeoutMs: LIMIT_MS }),
  },
  {
    name: 'the models, for longer',
    run: async () =>
      await runVitest(['test/property'], {
        env: { LATCHKEY_TEST_RUNS: '40' },
        timeoutMs: LIMIT_MS,
      }),
  },
  {
    name: 'the package on other releases of Node.js',
    run: async () => {
      const LATCHKEY_TEST_NODES = (await installNodes()).join(delimiter);
      return await runVitest(['test/package'], {
        env: { LATCHKEY_TEST_NODES },
        timeoutMs: LIMIT_MS,
      });
    },
  },
  { name: 'installing from git', run: installFromGit },
  {
    name: `chaos for ${CHAOS_MINUTES} minutes`,
    run: async () => await runChaos({ minutes: CHAOS_MINUTES }),
  },
];

let passed = 0;
let failed = 0;
const wanted = process.argv.slice(2);
for (const { name, run } of checks) {
  if (wanted.length > 0 && !wanted.some((text) => name.includes(text))) {
    continue;
  }
  console.log(`\nlong check: ${name}`);
  const tally = await run().catch((/** @type {unknown} */ error) => {
    console.error(error);
    keepFailure(name, String(error));
    return { passed: 0, failed: 1 };
  });
  passed += tally.passed;
  failed += tally.failed;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
