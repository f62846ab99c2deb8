// @ts-check
// Runs the vitest suite with live output, and counts what it reports.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { keepFailure } from './failures.mjs';
import { runTool } from './run.mjs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} files those in which something has failed
 * @property {number} ms
 *
 * @typedef {object} Report the part of vitest's JSON report we read
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {FileReport[]} testResults
 *
 * @typedef {object} FileReport
 * @property {string} name
 * @property {string} status
 * @property {string} message
 * @property {{ status: string, fullName: string, failureMessages: string[] }[]} assertionResults
 */

/** @param {Report} report */
function keepFailures({ testResults }) {
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(process.cwd(), name);
    if (status === 'failed' && assertionResults.length === 0) {
      keepFailure(file, message);
    }
    for (const { status: came, fullName, failureMessages } of assertionResults) {
      if (came === 'failed') {
        keepFailure(`${file}: ${fullName}`, failureMessages.join('\n'));
      }
    }
  }
}

/**
 * @param {string} file
 * @param {number} code vitest's exit code
 * @returns {Omit<Tally, 'ms'>}
 */
function tally(file, code) {
  /** @type {Report} */
  let report;
  try {
    report = /** @type {Report} */ (JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    keepFailure('vitest', `it left no report, exit code ${code}: ${String(error)}`);
    return { passed: 0, failed: 1, skipped: 0, files: [] };
  }
  keepFailures(report);
  // A file that could not be loaded has no tests to count: it counts as one.
  const broken = report.testResults.filter(
    (result) => result.status === 'failed' && result.assertionResults.length === 0,
  ).length;
  const failed = report.numFailedTests + broken;
  if (failed === 0 && code !== 0) {
    keepFailure('vitest', `no test failed, exit code ${code}: an error outside of all tests`);
  }
  return {
    passed: report.numPassedTests,
    // An error outside any test, such as an unhandled rejection, shows in the exit code only.
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
    files: report.testResults.flatMap(({ name, status }) => (status === 'failed' ? [name] : [])),
  };
}

/**
 * @param {string[]} args for `vitest run`
 * @param {{ env?: NodeJS.ProcessEnv, timeoutMs?: number, node?: string, reporter?: string }} [options]
 * @returns {Promise<Tally>}
 */
export async function runVitest(args, { reporter = 'default', ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'redlatch-vitest-'));
  const file = join(folder, 'report.json');
  const startedAt = performance.now();
  try {
    const reporters = [`--reporter=${reporter}`, '--reporter=json', `--outputFile.json=${file}`];
    const result = await runTool('vitest', ['run', ...reporters, ...args], {
      ...options,
      show: true,
    });
    if (result.timedOut) {
      console.error(`vitest was stopped after ${options.timeoutMs} ms`);
    }
    return { ...tally(file, result.code), ms: performance.now() - startedAt };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
