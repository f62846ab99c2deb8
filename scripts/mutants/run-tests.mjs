// @ts-check
// Runs test files of a copy of the project in the order in which they are given, until one fails.
// A process of its own, so that a mistake that hangs can be ended with it.
//
//   node scripts/mutants/run-tests.mjs '{ "root": ..., "files": [...] }'
//
// A line of the output is JSON: { failed: [{ file, test, message }] }

import { join, relative } from 'node:path';
import { BaseSequencer, startVitest } from 'vitest/node';
import { FILE_ITSELF } from './judge.mjs';

/**
 * @typedef {{
 *   root: string, files: string[], workers: number, stopsAtFailure: boolean, testTimeout?: number,
 * }} Order
 * @typedef {{ file: string, test: string, message: string }} Failure
 * @typedef {{ failed: Failure[] }} Outcome
 */

const order = /** @type {Order} */ (JSON.parse(String(process.argv[2])));
const position = new Map(order.files.map((file, i) => [join(order.root, file), i]));

/** @param {import('vitest/node').TestSpecification} file */
const positionOf = ({ moduleId }) => position.get(moduleId) ?? 0;

class AsGiven extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} files
   */
  async sort(files) {
    return await Promise.resolve(files.toSorted((a, b) => positionOf(a) - positionOf(b)));
  }
}

/** @type {Outcome} */
const outcome = { failed: [] };

/** @type {import('vitest/node').Vitest | undefined} */
let runner;

/** @type {import('vitest/node').Reporter} */
const reporter = {
  onInit(started) {
    runner = started;
  },
  onTestModuleEnd(module) {
    const file = relative(order.root, module.moduleId);
    for (const { message } of module.errors()) {
      outcome.failed.push({ file, test: FILE_ITSELF, message });
    }
  },
  // vitest's own `bail` ends a run before it has told here which test was the first to fail.
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state === 'failed') {
      const file = relative(order.root, test.module.moduleId);
      outcome.failed.push({ file, test: test.fullName, message: errors[0]?.message ?? '' });
      if (order.stopsAtFailure) {
        void runner?.cancelCurrentRun('test-failure');
      }
    }
  },
  onTestRunEnd(_modules, errors, reason) {
    for (const { message } of errors) {
      outcome.failed.push({ file: '', test: 'outside of all tests', message });
    }
    if (reason !== 'passed' && outcome.failed.length === 0) {
      throw new Error(`the run has ${reason}, and no test has failed`);
    }
  },
};

const { testTimeout } = order;
const vitest = await startVitest('test', order.files, {
  root: order.root,
  run: true,
  watch: false,
  cache: false,
  maxWorkers: order.workers,
  reporters: [reporter],
  sequence: { sequencer: AsGiven },
  ...(testTimeout === undefined ? {} : { testTimeout, hookTimeout: testTimeout }),
});
await vitest.close();
process.stdout.write(`\n${JSON.stringify(outcome)}\n`);
// A server or a worker that a mistake keeps alive must not keep this process.
process.exit(0);
