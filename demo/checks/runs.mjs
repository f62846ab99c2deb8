// @ts-check
// Local runs: turns of one process that follow one another under one holder id, on one lease.
import { msBetween } from '../events.mjs';
import { finding, isClaim } from './finding.mjs';

/** @typedef {import('./finding.mjs').Claim} Claim */
/** @typedef {import('./finding.mjs').Recorded} Recorded */
/** @typedef {import('./finding.mjs').Finding} Finding */

/** What the library promises while others wait: so many turns, begun within so many ms. */
const TURNS_MAX = 64;
const RUN_MS = 6;
/** What a busy machine may add between the grant and the worker that is told of it. */
const SLACK_MS = 250;
/** Runs of more than one turn without which an act would prove nothing. */
const ENOUGH = 20;

/**
 * The turns that were granted, by the leases on which they held, in their order.
 * @param {Pick<Recorded, 'turns'>} stage
 * @returns {Claim[][]}
 */
export function runsOf({ turns }) {
  /** @type {Map<string, Claim[]>} */
  const runs = new Map();
  for (const turn of turns.filter(isClaim)) {
    const holder = turn.holderId ?? `turn ${turn.asked}`;
    const run = runs.get(holder);
    if (run === undefined) {
      runs.set(holder, [turn]);
    } else {
      run.push(turn);
    }
  }
  return [...runs.values()];
}

/** From its first grant to its last one. @param {Claim[]} run */
const lengthMs = (run) => msBetween(run[0]?.held ?? 0n, run.at(-1)?.held ?? 0n);

/**
 * A process that passes the lock on inside itself keeps the others out for no longer than it may, and
 * stays inside itself.
 * @param {Recorded} stage
 * @returns {Finding}
 */
export function runsAreBounded(stage) {
  const runs = runsOf(stage);
  const together = stage.act.together ?? 1;
  const processOf = (/** @type {Claim} */ { worker }) => Math.ceil(worker / together);
  const passing = runs.filter((run) => run.length > 1);
  const longest = Math.max(0, ...runs.map(({ length }) => length));
  const late = passing.filter((run) => lengthMs(run) > RUN_MS + SLACK_MS);
  const strays = passing.filter((run) => new Set(run.map(processOf)).size > 1);
  const passed = passing.reduce((sum, { length }) => sum + length - 1, 0);
  const ok =
    passing.length >= ENOUGH && longest <= TURNS_MAX && late.length === 0 && strays.length === 0;
  return finding(
    ok,
    `${passed} turns without a command, in ${passing.length} runs of one process, of ${longest} turns at most`,
    `${passing.length} runs, the longest of ${longest} turns (at most ${TURNS_MAX}); ${late.length} went on ` +
      `for too long, and ${strays.length} passed to another process`,
  );
}
