// @ts-check
// Readers of one process that all want to read at once.
import { createClient } from '../../dist/index.js';

/**
 * @typedef {object} ReadersOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {number} readers
 *
 * @typedef {{ readers: number }} ReadersRound
 */

/** @param {number} round */
export function lockOfRound(round) {
  return `read:${round}`;
}

/**
 * @param {ReadersOptions} options
 * @returns {Promise<{ round(): Promise<ReadersRound> }>}
 */
export async function readers({ url, keyPrefix, readers: count }) {
  const client = createClient({ redis: url, keyPrefix });
  let round = 0;
  /** @type {import('../../dist/index.js').Hold[]} */
  let holds = [];
  await client.getReadWriteLock(lockOfRound(round)).readLock.isLocked();
  return {
    /** Ends when all are in; they go out again with the next round. */
    async round() {
      await Promise.all(holds.map(async (hold) => await hold.release()));
      const { readLock } = client.getReadWriteLock(lockOfRound(round));
      round += 1;
      holds = await Promise.all(Array.from({ length: count }, () => readLock.acquire()));
      return { readers: holds.length };
    },
  };
}
