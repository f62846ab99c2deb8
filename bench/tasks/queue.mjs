// @ts-check
// Tasks that stand in the queue of a fair lock all the time.
import { createClient } from '../../dist/index.js';

/**
 * @typedef {object} QueueOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {string} name
 * @property {number} waiters
 *
 * @typedef {{ grants: number }} QueueRound since the start
 */

/**
 * @param {QueueOptions} options
 * @returns {Promise<{ round(): Promise<QueueRound> }>}
 */
export async function queue({ url, keyPrefix, name, waiters }) {
  const client = createClient({ redis: url, keyPrefix });
  const lock = client.getFairLock(name);
  let grants = 0;
  const repeat = async () => {
    for (;;) {
      const hold = await lock.acquire();
      grants += 1;
      await hold.release();
    }
  };
  await lock.isLocked();
  for (let i = 0; i < waiters; i++) {
    repeat().catch((error) => {
      console.error(error);
      process.exit(1);
    });
  }
  return { round: () => Promise.resolve({ grants }) };
}
