// @ts-check
// Prints a verdict: a table of what each check took, then every failure with the command that repeats it, then
// flaky tests and what was missing. The last line is "N passed, N failed".

import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { BUDGET } from './budget.mjs';

/**
 * @typedef {import('./judge.mjs').Verdict} Verdict
 * @typedef {import('./outcome.mjs').Outcome} Outcome
 * @typedef {import('./outcome.mjs').Failure} Failure
 */

/** All failures together fit in the last lines of the output. */
const LINES_MAX = 44;
const DETAILS_MAX = 10;

/** A check that takes more than so many times its share is named. */
const OVER = 2;

/** @param {number} ms */
const seconds = (ms) => (ms / 1_000).toFixed(1);

/** @param {string} details */
const linesOf = (details) =>
  stripVTControlCharacters(details)
    .split('\n')
    .filter((line) => line.trim() !== '');

/** @param {Verdict} verdict */
function table({ outcomes, againMs }) {
  const rows = new Table({
    head: ['check', 's', 'share', 'passed', 'failed', 'skipped'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, ms, passed, failures, skipped } of outcomes) {
    const counts = [passed, failures.length, skipped];
    rows.push([name, seconds(ms), String(BUDGET[name] ?? ''), ...counts.map(String)]);
  }
  if (againMs > 0) {
    rows.push(['failed files, run again', seconds(againMs), '', '', '', '']);
  }
  return rows.toString();
}

/** @param {Outcome[]} outcomes */
function slowChecks(outcomes) {
  return outcomes.flatMap(({ name, ms }) => {
    const share = BUDGET[name];
    return share !== undefined && ms > share * 1_000 * OVER
      ? [`SLOW ${name}: ${seconds(ms)} s, its share of the budget is ${share} s`]
      : [];
  });
}

/** More than this are shown by the commands that repeat them. */
const NAMED_MAX = 15;

/** What no busy machine excuses comes first: it says most.
 * @param {Failure | undefined} one @param {Failure | undefined} other */
const byBadLuck = (one, other) => Number(one?.canBeBadLuck) - Number(other?.canBeBadLuck);

/** Of each failure its name, its first lines and its command; with many failures fewer lines of each.
 * @param {Failure[]} all */
function shownFailures(all) {
  const failures = all.toSorted(byBadLuck);
  if (failures.length > NAMED_MAX) {
    return failuresByCommand(failures);
  }
  const each = Math.max(0, Math.min(DETAILS_MAX, Math.floor(LINES_MAX / failures.length) - 2));
  return failures.flatMap(({ name, details, repeat }) => [
    `FAILED ${name}`,
    ...linesOf(details)
      .slice(0, each)
      .map((line) => `    ${line.slice(0, 240)}`),
    `  repeat: ${repeat}`,
  ]);
}

/** The commands that repeat them, each with the first of its failures: first those with failures that cannot be bad
 * luck, then those with most.
 * @param {Failure[]} failures those that cannot be bad luck come first */
function failuresByCommand(failures) {
  /** @type {Map<string, Failure[]>} */
  const groups = new Map();
  for (const failure of failures) {
    groups.set(failure.repeat, [...(groups.get(failure.repeat) ?? []), failure]);
  }
  const most = [...groups.values()].toSorted(
    (one, other) => byBadLuck(one[0], other[0]) || other.length - one.length,
  );
  const shown = most.slice(0, NAMED_MAX).flatMap((all) => {
    const more = all.length === 1 ? '' : `, and ${all.length - 1} more`;
    const [first = ''] = linesOf(all[0]?.details ?? '');
    return [
      `FAILED ${all[0]?.name ?? ''}${more}`,
      `    ${first.slice(0, 240)}`,
      `  repeat: ${all[0]?.repeat ?? ''}`,
    ];
  });
  const left = most.length - NAMED_MAX;
  return left > 0 ? [...shown, `and failures of ${left} more commands`] : shown;
}

/**
 * @param {Verdict} verdict
 * @param {number} ms what all of it took
 * @returns {string[]}
 */
export function reportLines(verdict, ms) {
  const { outcomes, failures, flaky, note } = verdict;
  const missing = outcomes.flatMap((outcome) => outcome.missing);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  return [
    '',
    ...table(verdict).split('\n'),
    `in all ${seconds(ms)} s`,
    ...slowChecks(outcomes),
    ...shownFailures(failures),
    ...(note === undefined ? [] : [note]),
    ...flaky.map(({ name, details }) => `FLAKY ${name}: ${linesOf(details)[0] ?? ''}`),
    ...(missing.length === 0
      ? []
      : [
          `skipped: ${missing.length} (${missing
            .map(({ name, reason }) => `${name}: ${reason}`)
            .join('; ')})`,
        ]),
    `${passed} passed, ${failures.length} failed`,
  ];
}

/**
 * @param {Verdict} verdict
 * @param {number} startedAt
 * @returns {boolean} whether the commit is good
 */
export function report(verdict, startedAt) {
  console.log(reportLines(verdict, performance.now() - startedAt).join('\n'));
  return verdict.failures.length === 0 && verdict.outcomes.some(({ passed }) => passed > 0);
}
