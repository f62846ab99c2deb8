// @ts-check
// One waiter for one lock, or whoever has it.
import { locksOfSide } from '../lib/contenders.mjs';

/**
 * @typedef {object} WaitOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {'ours' | import('../lib/peers.mjs').Peer} side
 * @property {string} name
 * @property {number} leaseMs
 *
 * @typedef {{ grantedAt: number }} WaitRound by the clock that all processes share, in ms
 */

/**
 * @param {WaitOptions} options
 * @returns {{ round(): Promise<WaitRound> }} a round ends when the lock is granted
 */
export function wait({ url, keyPrefix, side, name, leaseMs }) {
  const acquire = locksOfSide({ url, keyPrefix, side, leaseMs })(name);
  return {
    async round() {
      await acquire();
      return { grantedAt: Number(process.hrtime.bigint()) / 1e6 };
    },
  };
}
