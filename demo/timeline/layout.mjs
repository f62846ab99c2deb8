// @ts-check
// Where things are on an act's drawing.
import { msBetween } from '../events.mjs';

export const WIDTH = 1180;
export const PLOT = { left: 92, right: WIDTH - 14 };
export const RESOURCE = { height: 26, gap: 14 };
export const LANE = { pitch: 33, bar: 19, wait: 5 };

/**
 * A span of time laid out on the page.
 * @typedef {object} Scale
 * @property {bigint} from
 * @property {bigint} to
 * @property {bigint} zero the shot of the start gun
 * @property {number} top
 * @property {(at: bigint) => number} x
 * @property {(worker: number) => number} laneY middle of a worker's lane
 * @property {number} resourceY middle of the lock's lane
 * @property {number} bottom
 */

/**
 * @param {{ from: bigint, to: bigint, zero: bigint, top: number, workers: number }} frame
 * @returns {Scale}
 */
export function scaleOf({ from, to, zero, top, workers }) {
  const perMs = (PLOT.right - PLOT.left) / msBetween(from, to);
  const resourceY = top + RESOURCE.height / 2;
  const lanesTop = top + RESOURCE.height + RESOURCE.gap;
  return {
    from,
    to,
    zero,
    top,
    resourceY,
    x: (at) => PLOT.left + msBetween(from, at) * perMs,
    laneY: (worker) => lanesTop + (worker - 0.5) * LANE.pitch,
    bottom: lanesTop + workers * LANE.pitch,
  };
}
