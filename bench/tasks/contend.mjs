// @ts-check
// Tasks that take one lock in turn, as fast as they can.
import { createClient } from '../../dist/index.js';

/**
 * @typedef {object} ContendOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {number} tasks
 * @property {number} ms length of a round
 *
 * @typedef {{ acquisitions: number, seconds: number }} ContendRound
 */

/**
 * @param {ContendOptions} options
 * @returns {Promise<{ round(): Promise<ContendRound> }>}
 */
export async function contend({ url, keyPrefix, tasks, ms }) {
  const client = createClient({ redis: url, keyPrefix });
  const lock = client.getLock('contended');
  await lock.isLocked();
  return {
    async round() {
      let acquisitions = 0;
      const startedAt = performance.now();
      const repeat = async () => {
        while (performance.now() < startedAt + ms) {
          const hold = await lock.acquire();
          acquisitions += 1;
          await hold.release();
        }
      };
      await Promise.all(Array.from({ length: tasks }, repeat));
      return { acquisitions, seconds: (performance.now() - startedAt) / 1_000 };
    },
  };
}
