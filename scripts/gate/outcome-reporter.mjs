// @ts-check
// A reporter of vitest that writes what came of each test to the file that REDLATCH_VITEST_OUTCOME names:
// failures, whether they are final, and errors outside of all tests. It writes when a file begins and when it ends, so
// that what a run that hangs has found is not lost.

import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * @typedef {object} ReportedFailure
 * @property {string} file relative to the root; '' for an error outside of all files
 * @property {string} test '' for what belongs to the file as a whole
 * @property {string} details
 * @property {boolean} isTest false for hooks, files as a whole and errors outside of all tests
 * @property {boolean} isFinal it fails at first sight: a broken promise, or an error that nobody handled
 * @property {boolean} isLeft only what an earlier failure of its file has left
 *
 * @typedef {object} VitestOutcome
 * @property {number} passed
 * @property {number} skipped
 * @property {ReportedFailure[]} failures
 * @property {string[]} unfinished files that have begun and not ended
 * @property {boolean} hasEnded the whole run, and not the process alone
 * @property {boolean} isCut tests were not begun, since so many had failed
 *
 * @typedef {import('vitest/node').TestModule} TestModule
 * @typedef {import('vitest/node').SerializedError} SerializedError
 *
 * @typedef {{ passed: number, skipped: number, failures: ReportedFailure[] }} ModuleOutcome
 * @typedef {{ name?: unknown, cause?: unknown, errors?: unknown, mayFollow?: unknown }} ErrorParts
 */

/**
 * An error about a promise that the library makes to its users, or one that is due to such an error.
 *
 * @param {unknown} error
 * @param {boolean} follows it comes behind another failure, which may have caused it
 * @returns {boolean}
 */
function isBrokenPromise(error, follows) {
  if (typeof error !== 'object' || error === null) {
    return false;
  }
  const { name, cause, errors, mayFollow } = /** @type {ErrorParts} */ (error);
  return (
    (name === 'BrokenPromise' && !(follows && mayFollow === true)) ||
    isBrokenPromise(cause, follows) ||
    (Array.isArray(errors) && errors.some((each) => isBrokenPromise(each, follows)))
  );
}

/**
 * @param {string} file
 * @param {string} test
 * @param {readonly SerializedError[]} errors in their order: those of hooks come last
 * @param {{ isTest?: boolean, follows?: boolean }} [what] `follows`: it comes behind the failure of a test
 * @returns {ReportedFailure}
 */
function failureOf(file, test, errors, { isTest = false, follows = false } = {}) {
  const details = errors.map(({ name, message, stack }) =>
    stack !== undefined && stack.includes(message) ? stack : `${name}: ${message}\n${stack ?? ''}`,
  );
  const isFinal = errors.some((error, i) => isBrokenPromise(error, follows || i > 0));
  const isLeft = follows && !isFinal && errors.every((error) => isBrokenPromise(error, false));
  return { file, test, details: details.join('\n'), isTest, isFinal, isLeft };
}

/** The tests of a file, and its hooks that have failed.
 * @param {TestModule} module
 * @returns {ModuleOutcome} */
function outcomeOf(module) {
  const file = module.relativeModuleId;
  const tests = [...module.children.allTests()];
  const count = (/** @type {string} */ state) =>
    tests.filter((test) => test.result().state === state).length;
  /** @type {ReportedFailure[]} */
  const failures = [];
  for (const test of tests) {
    const { state, errors } = test.result();
    if (state === 'failed') {
      const follows = failures.length > 0;
      failures.push(failureOf(file, test.fullName, errors, { isTest: true, follows }));
    }
  }
  const follows = failures.length > 0;
  for (const suite of [module, ...module.children.allSuites()]) {
    const errors = suite.errors();
    if (errors.length > 0) {
      const name = suite.type === 'suite' ? suite.fullName : '';
      failures.push(failureOf(file, name, errors, { follows }));
    }
  }
  // A file that has failed says so, whatever the reason.
  if (failures.length === 0 && module.state() === 'failed') {
    failures.push(failureOf(file, '', []));
  }
  return { passed: count('passed'), skipped: count('skipped'), failures };
}

/**
 * An error that nobody handled. A test that has failed before its end leaves promises that nobody awaits: what comes of
 * these is no news behind its failure.
 *
 * @param {SerializedError} error
 * @param {ReportedFailure[]} failures
 * @returns {ReportedFailure}
 */
function outsideFailure(error, failures) {
  const path = error['VITEST_TEST_PATH'];
  const file = typeof path === 'string' ? relative(process.cwd(), path) : '';
  const follows = failures.some((failure) => failure.isTest && failure.file === file);
  const failure = failureOf(file, '', [error], { follows });
  return { ...failure, isFinal: failure.isFinal || !follows };
}

/** @typedef {import('vitest/node').Reporter} Reporter */

/** @implements {Reporter} */
// oxlint-disable-next-line import/no-default-export -- so vitest loads a reporter by its path
export default class OutcomeReporter {
  /** Files that have begun and not ended. The module of a file is made anew when it is loaded.
   * @type {Set<string>} */
  #open = new Set();
  /** Of the files that have ended.
   * @type {ModuleOutcome[]} */
  #outcomes = [];
  #isCut = false;

  /** @param {TestModule} module */
  onTestModuleQueued(module) {
    this.#open.add(module.relativeModuleId);
    this.#write(this.#outcomes, [], false);
  }

  /** @param {TestModule} module */
  onTestModuleEnd(module) {
    this.#open.delete(module.relativeModuleId);
    this.#outcomes.push(outcomeOf(module));
    this.#write(this.#outcomes, [], false);
  }

  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly SerializedError[]} outside
   * @param {import('vitest/node').TestRunEndReason} reason
   */
  onTestRunEnd(modules, outside, reason) {
    this.#open.clear();
    this.#isCut = reason === 'interrupted';
    this.#write(modules.map(outcomeOf), outside, true);
  }

  /**
   * @param {readonly ModuleOutcome[]} outcomes
   * @param {readonly SerializedError[]} outside
   * @param {boolean} hasEnded
   */
  #write(outcomes, outside, hasEnded) {
    const file = process.env['REDLATCH_VITEST_OUTCOME'];
    if (file === undefined) {
      throw new Error('REDLATCH_VITEST_OUTCOME must name the file for the outcome');
    }
    const failures = outcomes.flatMap((each) => each.failures);
    /** @type {VitestOutcome} */
    const outcome = {
      passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
      skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
      failures: [...failures, ...outside.map((error) => outsideFailure(error, failures))],
      unfinished: [...this.#open],
      hasEnded,
      isCut: this.#isCut,
    };
    writeFileSync(file, JSON.stringify(outcome));
  }
}
