// @ts-check
// Judges what came of the checks. Failures have two sorts. A broken promise, and whatever is in virtual time or
// static, is a failure at first sight. The file of any other failure runs again, alone, twice; when it passes
// both times, its failures are flaky: a third result, which counts as passed and is named.

import { runAlone } from './outcome.mjs';

/**
 * @typedef {import('./outcome.mjs').Outcome} Outcome
 * @typedef {import('./outcome.mjs').Failure} Failure
 * @typedef {import('./outcome.mjs').Again} Again
 *
 * @typedef {object} Verdict
 * @property {Outcome[]} outcomes those that were judged; a flaky test counts as passed
 * @property {Failure[]} failures of all of them
 * @property {Failure[]} flaky
 * @property {string} [note] why failures that might be flaky were not run again, or are failures all the same
 * @property {number} againMs what running again took
 *
 * @typedef {{ files: number, flaky: number, ms: number }} Limits
 */

/** @type {Limits} `files`: with failures in more, nothing is run again; `ms` for all that is run again. */
export const LIMITS = { files: 6, flaky: 4, ms: 180_000 };

/** @param {Again} again */
const keyOf = ({ args, env }) => JSON.stringify([args, env]);

/** How a failure that can be bad luck is run again.
 * @param {Failure} failure */
const suspectOf = ({ canBeBadLuck, again }) => (canBeBadLuck ? again : undefined);

/**
 * The files that pass twice, alone.
 *
 * @param {Map<string, Again>} files
 * @param {number} limitMs
 * @param {boolean} show
 * @returns {Promise<{ passed: Set<string>, cutOff: number }>} `cutOff`: for how many the time was too short
 */
async function passTwice(files, limitMs, show) {
  const endsAt = performance.now() + limitMs;
  /** @type {Set<string>} */
  const passed = new Set();
  let cutOff = 0;
  for (const [key, again] of files) {
    /** @type {string[]} */
    const results = [];
    while (results.length < 2 && !results.some((result) => result !== 'passed')) {
      const leftMs = Math.round(endsAt - performance.now());
      if (show) {
        console.log(`\nrun again, alone, ${results.length + 1} of 2: ${again.args.join(' ')}`);
      }
      const isOver = leftMs <= 0;
      results.push(isOver ? 'cut off' : await runAlone(again, { timeoutMs: leftMs, show }));
    }
    if (!results.some((result) => result !== 'passed')) {
      passed.add(key);
    }
    cutOff += results.includes('cut off') ? 1 : 0;
  }
  return { passed, cutOff };
}

/**
 * @param {Failure[]} failures
 * @param {Map<string, Again>} files
 * @param {Limits} limits
 * @returns {string | undefined} why nothing is run again
 */
function whyNotAgain(failures, files, limits) {
  const final = failures.filter((failure) => suspectOf(failure) === undefined);
  if (final.length > 0 && files.size > 0) {
    return `nothing was run again: ${final.length} failures cannot be bad luck`;
  }
  return files.size > limits.files
    ? `nothing was run again: tests failed in ${files.size} files, more than ${limits.files}`
    : undefined;
}

/**
 * @param {Outcome[]} outcomes
 * @param {{ limits?: Limits, show?: boolean }} [options] `show`: live output of what runs again
 * @returns {Promise<Verdict>}
 */
export async function judge(outcomes, { limits = LIMITS, show = true } = {}) {
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  const suspects = failures.flatMap((failure) => suspectOf(failure) ?? []);
  const files = new Map(suspects.map((again) => [keyOf(again), again]));
  const note = whyNotAgain(failures, files, limits);
  if (note !== undefined || files.size === 0) {
    return { outcomes, failures, flaky: [], againMs: 0, ...(note === undefined ? {} : { note }) };
  }
  const startedAt = performance.now();
  const { passed, cutOff } = await passTwice(files, limits.ms, show);
  const againMs = performance.now() - startedAt;
  const isFlaky = (/** @type {Failure} */ failure) => {
    const again = suspectOf(failure);
    return again !== undefined && passed.has(keyOf(again));
  };
  const flaky = failures.filter(isFlaky);
  const tests = flaky.filter(({ isTest, isLeft }) => isTest === true && isLeft !== true).length;
  if (tests > limits.flaky) {
    const tooMany = `${tests} flaky tests, more than ${limits.flaky}, are failures`;
    return { outcomes, failures, flaky: [], againMs, note: tooMany };
  }
  const judged = outcomes.map((outcome) => {
    const left = outcome.failures.filter((failure) => !isFlaky(failure));
    const forgiven = outcome.failures.filter(
      (failure) => isFlaky(failure) && failure.isTest === true,
    );
    return { ...outcome, passed: outcome.passed + forgiven.length, failures: left };
  });
  const all = {
    outcomes: judged,
    failures: judged.flatMap((each) => each.failures),
    flaky,
    againMs,
  };
  return cutOff === 0
    ? all
    : { ...all, note: `the time to run files again was over before ${cutOff} of them had passed` };
}

/**
 * Without running anything again: for a few chosen tests, and for who wants every failure to count.
 *
 * @param {Outcome[]} outcomes
 * @returns {Verdict}
 */
export function judgeStrictly(outcomes) {
  return {
    outcomes,
    failures: outcomes.flatMap(({ failures }) => failures),
    flaky: [],
    againMs: 0,
  };
}
