// @ts-check
// `npm run test:gate`: what `npm test` leaves out of the gate. The last line is "N passed, N failed".
//
//   node scripts/gate.mjs [--list] [--strict] [TEXT]...
//
// TEXT      only the checks whose name has one of these in it
// --list    only says which there are
// --strict  a test that fails is not run again
//
// Checks in which nothing has to be in time run beside the others, and take the CPU that these leave. What has to be
// fetched is fetched beside them, too.

import { parseArgs } from 'node:util';
import { checks } from './gate/checks.mjs';
import { conclude, handOver } from './gate/conclude.mjs';
import { outcomeOf } from './gate/outcome.mjs';
import { stopYielding } from './lib/run.mjs';

/**
 * @typedef {import('./gate/outcome.mjs').Outcome} Outcome
 * @typedef {import('./gate/outcome.mjs').Missing} Missing
 * @typedef {import('./gate/checks.mjs').Check} Check
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
  },
});

/**
 * Begins to fetch what checks need, one after the other.
 *
 * @param {readonly Check[]} chosen
 * @returns {Map<string, Promise<Missing[]>>} by the name of the check
 */
function fetchInTurn(chosen) {
  /** @type {Map<string, Promise<Missing[]>>} */
  const fetches = new Map();
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  for (const { name, fetch } of chosen) {
    if (fetch !== undefined) {
      const fetching = last.then(fetch);
      fetches.set(name, fetching);
      // Its check reports a failure.
      last = fetching.catch(() => undefined);
    }
  }
  return fetches;
}

/** @param {readonly Check[]} chosen @returns {Promise<Outcome[]>} */
async function inTurn(chosen) {
  const fetches = fetchInTurn(chosen);
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const { name, run } of chosen) {
    console.log(`\ncheck: ${name}`);
    const startedAt = performance.now();
    const check = async () => await run((await fetches.get(name)) ?? []);
    const outcome = {
      ...(await outcomeOf(name, `npm run test:gate -- '${name}'`, check)),
      // With the time for which it has waited for its packages.
      ms: performance.now() - startedAt,
    };
    outcomes.push(outcome);
    handOver(outcome);
  }
  return outcomes;
}

/** @param {Outcome} outcome */
const place = ({ name }) => checks.findIndex((check) => check.name === name);

/** @param {readonly Check[]} chosen @returns {Promise<Outcome[]>} in the order of the checks */
async function outcomesOf(chosen) {
  const [rest, first] = await Promise.all([
    inTurn(chosen.filter(({ isBeside }) => isBeside === true)),
    inTurn(chosen.filter(({ isBeside }) => isBeside !== true)).finally(stopYielding),
  ]);
  return [...first, ...rest].toSorted((one, other) => place(one) - place(other));
}

const chosen = checks.filter(
  ({ name }) => positionals.length === 0 || positionals.some((text) => name.includes(text)),
);
if (chosen.length === 0) {
  const known = checks.map(({ name }) => `"${name}"`).join(', ');
  throw new RangeError(`TEXT must be a part of one of ${known}, got "${positionals.join(' ')}"`);
}
if (values.list) {
  console.log(chosen.map(({ name }) => name).join('\n'));
} else {
  const startedAt = performance.now();
  const outcomes = await outcomesOf(chosen);
  process.exitCode = (await conclude(outcomes, { startedAt, isStrict: values.strict })) ? 0 : 1;
}
