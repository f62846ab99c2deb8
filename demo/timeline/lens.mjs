// @ts-check
// Which few milliseconds of an act are worth a closer look.
import { runsOf } from '../checks/runs.mjs';
import { earlier, ms, msBetween, ofType, percentile } from '../events.mjs';
import { handOvers } from './spans.mjs';
import { showMs } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {{ from: bigint, to: bigint, caption: string }} Lens */

/** About sixteen turns in the middle of the sprint. @param {Stage} stage @returns {Lens} */
export function amidSprint({ turns, events, gunAt }) {
  const ends = ofType(events, 'sprinted').map((event) => event.at);
  const end = ends.reduce(earlier, ends[0] ?? gunAt);
  const sprint = turns.filter((turn) => turn.held !== undefined && turn.held < end);
  const cycle = msBetween(gunAt, end) / Math.max(1, sprint.length);
  const middle = gunAt + (end - gunAt) / 2n;
  const gap = percentile(handOvers(sprint), 0.5);
  return around(middle, {
    beforeMs: cycle * 8,
    afterMs: cycle * 8,
    caption: `${showMs(cycle * 16)} ms of the sprint: from a release to the next worker’s hold, ${showMs(gap)} ms (median)`,
  });
}

/** Some runs in the middle of the sprint, and how often the lock went to another process. @param {Stage} stage @returns {Lens} */
export function amidRuns(stage) {
  const { events, gunAt } = stage;
  const ends = ofType(events, 'sprinted').map((event) => event.at);
  const end = ends.reduce(earlier, ends[0] ?? gunAt);
  const sprint = runsOf(stage).filter(([first]) => first !== undefined && first.held < end);
  const middle = sprint[Math.floor(sprint.length / 2)]?.[0]?.held ?? gunAt;
  const turns = sprint.reduce((sum, run) => sum + run.length, 0);
  const gaps = sprint.flatMap(handOvers);
  const runMs = msBetween(gunAt, end) / Math.max(1, sprint.length);
  return around(middle, {
    beforeMs: runMs * 2.5,
    afterMs: runMs * 2.5,
    caption:
      `${showMs(runMs * 5)} ms of the sprint: ${(turns / Math.max(1, sprint.length)).toFixed(1)} turns a run; ` +
      `inside a run from one worker to the next ${showMs(percentile(gaps, 0.5))} ms (median)`,
  });
}

/**
 * @param {bigint} at
 * @param {{ beforeMs: number, afterMs: number, caption: string }} frame
 * @returns {Lens}
 */
export const around = (at, { beforeMs, afterMs, caption }) => ({
  from: at - ms(Math.max(1, beforeMs)),
  to: at + ms(Math.max(1, afterMs)),
  caption,
});

/**
 * @param {bigint} from
 * @param {bigint} to
 * @param {{ marginMs: number, caption: string }} frame
 * @returns {Lens}
 */
export const between = (from, to, { marginMs, caption }) => ({
  from: from - ms(marginMs),
  to: to + ms(marginMs),
  caption,
});
