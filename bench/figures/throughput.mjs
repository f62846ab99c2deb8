// @ts-check
// A thousand loops of one process, each on a lock of its own: where the client's CPU is the limit.
import { BenchWorker } from '../lib/bench-worker.mjs';
import { ratioRow, us } from '../lib/report.mjs';
import { interleave, ratioOf } from '../lib/stats.mjs';

const LOOPS = 1_000;

/** @param {number} value */
function perSecond(value) {
  return `${(value / 1_000).toFixed(1)}k/s`;
}

/** @type {import('./index.mjs').Figure} */
export const throughput = {
  id: 'throughput',
  title: `${LOOPS} loops on ${LOOPS} locks`,
  async measure({ url, keyPrefix, quick }) {
    const options = { url, keyPrefix, kind: 'lock', loops: LOOPS, ms: quick ? 250 : 400 };
    /** @type {BenchWorker<import('../tasks/cycles.mjs').CyclesRound>} */
    const ours = await BenchWorker.start('cycles', { ...options, side: 'ours' });
    /** @type {typeof ours} */
    const bare = await BenchWorker.start('cycles', { ...options, side: 'bare' });
    const quads = await interleave(ours, bare, quick ? 6 : 20);
    ours.end();
    bare.end();
    const [rate, cpu] = [ratioOf(quads, (r) => r.perSecond), ratioOf(quads, (r) => r.cpuUs)];
    return [
      ratioRow('1,000 loops: throughput', rate, perSecond, { is: '>=', limit: 0.8 }),
      ratioRow('1,000 loops: client CPU per cycle', cpu, us),
    ];
  },
};
