// @ts-check
// Medians, and rounds of two sides in turn.

/**
 * @param {number[]} values not empty
 * @param {number} share 0.5 for the median
 */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** @param {number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

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
