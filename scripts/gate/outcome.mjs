// @ts-check
// What came of a check of the gate, and how checks that run vitest or a script say so.

import { stripVTControlCharacters } from 'node:util';
import { run } from '../lib/run.mjs';
import { runVitest } from '../lib/vitest.mjs';

/**
 * @typedef {{ name: string, reason: string }} Missing what could not be fetched, or is not on this machine
 *
 * @typedef {object} Again how what has failed is run again, alone
 * @property {'vitest' | 'node'} tool
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 *
 * @typedef {object} Failure
 * @property {string} name
 * @property {string} details
 * @property {string} repeat the command that repeats it
 * @property {boolean} canBeBadLuck whether it may pass when it runs alone, and the commit be good
 * @property {boolean} [isTest] one of the tests that are counted; not a hook, or a file as a whole
 * @property {boolean} [isLeft] only what an earlier failure of its file has left
 * @property {Again} [again] none for what belongs to no file
 *
 * @typedef {object} Outcome
 * @property {string} name of the check
 * @property {number} passed
 * @property {number} skipped
 * @property {number} ms
 * @property {Failure[]} failures
 * @property {Missing[]} missing
 */

/** Without a server and without real time: what fails here fails again. Left out are the comparison of the server in
 * virtual time with a real one, and files that wait for the garbage collector or a process. */
export const IN_VIRTUAL_TIME =
  /^test\/(?:unit\/(?!leaks|generate-scripts)|mutants\/|types\/(?!examples)|simulation\/(?!differential))/;

/** With so many tests that have failed the answer is known; what is left would wait for what does not come. */
const FAILURES_MAX = 30;

/** Of a script that has failed: from its first failure on. */
const SCRIPT_LINES = 40;

/**
 * @param {string} name
 * @param {number} startedAt
 * @param {Partial<Outcome>} [what]
 * @returns {Outcome}
 */
export const outcomeSince = (name, startedAt, what) => ({
  name,
  passed: 0,
  skipped: 0,
  ms: performance.now() - startedAt,
  failures: [],
  missing: [],
  ...what,
});

/**
 * What a program prints of its failure; some print first what has passed, and tables in which "error" is a word.
 *
 * @param {string} output
 */
export function fromFailure(output) {
  const text = stripVTControlCharacters(output);
  // The linter draws a cross before each of its errors, and counts them below.
  const marks = [/^.*\b(?:FAIL|FAILED|MISSED)\b/mu, /^ +[x×] \S+\(/mu, /^.*rror\b/mu];
  const at = marks.map((mark) => text.search(mark)).find((place) => place !== -1);
  return text.slice(at);
}

/** @param {NodeJS.ProcessEnv} env */
const assignments = (env) =>
  Object.entries(env)
    .filter(([name]) => name !== 'REDLATCH_TEST_COMPILED')
    .map(([name, value]) => `${name}=${value} `)
    .join('');

/**
 * @param {import('../lib/vitest.mjs').ReportedFailure} reported
 * @param {{ args: string[], env: NodeJS.ProcessEnv, command: string }} how
 * @returns {Failure}
 */
export function failureOf(
  { file, test, details, isTest, isFinal, isLeft },
  { args, env, command },
) {
  /** @type {Again} */
  const again = { tool: 'vitest', args: [...args, file], env };
  return {
    name: [file || 'outside of all files', test].filter(Boolean).join(': '),
    details,
    repeat: `${assignments(env)}${command} ${file}`.trimEnd(),
    canBeBadLuck: file !== '' && !isFinal && !IN_VIRTUAL_TIME.test(file),
    isTest,
    isLeft,
    ...(file === '' ? {} : { again }),
  };
}

/**
 * A check that runs files of tests.
 *
 * @param {string} name
 * @param {object} what
 * @param {string[]} what.files for vitest: files, folders, options that choose some
 * @param {string[]} [what.args] for vitest, also when a file is run alone
 * @param {NodeJS.ProcessEnv} [what.env]
 * @param {string} [what.command] that repeats a file of it
 * @param {number} what.timeoutMs
 * @param {boolean} [what.show] live output
 * @param {number} [what.failuresMax] with so many no other test begins; 0: there is no limit
 * @returns {Promise<Outcome>}
 */
export async function vitestOutcome(
  name,
  {
    files,
    args = [],
    env = {},
    command = 'npm test --',
    timeoutMs,
    show = true,
    failuresMax = FAILURES_MAX,
  },
) {
  const { passed, skipped, ms, failures } = await runVitest([...args, ...files], {
    env,
    timeoutMs,
    show,
    failuresMax,
  });
  const how = { args, env, command };
  return {
    name,
    passed,
    skipped,
    ms,
    failures: failures.map((failure) => failureOf(failure, how)),
    missing: [],
  };
}

/**
 * A check of a script, which counts as one: its exit code says whether it has passed.
 *
 * @param {string} name
 * @param {string[]} args for Node.js
 * @param {object} options
 * @param {string} [options.command] that repeats it, before the arguments of the script: one that builds before it
 * @param {number} options.timeoutMs
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {boolean} [options.yields] beside others, and without live output
 * @returns {Promise<Outcome>}
 */
export async function scriptOutcome(
  name,
  args,
  { command = `node ${args[0] ?? ''}`, timeoutMs, env = {}, yields = false },
) {
  const startedAt = performance.now();
  const options = { show: !yields, timeoutMs, env, yields };
  const { code, timedOut, output } = await run(process.execPath, args, options);
  if (code === 0) {
    return outcomeSince(name, startedAt, { passed: 1 });
  }
  const how = timedOut ? `not done after ${timeoutMs} ms` : `exit code ${code}`;
  const lines = fromFailure(output).trimEnd().split('\n').slice(0, SCRIPT_LINES);
  const details = [how, ...lines].join('\n');
  /** @type {Failure} */
  const failure = {
    name,
    details,
    repeat: [`${assignments(env)}${command}`, ...args.slice(1)].join(' '),
    canBeBadLuck: false,
    again: { tool: 'node', args, env },
  };
  return outcomeSince(name, startedAt, { failures: [failure] });
}

/**
 * Runs a check; an error of its own is a failure like any other.
 *
 * @param {string} name
 * @param {string} repeat the command that repeats it
 * @param {() => Promise<Outcome>} check
 * @returns {Promise<Outcome>}
 */
export async function outcomeOf(name, repeat, check) {
  const startedAt = performance.now();
  try {
    return await check();
  } catch (error) {
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const failure = { name, details, repeat, canBeBadLuck: false };
    return outcomeSince(name, startedAt, { failures: [failure] });
  }
}

/**
 * Runs again, alone, what has failed.
 *
 * @param {Again} again
 * @param {{ timeoutMs: number, show?: boolean }} options
 * @returns {Promise<'passed' | 'failed' | 'cut off'>}
 */
export async function runAlone({ tool, args, env }, { timeoutMs, show = true }) {
  const options = { env, timeoutMs, show };
  if (tool === 'node') {
    const { code, timedOut } = await run(process.execPath, args, options);
    return timedOut ? 'cut off' : code === 0 ? 'passed' : 'failed';
  }
  const { passed, failures, timedOut } = await runVitest(args, options);
  return timedOut ? 'cut off' : passed > 0 && failures.length === 0 ? 'passed' : 'failed';
}
