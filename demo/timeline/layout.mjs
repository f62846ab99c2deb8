// @ts-check
// Where things are on an act's drawing.
import { msBetween } from '../events.mjs';

export const WIDTH = 1180;
export const PLOT = { left: 100, right: WIDTH - 14 };
const GAP = 14;
/** Of many workers each has a narrower lane. */
const LANE = { pitch: 33, bar: 19, wait: 5 };
const NARROW_LANE = { pitch: 24, bar: 15, wait: 4 };
const MANY = 8;
/** The lane of what is shared: margins, and a row at least. */
const RESOURCE = { margin: 7, bar: 19, row: 9 };

/**
 * A span of time laid out on the page.
 * @typedef {object} Scale
 * @property {bigint} from
 * @property {bigint} to
 * @property {bigint} zero the shot of the start gun
 * @property {number} top
 * @property {(at: bigint) => number} x
 * @property {(worker: number) => number} laneY middle of a worker's lane
 * @property {{ pitch: number, bar: number, wait: number }} lane measures of a worker's lane
 * @property {number} resourceY middle of the lane of what is shared
 * @property {number} resourceBar height of its bars
 * @property {number} resourceHeight
 * @property {number} bottom
 */

/**
 * @param {{ from: bigint, to: bigint, zero: bigint, top: number, workers: number, rows: number }}
 *   frame `rows`: how many hold at once
 * @returns {Scale}
 */
export function scaleOf({ from, to, zero, top, workers, rows }) {
  const perMs = (PLOT.right - PLOT.left) / msBetween(from, to);
  const lane = workers < MANY ? LANE : NARROW_LANE;
  const resourceBar = Math.max(RESOURCE.bar, RESOURCE.row * rows);
  const resourceHeight = resourceBar + RESOURCE.margin;
  const resourceY = top + resourceHeight / 2;
  const lanesTop = top + resourceHeight + GAP;
  return {
    from,
    to,
    zero,
    top,
    lane,
    resourceY,
    resourceBar,
    resourceHeight,
    x: (at) => PLOT.left + msBetween(from, at) * perMs,
    laneY: (worker) => lanesTop + (worker - 0.5) * lane.pitch,
    bottom: lanesTop + workers * lane.pitch,
  };
}
