// @ts-check
// Our side and the bare one, each in a process of its own: they warm up together, and then run short
// rounds by turns.
import { BenchWorker } from './bench-worker.mjs';
import { interleave } from './stats.mjs';

/** @typedef {import('../tasks/cycles.mjs').CyclesOptions} CyclesOptions */
/** @typedef {import('../tasks/cycles.mjs').CyclesRound} CyclesRound */

/**
 * @param {CyclesOptions} options
 * @returns {Promise<BenchWorker<CyclesRound>>}
 */
async function start(options) {
  return await BenchWorker.start('cycles', options);
}

/**
 * @param {Omit<CyclesOptions, 'side'>} options
 * @param {object} amount
 * @param {number} amount.pairs pairs of processes: two runs of one program differ by some percent
 * @param {number} amount.quads measured quads of each pair
 * @returns {Promise<import('./stats.mjs').Quad<CyclesRound>[]>}
 */
export async function compareSides(options, { pairs, quads }) {
  const measured = [];
  for (let pair = 1; pair <= pairs; pair++) {
    process.stderr.write(`  ${options.kind}, pair ${pair} of ${pairs}\n`);
    const [ours, bare] = await Promise.all([
      start({ ...options, side: 'ours' }),
      start({ ...options, side: 'bare' }),
    ]);
    measured.push(...(await interleave(ours, bare, quads)));
    ours.end();
    bare.end();
  }
  return measured;
}
