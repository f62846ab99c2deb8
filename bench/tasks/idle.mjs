// @ts-check
// Locks of one process that stay as they are: held, or waited for.
import { locksOfSide } from '../lib/contenders.mjs';

/**
 * @typedef {object} IdleOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {'ours' | import('../lib/peers.mjs').Peer} side
 * @property {'holds' | 'waits'} what `holds`: each of another lock; `waits`: all for one lock, which the
 *   first of them has
 * @property {number} count
 * @property {number} leaseMs
 */

/**
 * @param {IdleOptions} options
 * @returns {{ round(): Promise<{ held: number }> }} the first round ends when all that can be held is
 */
export function idle({ url, keyPrefix, side, what, count, leaseMs }) {
  const locks = locksOfSide({ url, keyPrefix, side, leaseMs });
  const nameOf = (/** @type {number} */ i) => `idle:${side}:${what}:${what === 'holds' ? i : 0}`;
  let held = 0;
  return {
    async round() {
      const all = Array.from({ length: count }, async (_, i) => {
        await locks(nameOf(i))();
        held += 1;
      });
      await (what === 'holds' ? Promise.all(all) : Promise.race(all));
      return { held };
    },
  };
}
