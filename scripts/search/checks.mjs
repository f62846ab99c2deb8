// @ts-check
// The checks of the search: whatever draws seeds, takes samples, plays storms in real time, or takes too long for
// the gate. A round of each is chosen by its seed.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingOf, networkFailure } from '../gate/fetch.mjs';
import { outcomeSince, scriptOutcome, vitestOutcome } from '../gate/outcome.mjs';
import { root } from '../lib/fresh.mjs';
import { installFromGit } from '../lib/git-install.mjs';
import { buildJava, missingTools } from '../lib/java.mjs';
import { STORMS } from '../lib/suite.mjs';
import { programOf, RELEASES } from '../matrix/servers.mjs';
import { shuffled } from '../mutants/generated.mjs';

/**
 * @typedef {import('./run.mjs').SearchCheck} SearchCheck
 * @typedef {import('../gate/outcome.mjs').Outcome} Outcome
 */

/** A round that does not end is a finding: so much longer than its slice it may take. */
const GRACE_MS = 5 * 60_000;

/** Simulated worlds of one round. */
const WORLDS = 2_000;

/** Files of one round. */
const SAMPLE = 24;
const JAVA_SAMPLE = 6;

/** A storm has a check of its own; the last tests the other way to the server. */
const LEFT_OUT = [...STORMS, 'connections/take-over.test.ts'];

/** How the servers of a round are reached. */
const DRIVERS = ['', '5', 'iovalkey'];

/**
 * @param {string[]} folders of test/
 * @param {number} count
 * @param {number} seed
 */
