// @ts-check
// Many acquisitions at once, each of a lock of its own that is free: what waiting for a turn costs.
import { ratioRow, us } from '../lib/report.mjs';
import { compareSides } from '../lib/sides.mjs';
import { ratioOf } from '../lib/stats.mjs';

const CALLS = 20_000;

/** @param {number} value */
function perSecond(value) {
  return `${(value / 1_000).toFixed(1)}k/s`;
}

/** @type {import('./index.mjs').Figure} */
export const burst = {
  id: 'burst',
  title: `${CALLS} locks at once`,
  async measure({ url, keyPrefix, quick }) {
    /** @type {Omit<import('../tasks/cycles.mjs').CyclesOptions, 'side'>} */
    const options = {
      url,
      keyPrefix,
      kind: 'lock',
      loops: CALLS,
      warmUps: 2 * CALLS,
      ms: 'once',
    };
    const amount = quick ? { pairs: 1, quads: 2 } : { pairs: 2, quads: 4 };
    const quads = await compareSides(options, amount);
    const [rate, cpu] = [ratioOf(quads, (r) => r.perSecond), ratioOf(quads, (r) => r.cpuUs)];
    return [
      ratioRow('20,000 locks at once: acquired and released', rate, perSecond),
      ratioRow('20,000 locks at once: client CPU for each', cpu, us),
    ];
  },
};
