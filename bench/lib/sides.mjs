// @ts-check
// Our side and the bare one, each in a process of its own, in short rounds by turns.
import { BenchWorker } from './bench-worker.mjs';
import { interleave } from './stats.mjs';

/** @typedef {import('../tasks/cycles.mjs').CyclesOptions} CyclesOptions */
/** @typedef {import('../tasks/cycles.mjs').CyclesRound} CyclesRound */

/**
 * @param {Omit<CyclesOptions, 'side'>} options
 * @param {object} amount
 * @param {number} amount.pairs pairs of processes: two runs of one program differ by some percent
 * @param {number} amount.warmUps rounds of each process until its code is the optimised one
 * @param {number} amount.quads measured quads of each pair
 * @returns {Promise<import('./stats.mjs').Quad<CyclesRound>[]>}
 */
export async function compareSides(options, { pairs, warmUps, quads }) {
  const measured = [];
  for (let pair = 1; pair <= pairs; pair++) {
    process.stderr.write(`  ${options.kind}, pair ${pair} of ${pairs}\n`);
    /** @type {BenchWorker<CyclesRound>} */
    const ours = await BenchWorker.start('cycles', { ...options, side: 'ours' });
    /** @type {BenchWorker<CyclesRound>} */
    const bare = await BenchWorker.start('cycles', { ...options, side: 'bare' });
    await interleave(ours, bare, warmUps / 2);
    measured.push(...(await interleave(ours, bare, quads)));
    ours.end();
    bare.end();
  }
  return measured;
}