function sampleOf(folders, count, seed) {
  const left = new Set(LEFT_OUT);
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file}`),
  );
  const chosen = files.filter((file) => !left.has(file)).toSorted();
  return shuffled(chosen, seed)
    .slice(0, count)
    .map((file) => `test/${file}`);
}

/** @param {Record<string, string | number>} values @returns {NodeJS.ProcessEnv} */
const strings = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/**
 * Tests whose random choices are those of the seed.
 *
 * @param {string} name
 * @param {number} roundS
 * @param {string[]} files
 * @param {Record<string, string | number>} [more] variables
 * @returns {SearchCheck}
 */
const seeded = (name, roundS, files, more = {}) => ({
  name,
  roundS,
  seeds: Number(more['REDLATCH_TEST_RUNS'] ?? 1),
  run: async ({ seed, leftMs }) =>
    await vitestOutcome(name, {
      files,
      env: strings({ REDLATCH_TEST_SEED: seed, ...more }),
      timeoutMs: leftMs + GRACE_MS,
    }),
});

/**
 * A sample of the files in some folders, run in another way than the gate does.
 *
 * @param {string} name
 * @param {string[]} folders
 * @param {Record<string, string>} env
 * @returns {SearchCheck}
 */
const sampled = (name, folders, env) => ({
  name,
  roundS: 100,
  run: async ({ seed, leftMs }) =>
    await vitestOutcome(name, {
      files: sampleOf(folders, SAMPLE, seed),
      env,
      timeoutMs: leftMs + GRACE_MS,
    }),
});

/**
 * @param {string} name
 * @param {number} roundS
 * @param {(seed: number) => string} command for Node.js, its words with one space between them
 * @param {number} [seeds] of a round
 * @returns {SearchCheck}
 */
const script = (name, roundS, command, seeds = 1) => ({
  name,
  roundS,
  seeds,
  run: async ({ seed, leftMs }) =>
    await scriptOutcome(name, command(seed).split(' '), { timeoutMs: leftMs + GRACE_MS }),
});

/** The kinds of objects whose traces are kept. */
const TRACED = [
  ...new Set(
    readFileSync(join(root, 'test/simulation/traces.txt'), 'utf8').match(/^[a-z-]+/gmu) ?? [],
  ),
];

/** They talk to a server. */
const REDIS = ['contract', 'integration', 'connections', 'faults', 'process'];

/** @type {SearchCheck} */
const otherServers = {
  name: 'other servers and drivers',
  roundS: 100,
  run: async ({ seed, leftMs }) => {
    const { name } = otherServers;
    const startedAt = performance.now();
    const release = RELEASES[seed % RELEASES.length];
    if (release === undefined) {
      throw new RangeError('no server is known');
    }
    /** @type {string} */
    let program;
    try {
      program = await programOf(release);
    } catch (error) {
      const { message, cause } = /** @type {Error} */ (error);
      const reason = networkFailure(`${message}\n${String(cause)}`);
      if (reason === undefined) {
        throw error;
      }
      return outcomeSince(name, startedAt, { missing: [{ name: release.name, reason }] });
    }
    const env = {
      REDIS_PROVIDER: 'process',
      REDIS_SERVER_BIN: program,
      REDLATCH_TEST_IOREDIS: DRIVERS[seed % DRIVERS.length] ?? '',
    };
    const files = sampleOf(['contract', 'integration', 'faults'], SAMPLE, seed);
    return await vitestOutcome(name, { files, env, timeoutMs: leftMs + GRACE_MS });
  },
};

/** @type {SearchCheck} */
const besideJava = {
  name: 'all tests beside Java',
  roundS: 120,
  run: async ({ seed, leftMs }) => {
    const { name } = besideJava;
    const startedAt = performance.now();
    const tools = await missingTools();
    if (tools.length > 0) {
      return outcomeSince(name, startedAt, { missing: [{ name, reason: tools.join(' ') }] });
    }
    const missing = await missingOf('the packages of Java', buildJava);
    if (missing.length > 0) {
      return outcomeSince(name, startedAt, { missing });
    }
    return await vitestOutcome(name, {
      files: sampleOf(['interop'], JAVA_SAMPLE, seed),
      args: ['--config', 'vitest.interop.config.ts'],
      env: strings({ REDLATCH_TEST_SEED: seed }),
      command: 'npm run test:interop --',
      timeoutMs: leftMs + GRACE_MS,
    });
  },
};

/** @type {SearchCheck} */
const fromGit = {
  name: 'installing from git',
  roundS: 100,
  run: async () => await installFromGit('installing from git'),
};

/** @type {readonly SearchCheck[]} */
export const searchChecks = [
  seeded('chaos', 30, ['test/chaos/chaos.test.ts'], { REDLATCH_TEST_RUNS: 16 }),
  seeded(
    'storms',
    90,
    STORMS.map((file) => `test/${file}`),
    { REDLATCH_TEST_STORM_MS: 20_000 },
  ),
  script(
    'new worlds of the simulation',
    60,
    (seed) => `scripts/simulate.mjs --seed ${seed} --seeds ${WORLDS}`,
    WORLDS,
  ),
  // One kind a round: all of them together take longer than a slice on a busy machine.
  script(
    'traces that are kept',
    40,
    (seed) => `scripts/simulate.mjs --traces --seeds 2000 --only ${TRACED[seed % TRACED.length]}`,
  ),
  seeded('models', 90, ['test/property'], { REDLATCH_TEST_RUNS: 20 }),
  seeded('the server in virtual time beside a real one', 60, ['test/simulation/differential'], {
    REDLATCH_DIFFERENTIAL_STEPS: 30_000,
  }),
  script(
    'mistakes on purpose',
    110,
    (seed) => `scripts/mutants.mjs --semantic-sample 10 --generated 4 --seed ${seed}`,
  ),
  script(
    'mistakes of Stryker',
    90,
    (seed) => `scripts/generated-mutants.mjs --sample 1 --seed ${seed}`,
  ),
  sampled('the suite on ioredis 5', [...REDIS, 'unit', 'examples', 'runners'], {
    REDLATCH_TEST_IOREDIS: '5',
  }),
  sampled('the suite through the driver', REDIS, { REDLATCH_TEST_WIRE: 'driver' }),
  otherServers,
  besideJava,
  seeded('the demo', 60, ['test/demo']),
  seeded('an earlier build beside this one', 60, ['test/versions']),
  script(
    'masters that are killed under load',
    100,
    (seed) => `scripts/bootstrap.mjs failovers --runs 5 --jobs 4 --seed ${seed}`,
  ),
  fromGit,
  script('the way of an operation through the files', 20, () => 'scripts/trace.mjs'),
  script(
    'Bun, Deno and releases of NestJS',
    60,
    () => 'scripts/bootstrap.mjs test:works-with bun deno nest',
  ),
];
