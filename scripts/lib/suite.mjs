// @ts-check
// How the files of the test suite are run: together in few processes, or each in one of its own.

import { runVitest } from './vitest.mjs';

/** Their files share processes: each one in a process of its own costs half a second of CPU. None of
 * them looks at its process, and `test/support/file-end.ts` ends what they leave open. */
const SHARED = ['unit', 'simulation/checkers', 'integration', 'faults'];

/**
 * Runs the files of some folders of test/, or all but those of some, in two goes.
 *
 * @param {{ only?: string[], without?: string[] }} which folders; a file is one, too
 * @param {{ env?: NodeJS.ProcessEnv, timeoutMs: number }} options
 * @returns {Promise<{ name: string, tally: import('./vitest.mjs').Tally }[]>}
 */
export async function runSuite({ only, without = [] }, options) {
  const shared = SHARED.filter(
    (name) => (only ?? SHARED).includes(name) && !without.includes(name),
  );
  const others = only?.filter((name) => !SHARED.includes(name)) ?? [];
  const excluded = only === undefined ? [...without, ...SHARED] : without;
  // They wait for most of the time.
  const together = ['--no-isolate', '--maxWorkers=6', ...shared.map((name) => `test/${name}/`)];
  const alone = [
    ...others.map((name) => `test/${name}/`),
    ...excluded.map((name) => `--exclude=test/${name}${name.endsWith('.ts') ? '' : '/**'}`),
  ];
  return [
    { name: 'tests in shared processes', tally: await runVitest(together, options) },
    { name: 'tests', tally: await runVitest(alone, options) },
  ];
}
