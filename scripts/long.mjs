// @ts-check
// `npm run test:long`: what takes too long for every `npm test`. The last line is
// "N passed, N failed".
//
//   node scripts/long.mjs [TEXT]...
//
// TEXT  only the checks whose name has one of these in it

import { randomInt } from 'node:crypto';
import { delimiter } from 'node:path';
import { runChaos } from './lib/chaos.mjs';
import { keepFailure } from './lib/failures.mjs';
import { installFromGit } from './lib/git-install.mjs';
import { installNodes } from './lib/nodes.mjs';
import { run as runProgram } from './lib/run.mjs';
import { runSuite } from './lib/suite.mjs';
import { runVitest } from './lib/vitest.mjs';
import { tallyOf } from './matrix/report.mjs';
import { runMatrix } from './matrix/run.mjs';

/** Of chaos with seeds that nobody has seen. */
const CHAOS_MINUTES = 2;
const LIMIT_MS = 12 * 60_000;

/** Of the output of a script that failed: they name the cause. */
const LAST_LINES = 11;

/** The first seeds of the simulation, always the same: a commit that passed passes again. To look
 * for more is a work of its own (`npm run simulate`). */
const SEEDS = ['--traces', '--seeds', '14000'];

/** Steps in which the server in virtual time is compared with a real one, in each of its tests. */
const STEPS = 100_000;

/** Mistakes made on purpose: all of them take an hour. */
const MISTAKES = ['--semantic-sample', '12', '--generated', '6'];

/** Files in which Stryker makes mistakes: a minute each at most. */
const STRYKER = ['--sample', '2'];

/** Mostly they wait for elections: a minute. */
const FAILOVERS = ['failovers', '--runs', '5', '--jobs', '4'];

/** Twenty seconds. Next.js takes two minutes, and is left out. */
const OTHERS = ['test:works-with', 'bun', 'deno', 'nest'];

/** Two combinations: the oldest server and the newest one. `npm run test:matrix` runs all of them. */
const SELDOM = {
  suite: ['contract'],
  server: ['redis 6.2.14', 'valkey 9.1.2'],
  driver: ['ioredis 5', 'iovalkey'],
};

/**
 * @typedef {object} LongCheck
 * @property {string} name
 * @property {() => Promise<{ passed: number, failed: number }>} run
 */

/**
 * One check of a script, whatever it counts itself.
 *
 * @param {string} script
 * @param {string[]} args
 */
async function runScript(script, args) {
  const options = { show: true, timeoutMs: LIMIT_MS };
  const { code, timedOut, output } = await runProgram(process.execPath, [script, ...args], options);
  if (code !== 0) {
    const how = timedOut ? `not done after ${LIMIT_MS} ms` : `exit code ${code}`;
    const last = output.trimEnd().split('\n').slice(-LAST_LINES);
    keepFailure([script, ...args].join(' '), [`${how}; its last lines:`, ...last].join('\n'));
  }
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * Runs a part of the test suite, and adds up its two goes.
 *
 * @param {Parameters<typeof runSuite>[0]} which
 * @param {NodeJS.ProcessEnv} env
 */
async function sumOf(which, env) {
  const runs = await runSuite(which, { env, timeoutMs: LIMIT_MS });
  const sum = (/** @type {'passed' | 'failed'} */ count) =>
    runs.reduce((total, { tally }) => total + tally[count], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

/** @type {LongCheck[]} */
const checks = [
  {
    name: 'the whole suite on ioredis 5',
    run: async () =>
      // The simulation has no driver, and mistakes are made in a list.
      await sumOf(
        { without: ['simulation', 'simulation/checkers', 'mutants'] },
        { REDLATCH_TEST_IOREDIS: '5' },
      ),
  },
  {
    name: 'whatever talks to Redis, through the driver',
    run: async () =>
      await sumOf(
        {
          only: ['contract', 'integration', 'connections', 'faults', 'process'],
          // It tests the other way.
          without: ['connections/take-over.test.ts'],
        },
        { REDLATCH_TEST_WIRE: 'driver' },
      ),
  },
  {
    name: 'the models, for longer',
    run: async () =>
      await runVitest(['test/property'], {
        env: { REDLATCH_TEST_RUNS: '40' },
        timeoutMs: LIMIT_MS,
      }),
  },
  {
    name: 'a cluster whose slots move and whose masters change',
    run: async () =>
      await runVitest(['test/connections/cluster-storm.test.ts'], {
        env: { REDLATCH_TEST_STORM_MS: '45000' },
        timeoutMs: LIMIT_MS,
      }),
  },
  {
    name: 'the package on other releases of Node.js',
    run: async () => {
      const REDLATCH_TEST_NODES = (await installNodes()).join(delimiter);
      return await runVitest(['test/package'], {
        env: { REDLATCH_TEST_NODES },
        timeoutMs: LIMIT_MS,
      });
    },
  },
  {
    name: 'the contract on servers and drivers that are seldom used',
    run: async () => await runMatrix(SELDOM).then(tallyOf),
  },
  { name: 'installing from git', run: installFromGit },
  {
    name: 'recipes with other libraries',
    run: async () => await runVitest(['test/recipes'], { timeoutMs: LIMIT_MS }),
  },
  {
    name: 'Bun, Deno and releases of NestJS',
    run: async () => await runScript('scripts/bootstrap.mjs', OTHERS),
  },
  {
    name: 'an earlier build beside this one',
    run: async () => await runVitest(['test/versions'], { timeoutMs: LIMIT_MS }),
  },
  { name: 'the documentation site', run: async () => await runScript('site/build.mjs', []) },
  {
    name: 'the server in virtual time beside a real one',
    run: async () =>
      await runVitest(['test/simulation/differential'], {
        env: { REDLATCH_DIFFERENTIAL_STEPS: String(STEPS) },
        timeoutMs: LIMIT_MS,
      }),
  },
  {
    name: 'simulation',
    run: async () => await runScript('scripts/simulate.mjs', SEEDS),
  },
  {
    name: 'the way of an operation through the files',
    run: async () => await runScript('scripts/trace.mjs', []),
  },
  {
    name: 'mistakes on purpose',
    run: async () =>
      await runScript('scripts/mutants.mjs', [...MISTAKES, '--seed', String(randomInt(1_000_000))]),
  },
  {
    name: 'mistakes of Stryker',
    run: async () => {
      const seed = ['--seed', String(randomInt(1_000_000))];
      return await runScript('scripts/generated-mutants.mjs', [...STRYKER, ...seed]);
    },
  },
  {
    name: 'masters that are killed under load',
    run: async () => await runScript('scripts/bootstrap.mjs', FAILOVERS),
  },
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
