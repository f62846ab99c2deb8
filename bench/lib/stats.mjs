// @ts-check
// Medians, and rounds of two sides in turn.
import * as d3 from 'd3-array';

/** NaN where there are no values. @param {number[]} values */
export function median(values) {
  return d3.median(values) ?? Number.NaN;
}

/** @param {number[]} values @param {number} share */
const quantile = (values, share) => d3.quantile(values, share) ?? Number.NaN;

/** @template R @typedef {{ round(): Promise<R> }} Side */

/** @template R @typedef {{ ours: [R, R], bare: [R, R] }} Quad two rounds of each side */

/**
 * Runs rounds as A B B A, so that a drift of the machine hits both sides alike.
 * @template R
 * @param {Side<R>} ours
 * @param {Side<R>} bare
 * @param {number} count
 * @returns {Promise<Quad<R>[]>}
 */
export async function interleave(ours, bare, count) {
  /** @type {Quad<R>[]} */
  const quads = [];
  for (let i = 0; i < count; i++) {
    const first = await ours.round();
    const second = await bare.round();
    const third = await bare.round();
    const fourth = await ours.round();
    quads.push({ ours: [first, fourth], bare: [second, third] });
  }
  return quads;
}

/**
 * @typedef {object} Ratio ours by bare
 * @property {number} median
 * @property {number} low lower quartile
 * @property {number} high upper quartile
 * @property {number} ours median of the figure itself
 * @property {number} bare
 */

/**
 * @template R
 * @param {Quad<R>[]} quads
 * @param {(round: R) => number} figure
 * @returns {Ratio}
 */
export function ratioOf(quads, figure) {
  const sum = (/** @type {[R, R]} */ [one, other]) => figure(one) + figure(other);
  const ratios = quads.map(({ ours, bare }) => sum(ours) / sum(bare));
  const middle = (/** @type {'ours' | 'bare'} */ side) =>
    median(quads.flatMap((quad) => quad[side].map(figure)));
  return {
    median: median(ratios),
    low: quantile(ratios, 0.25),
    high: quantile(ratios, 0.75),
    ours: middle('ours'),
    bare: middle('bare'),
  };
}
