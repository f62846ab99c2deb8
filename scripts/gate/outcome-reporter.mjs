// @ts-check
// A reporter of vitest that writes what came of each test to the file that REDLATCH_VITEST_OUTCOME names:
// failures with the names of their errors, and errors outside of all tests.

import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * @typedef {object} ReportedFailure
 * @property {string} file relative to the root; '' for an error outside of all files
 * @property {string} test '' for what belongs to the file as a whole
 * @property {string} details
 * @property {boolean} isBrokenPromise
 *
 * @typedef {{ passed: number, skipped: number, failures: ReportedFailure[] }} VitestOutcome
 *
 * @typedef {import('vitest/node').TestModule} TestModule
 * @typedef {import('vitest/node').TestSuite} TestSuite
 * @typedef {import('vitest/node').SerializedError} SerializedError
 */

/** An error of a promise that the library makes to its users, or one that is due to such an error.
 * @param {unknown} error
 * @returns {boolean} */
function isBrokenPromise(error) {
  if (typeof error !== 'object' || error === null) {
    return false;
  }
  const { name, cause, errors } =
    /** @type {{ name?: unknown, cause?: unknown, errors?: unknown }} */ (error);
  return (
    name === 'BrokenPromise' ||
    isBrokenPromise(cause) ||
    (Array.isArray(errors) && errors.some(isBrokenPromise))
  );
}

/**
 * The first error of a test decides: those of its hooks may be consequences.
 *
 * @param {string} file
 * @param {string} test
 * @param {readonly SerializedError[]} errors
 * @returns {ReportedFailure}
 */
function failureOf(file, test, errors) {
  const details = errors.map(({ name, message, stack }) =>
    stack !== undefined && stack.includes(message) ? stack : `${name}: ${message}\n${stack ?? ''}`,
  );
  return { file, test, details: details.join('\n'), isBrokenPromise: isBrokenPromise(errors[0]) };
}

/** The tests of a file, and its hooks that have failed.
 * @param {TestModule} module
 * @returns {VitestOutcome} */
function outcomeOf(module) {
  const file = module.relativeModuleId;
  const tests = [...module.children.allTests()];
  const count = (/** @type {string} */ state) =>
    tests.filter((test) => test.result().state === state).length;
  const failures = tests.flatMap((test) => {
    const { state, errors } = test.result();
    return state === 'failed' ? [failureOf(file, test.fullName, errors)] : [];
  });
  // What a test that has failed has left on the server is no news: hooks look for that.
  const isNews = failures.length === 0;
  for (const suite of [module, ...module.children.allSuites()]) {
    const errors = suite.errors();
    if (errors.length > 0) {
      const failure = failureOf(file, suite.type === 'suite' ? suite.fullName : '', errors);
      failures.push({ ...failure, isBrokenPromise: failure.isBrokenPromise && isNews });
    }
  }
  // A file that has failed says so, whatever the reason.
  if (failures.length === 0 && module.state() === 'failed') {
    failures.push(failureOf(file, '', []));
  }
  return { passed: count('passed'), skipped: count('skipped'), failures };
}

/**
 * An error outside of all tests. A test that has failed before its end leaves promises that nobody awaits: what comes of
 * these belongs to its file.
 *
 * @param {SerializedError} error
 * @param {VitestOutcome[]} outcomes
 * @returns {ReportedFailure}
 */
function outsideFailure(error, outcomes) {
  const path = error['VITEST_TEST_PATH'];
  const file = typeof path === 'string' ? relative(process.cwd(), path) : '';
  const isConsequence = outcomes.some(({ failures }) =>
    failures.some((failure) => failure.file === file),
  );
  return failureOf(isConsequence ? file : '', '', [error]);
}

/** @typedef {import('vitest/node').Reporter} Reporter */

/** @implements {Reporter} */
// oxlint-disable-next-line import/no-default-export -- so vitest loads a reporter by its path
export default class OutcomeReporter {
  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly SerializedError[]} outside
   */
  onTestRunEnd(modules, outside) {
    const file = process.env['REDLATCH_VITEST_OUTCOME'];
    if (file === undefined) {
      throw new Error('REDLATCH_VITEST_OUTCOME must name the file for the outcome');
    }
    const outcomes = modules.map(outcomeOf);
    /** @type {VitestOutcome} */
    const outcome = {
      passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
      skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
      failures: [
        ...outcomes.flatMap(({ failures }) => failures),
        ...outside.map((error) => outsideFailure(error, outcomes)),
      ],
    };
    writeFileSync(file, JSON.stringify(outcome));
  }
}
