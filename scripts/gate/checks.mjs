// @ts-check
// The checks of `npm run test:gate`: what `npm test` leaves out and what still gives the same answer for the same
// commit. Their seeds are fixed. What draws seeds, takes samples or plays storms in real time belongs to the search.

import { delimiter } from 'node:path';
import { buildJava, missingTools } from '../lib/java.mjs';
import { installNode, NODE_RELEASES } from '../lib/nodes.mjs';
import { installIn } from '../lib/subproject.mjs';
import { REST, suiteOutcome } from '../lib/suite.mjs';
import { missingOf } from './fetch.mjs';
import { MUTANTS } from './mutants.mjs';
import { outcomeSince, scriptOutcome, vitestOutcome } from './outcome.mjs';

/**
 * @typedef {import('./outcome.mjs').Outcome} Outcome
 * @typedef {import('./outcome.mjs').Missing} Missing
 *
 * @typedef {object} Check
 * @property {string} name
 * @property {boolean} [isBeside] nothing in it has to be in time: it takes the CPU that others leave
 * @property {() => Promise<Missing[]>} [fetch] what it needs, beside earlier checks
 * @property {(missing: Missing[]) => Promise<Outcome>} run `missing`: what could not be fetched
 */

const MINUTE_MS = 60_000;

/** What yields to the others takes as long as they leave no CPU. */
const BESIDE_LIMIT_MS = 20 * MINUTE_MS;

/** Worlds in virtual time, from seed 0 on; their traces are compared with those that are kept. */
const SIMULATED = '330';

/** Steps in which the server in virtual time is compared with a real one, in each of its tests. */
const COMPARED = '10000';

/** Beside Java: the bytes of every object and what each side sees of the other. The rest takes too long. */
const BESIDE_JAVA = ['bytes', 'state'];

/** Node.js loads what is compiled in a third of the time that a transformation takes. */
const COMPILED = { REDLATCH_TEST_COMPILED: '1' };

/**
 * A check of packages that are fetched for it, which is skipped where they cannot be had.
 *
 * @param {string} name
 * @param {() => Promise<Missing[]>} fetch
 * @param {() => Promise<Outcome>} run
 * @returns {Check}
 */
const withPackages = (name, fetch, run) => ({
  name,
  fetch,
  run: async (missing) => {
    const startedAt = performance.now();
    return missing.length > 0 ? outcomeSince(name, startedAt, { missing }) : await run();
  },
});

/** @param {string} name @param {NodeJS.ProcessEnv} env @returns {Check} */
const contracts = (name, env) => ({
  name,
  run: async () =>
    await vitestOutcome(name, {
      files: ['test/contract/'],
      args: ['--no-isolate', '--maxWorkers=4'],
      env,
      timeoutMs: 5 * MINUTE_MS,
    }),
});

/** @returns {Check} */
function packageOnNodes() {
  const name = 'the package on releases of Node.js';
  /** @type {string[]} */
  const programs = [];
  return {
    name,
    fetch: async () => {
      /** @type {Missing[]} */
      const missing = [];
      for (const release of NODE_RELEASES) {
        const install = async () => void programs.push(await installNode(release));
        missing.push(...(await missingOf(`Node.js ${release}`, install)));
      }
      return missing;
    },
    run: async (missing) => {
      const env = { REDLATCH_TEST_NODES: programs.join(delimiter) };
      const options = { files: ['test/package'], env, timeoutMs: 5 * MINUTE_MS };
      return { ...(await vitestOutcome(name, options)), missing };
    },
  };
}

const JAVA = 'beside Java';

/** @returns {Promise<Missing[]>} */
async function fetchJava() {
  const tools = await missingTools();
  return tools.length > 0
    ? tools.map((reason) => ({ name: JAVA, reason }))
    : await missingOf('the packages of Java', buildJava);
}

const RECIPES = 'the recipes';
const SITE = 'the documentation site';
const COMPARISON = 'the server in virtual time beside a real one';
const MODELS = 'models';
const SUITE = 'the rest of the suite';
const SIMULATION = 'the simulation';
const MISTAKES = 'mistakes on purpose';

/** @type {Check[]} */
export const checks = [
  {
    name: SUITE,
    run: async () =>
      await suiteOutcome(SUITE, REST, {
        env: COMPILED,
        timeoutMs: 15 * MINUTE_MS,
      }),
  },
  {
    name: MODELS,
    run: async () =>
      await vitestOutcome(MODELS, {
        files: ['test/property'],
        env: COMPILED,
        timeoutMs: 8 * MINUTE_MS,
      }),
  },
  {
    name: COMPARISON,
    run: async () =>
      await vitestOutcome(COMPARISON, {
        files: ['test/simulation/differential'],
        env: { ...COMPILED, REDLATCH_DIFFERENTIAL_STEPS: COMPARED },
        timeoutMs: 8 * MINUTE_MS,
      }),
  },
  {
    name: SIMULATION,
    isBeside: true,
    run: async () =>
      await scriptOutcome(SIMULATION, ['scripts/simulate.mjs', '--traces', '--seeds', SIMULATED], {
        command: 'npm run simulate --',
        timeoutMs: BESIDE_LIMIT_MS,
        yields: true,
      }),
  },
  // What is compiled would take the other driver.
  contracts('the contract on ioredis 5', { REDLATCH_TEST_IOREDIS: '5' }),
  contracts('the contract through the driver', { ...COMPILED, REDLATCH_TEST_WIRE: 'driver' }),
  packageOnNodes(),
  withPackages(
    RECIPES,
    async () =>
      await missingOf('the packages of the recipes', async () => await installIn('recipes')),
    async () => await vitestOutcome(RECIPES, { files: ['test/recipes'], timeoutMs: 5 * MINUTE_MS }),
  ),
  withPackages(
    SITE,
    async () => await missingOf('the packages of the site', async () => await installIn('site')),
    async () =>
      await scriptOutcome(SITE, ['site/build.mjs', '--without-demo'], {
        command: 'npm run docs --',
        timeoutMs: 5 * MINUTE_MS,
      }),
  ),
  {
    name: MISTAKES,
    run: async () => {
      // A test that fails by itself would find every mistake; it is a failure of its own in this gate.
      const chosen = MUTANTS.flatMap((id) => ['--only', id]);
      const options = { command: 'npm run mutants --', timeoutMs: 8 * MINUTE_MS };
      return await scriptOutcome(MISTAKES, ['scripts/mutants.mjs', '--passed', ...chosen], options);
    },
  },
  withPackages(
    JAVA,
    fetchJava,
    async () =>
      await vitestOutcome(JAVA, {
        files: BESIDE_JAVA.map((folder) => `test/interop/${folder}/`),
        args: ['--config', 'vitest.interop.config.ts'],
        env: COMPILED,
        command: 'npm run test:interop --',
        timeoutMs: 8 * MINUTE_MS,
      }),
  ),
];
