// @ts-check
// Which files of the test suite run when, and how: together in few processes, or each in one of its own.

import { outcomeSince, vitestOutcome } from '../gate/outcome.mjs';

/** @typedef {import('../gate/outcome.mjs').Outcome} Outcome */

/** @param {string} path of a file or folder in test/ */
const excluded = (path) => `--exclude=test/${path}${path.endsWith('.ts') ? '' : '/**'}`;

/**
 * Folders whose files share processes, since each file in a process of its own costs half a second of CPU. None of them
 * looks at its process, and `test/support/file-end.ts` ends what they leave open.
 */
export const POOLS = [
  // They wait for most of the time.
  {
    folders: ['unit', 'simulation/checkers', 'integration', 'contract', 'faults'],
    args: ['--no-isolate', '--maxWorkers=4'],
  },
  // Each starts processes of its own.
  { folders: ['process'], args: ['--no-isolate', '--maxWorkers=2'] },
  // They wait for nothing, and would keep others from being in time.
  {
    folders: ['simulation'],
    args: ['--no-isolate', '--maxWorkers=2', excluded('simulation/checkers')],
  },
];

/** `npm test`: the folders of test/ that find most, for what they take. */
export const FIRST = ['unit', 'simulation/checkers', 'integration'];

/** `npm run test:gate` runs them, too. */
export const REST = [
  'contract',
  'faults',
  'connections',
  'process',
  'simulation',
  'examples',
  'types',
  'mutants',
  'runners',
  'support',
  'peers',
  'gate',
  // Of its checkers; chaos itself is a check of the search.
  'chaos/holding.test.ts',
  'chaos/telling.test.ts',
];

/** Storms in real time, which choose instants, kills or sets by a seed: for the search. */
export const STORMS = [
  'connections/cluster-storm.test.ts',
  'faults/abort-storm.test.ts',
  'faults/storm.test.ts',
  'process/hand-offs.test.ts',
  'process/sets.test.ts',
];

/** A static check looks at the documents; the comparison of servers is a check of its own. */
const ELSEWHERE = ['examples/readme.test.ts', 'simulation/differential'];

/**
 * Runs folders of test/, one pool after the other.
 *
 * @param {string} name
 * @param {string[]} folders
 * @param {{ env?: NodeJS.ProcessEnv, timeoutMs: number }} options
 * @returns {Promise<Outcome>}
 */
export async function suiteOutcome(name, folders, { env = {}, timeoutMs }) {
  const startedAt = performance.now();
  const left = [...STORMS, ...ELSEWHERE].map(excluded);
  const pooled = new Set(POOLS.flatMap((pool) => pool.folders));
  const alone = { folders: folders.filter((folder) => !pooled.has(folder)), args: [] };
  const goes = [...POOLS, alone]
    .map((go) => ({ ...go, chosen: go.folders.filter((folder) => folders.includes(folder)) }))
    .filter(({ chosen }) => chosen.length > 0);
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const { chosen, args } of goes) {
    const files = [...args, ...left, ...chosen.map((each) => `test/${each}`)];
    outcomes.push(await vitestOutcome(name, { files, env, timeoutMs }));
  }
  return outcomeSince(name, startedAt, {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  });
}
