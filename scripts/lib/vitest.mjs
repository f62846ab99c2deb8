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
 *
 * @typedef {VitestOutcome & { ms: number, timedOut: boolean }} VitestRun
 */

const REPORTER = fileURLToPath(new URL('../gate/outcome-reporter.mjs', import.meta.url));

/**
 * @param {string} details
 * @returns {ReportedFailure}
 */
const outside = (details) => ({ file: '', test: '', details, isBrokenPromise: false });

/**
 * @param {string[]} args for `vitest run`
 * @param {VitestOptions} [options]
 * @returns {Promise<VitestRun>} with at least one failure where vitest says that something has failed
 */
export async function runVitest(args, { reporter = 'default', show = true, env, ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'redlatch-vitest-'));
  const file = join(folder, 'outcome.json');
  const startedAt = performance.now();
  try {
    const { code, timedOut } = await runTool(
      'vitest',
      ['run', `--reporter=${reporter}`, `--reporter=${REPORTER}`, ...args],
      { ...options, env: { ...env, REDLATCH_VITEST_OUTCOME: file }, show },
    );
    const ms = performance.now() - startedAt;
    /** @type {VitestOutcome} */
    let outcome;
    try {
      outcome = /** @type {VitestOutcome} */ (JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      const how = timedOut ? `stopped after ${options.timeoutMs} ms` : `exit code ${code}`;
      outcome = { passed: 0, skipped: 0, failures: [outside(`vitest left no outcome: ${how}`)] };
    }
    if (code !== 0 && outcome.failures.length === 0) {
      outcome.failures.push(outside(`vitest names no failure, exit code ${code}`));
    }
    return { ...outcome, ms, timedOut };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
