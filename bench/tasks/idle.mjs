// @ts-check
// Locks of one process that stay as they are: held, or waited for.
import { createClient } from '../../dist/index.js';
import { locksOf } from '../lib/peers.mjs';

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
  /** @type {(name: string) => Promise<unknown>} */
  let acquire;
  if (side === 'ours') {
    const client = createClient({ redis: url, keyPrefix, leaseMs, commandTimeoutMs: 60_000 });
    acquire = (name) => client.getLock(name).acquire();
  } else {
    const locks = locksOf(side, url, leaseMs);
    acquire = (name) => locks(keyPrefix + name)();
  }
  const nameOf = (/** @type {number} */ i) => `idle:${side}:${what}:${what === 'holds' ? i : 0}`;
  let held = 0;
  return {
    async round() {
      const all = Array.from({ length: count }, async (_, i) => {
        await acquire(nameOf(i));
        held += 1;
      });
      await (what === 'holds' ? Promise.all(all) : Promise.race(all));
      return { held };
    },
  };
}
