// @ts-check
// A thousand loops of one process, each on a lock of its own: where the client's CPU is the limit.
import { ratioRow, us } from '../lib/report.mjs';
import { compareSides } from '../lib/sides.mjs';
import { ratioOf } from '../lib/stats.mjs';

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
    /** @type {Omit<import('../tasks/cycles.mjs').CyclesOptions, 'side'>} */
    const options = {
      url,
      keyPrefix,
      kind: 'lock',
      loops: LOOPS,
      warmUps: quick ? 20_000 : 40_000,
      ms: quick ? 150 : 250,
    };
    const amount = quick ? { pairs: 1, quads: 6 } : { pairs: 4, quads: 5 };
    const quads = await compareSides(options, amount);
    const [rate, cpu] = [ratioOf(quads, (r) => r.perSecond), ratioOf(quads, (r) => r.cpuUs)];
    return [
      ratioRow('1,000 loops: throughput', rate, perSecond, { is: '>=', limit: 0.8 }),
      ratioRow('1,000 loops: client CPU per cycle', cpu, us),
    ];
  },
};
