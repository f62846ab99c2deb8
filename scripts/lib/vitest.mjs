// @ts-check
// Runs vitest with live output, and says what came of each test.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from './run.mjs';

/**
 * @typedef {import('../gate/outcome-reporter.mjs').VitestOutcome} VitestOutcome
 * @typedef {import('../gate/outcome-reporter.mjs').ReportedFailure} ReportedFailure
 *
 * @typedef {object} VitestOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [timeoutMs]
 * @property {string} [node] another program of Node.js
 * @property {string} [reporter] of the live output
 * @property {boolean} [show] whether there is live output, by default there is
 * @property {number} [failuresMax] with so many tests and suites that have failed no other begins; 0, the default: there is no limit
 *
 * @typedef {Omit<VitestOutcome, 'unfinished' | 'hasEnded' | 'isCut'> & { ms: number, timedOut: boolean }} VitestRun
 */

const REPORTER = fileURLToPath(new URL('../gate/outcome-reporter.mjs', import.meta.url));

/**
 * @param {string} details
 * @returns {ReportedFailure}
 */
const outside = (details) => ({
  file: '',
  test: '',
  details,
  isTest: false,
  isFinal: true,
  isLeft: false,
});

/**
 * @param {string} file
 * @returns {VitestOutcome}
 */
function outcomeIn(file) {
  try {
    return /** @type {VitestOutcome} */ (JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // It has ended before its first file has: the exit code is not 0.
    return { passed: 0, skipped: 0, failures: [], unfinished: [], hasEnded: false, isCut: false };
  }
}

/**
 * @param {string[]} args for `vitest run`
 * @param {VitestOptions} [options]
 * @returns {Promise<VitestRun>} with at least one failure where vitest says that something has failed
 */
export async function runVitest(
  args,
  { reporter = 'default', show = true, failuresMax = 0, env, ...options } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'redlatch-vitest-'));
  const file = join(folder, 'outcome.json');
  const startedAt = performance.now();
  try {
    const { code, timedOut } = await runTool(
      'vitest',
      [
        'run',
        `--reporter=${reporter}`,
        `--reporter=${REPORTER}`,
        ...(failuresMax > 0 ? [`--bail=${failuresMax}`] : []),
        ...args,
      ],
      { ...options, env: { ...env, REDLATCH_VITEST_OUTCOME: file }, show },
    );
    const ms = performance.now() - startedAt;
    const { passed, skipped, failures, unfinished, hasEnded, isCut } = outcomeIn(file);
    const how = timedOut ? `stopped after ${options.timeoutMs} ms` : `exit code ${code}`;
    if (timedOut || !hasEnded || (code !== 0 && failures.length === 0)) {
      const names = unfinished.length === 0 ? '' : `, before the end of ${unfinished.join(', ')}`;
      failures.push(outside(`vitest: ${how}${names}`));
    }
    if (isCut) {
      failures.push(outside(`vitest: after ${failures.length} failures no other test was begun`));
    }
    return { passed, skipped, failures, ms, timedOut };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
