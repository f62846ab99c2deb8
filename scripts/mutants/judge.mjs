// @ts-check
// Runs tests on a copy of the project, and says which of them finds its mistake.

import { join } from 'node:path';
import { IN_VIRTUAL_TIME } from '../gate/outcome.mjs';
import { run } from '../lib/run.mjs';

/**
 * @typedef {import('./run-tests.mjs').Order} Order
 * @typedef {import('./run-tests.mjs').Failure} Failure
 * @typedef {import('./run-tests.mjs').Outcome & { timedOut: boolean }} Result
 */

/** Tests of one mistake at a time; most of their time is spent waiting. */
const WORKERS = 3;

/** A mistake may make a test wait for ever. Few tests take as long as this without one. */
const TEST_TIMEOUT_MS = 15_000;

/** Most mistakes are found by the first few tests: they run by themselves. */
export const FIRST = 5;

/** The name of the failure when a mistake makes tests wait for ever. */
export const IN_TIME = 'none ends in time';

/** The name of the failure of a file that cannot be loaded. */
export const FILE_ITSELF = 'the file itself';

/** What starting costs, at most, beside the tests. */
const START_MS = 30_000;

/** What one test file takes at most without a mistake, and all of them together. */
const FILE_MS = 20_000;
const FILES_MS = 5 * 60_000;

/**
 * @param {Order} order
 * @param {number} limitMs
 * @returns {Promise<Result>}
 * @throws {Error} where no test runs at all
 */
export async function runTests(order, limitMs) {
  const script = join(order.root, 'scripts/mutants/run-tests.mjs');
  const args = [script, JSON.stringify(order)];
  const env = { REDLATCH_TEST_COMPILED: '1' };
  const options = { cwd: order.root, timeoutMs: limitMs, env };
  const { output, timedOut } = await run(process.execPath, args, options);
  // What it has printed elsewhere may come behind it.
  const line = output.split('\n').findLast((each) => each.startsWith('{"failed"'));
  if (line !== undefined) {
    const outcome = /** @type {import('./run-tests.mjs').Outcome} */ (JSON.parse(line));
    return { ...outcome, timedOut };
  }
  if (timedOut) {
    const message = `not done after ${limitMs} ms`;
    return { failed: [{ file: '', test: 'the run itself', message }], timedOut };
  }
  // Whatever the mistake, vitest says what came of its tests.
  throw new Error(`the tests do not run: ${output.slice(-2_000)}`);
}

/**
 * The first test that fails, if any does, of `files` in their order. A failure counts when it happens
 * twice, since the machine may be busy: in virtual time once is enough.
 *
 * @param {string} root of the copy
 * @param {string[]} files
 * @returns {Promise<Failure | undefined>}
 */
export async function firstFailure(root, files) {
  const first = await firstOf(root, files.slice(0, FIRST));
  return first ?? (await firstOf(root, files.slice(FIRST)));
}

/**
 * @param {string} root
 * @param {string[]} files
 * @returns {Promise<Failure | undefined>}
 */
async function firstOf(root, files) {
  const order = { root, workers: WORKERS, stopsAtFailure: true, testTimeout: TEST_TIMEOUT_MS };
  const limitMs = START_MS + TEST_TIMEOUT_MS + Math.min(files.length * FILE_MS, FILES_MS);
  let left = files;
  while (left.length > 0) {
    const { failed, timedOut } = await runTests({ ...order, files: left }, limitMs);
    const [failure] = failed;
    if (failure === undefined) {
      return undefined;
    }
    if (timedOut) {
      return { ...failure, test: IN_TIME };
    }
    // There is no bad luck in virtual time, but for the limit of a test.
    if (IN_VIRTUAL_TIME.test(failure.file) && !failure.message.includes('timed out in')) {
      return failure;
    }
    // Where vitest stops before it has said which test failed, all are run again.
    const suspects = failure.file === '' ? left : [failure.file];
    const again = await runTests({ ...order, files: suspects }, limitMs);
    const [second] = again.failed;
    if (second !== undefined) {
      return failure.file === '' && second.file !== '' ? second : failure;
    }
    left = failure.file === '' ? [] : left.filter((file) => file !== failure.file);
  }
  return undefined;
}
