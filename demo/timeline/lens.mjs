// @ts-check
// Which few milliseconds of an act are worth a closer look.
import { earlier, msBetween, ofType, percentile } from '../events.mjs';
import { handOvers } from './spans.mjs';
import { showMs } from './svg.mjs';

/** @typedef {import('../stage.mjs').Stage} Stage */
/** @typedef {{ from: bigint, to: bigint, caption: string }} Lens */

/** @param {number} value */
const ms = (value) => BigInt(Math.round(value * 1e6));

/** @param {Stage} stage @returns {Lens} */
export const lensOf = (stage) =>
  stage.act.lens === 'accident' ? aroundReturn(stage) : amidSprint(stage);

/** About sixteen turns in the middle of the sprint. @param {Stage} stage @returns {Lens} */
function amidSprint({ turns, events, gunAt }) {
  const ends = ofType(events, 'sprinted').map((event) => event.at);
  const end = ends.reduce(earlier, ends[0] ?? gunAt);
  const sprint = turns.filter((turn) => turn.held !== undefined && turn.held < end);
  const cycle = msBetween(gunAt, end) / Math.max(1, sprint.length);
  const middle = gunAt + (end - gunAt) / 2n;
  const gap = percentile(handOvers(sprint), 0.5);
  const half = ms(cycle * 8);
  return {
    from: middle - half,
    to: middle + half,
    caption: `${showMs(cycle * 16)} ms of the sprint: from a release to the next worker’s hold, ${showMs(gap)} ms (median)`,
  };
}

/** The return of the worker that was frozen. @param {Stage} stage @returns {Lens} */
function aroundReturn({ events, gunAt }) {
  const at = ofType(events, 'resumed')[0]?.at ?? gunAt;
  return {
    from: at - ms(75),
    to: at + ms(105),
    caption: 'the return: it wakes, its hold is lost, its write comes too late',
  };
}
