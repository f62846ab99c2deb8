// @ts-check
// Which files of the test suite run when, and how: together in few processes, or each in one of its own.

import { outcomeSince, vitestOutcome } from '../gate/outcome.mjs';

/** @typedef {import('../gate/outcome.mjs').Outcome} Outcome */

/** Their files share processes: each one in a process of its own costs half a second of CPU. None of
 * them looks at its process, and `test/support/file-end.ts` ends what they leave open. */
const SHARED = new Set([
  'unit',
  'simulation/checkers',
  'integration',
  'contract',
  'faults',
  'process',
  'simulation',
]);

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

/** @param {string} path of a file or folder in test/ */
const excluded = (path) => `--exclude=test/${path}${path.endsWith('.ts') ? '' : '/**'}`;

/**
 * Runs folders of test/, in two goes.
 *
 * @param {string} name
 * @param {string[]} folders
 * @param {{ without?: string[], env?: NodeJS.ProcessEnv, timeoutMs: number }} options `without`: files and folders
 *   in them
 * @returns {Promise<Outcome>}
 */
export async function suiteOutcome(name, folders, { without = [], env = {}, timeoutMs }) {
  const startedAt = performance.now();
  const left = [...STORMS, ...ELSEWHERE, ...without].map(excluded);
  const shared = folders.filter((folder) => SHARED.has(folder));
  const others = folders.filter((folder) => !SHARED.has(folder));
  // The first part has run them.
  const within = shared.includes('simulation') ? [excluded('simulation/checkers')] : [];
  const goes = [
    { chosen: shared, files: ['--no-isolate', '--maxWorkers=4', ...left, ...within] },
    { chosen: others, files: left },
  ].filter(({ chosen }) => chosen.length > 0);
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const { chosen, files } of goes) {
    const all = [...files, ...chosen.map((folder) => `test/${folder}/`)];
    outcomes.push(await vitestOutcome(name, { files: all, env, timeoutMs }));
  }
  return outcomeSince(name, startedAt, {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  });
}
