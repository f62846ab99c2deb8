// @ts-check
// Tasks that take one object in turn, as fast as they can.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';
import { acquirer, setUp } from '../lib/kinds.mjs';

/**
 * @typedef {object} ContendOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {import('../lib/kinds.mjs').Kind} kind
 * @property {string} name
 * @property {number} permits of a semaphore
 * @property {number} tasks
 * @property {number} holdMs how long each keeps it; 0: it releases at once
 * @property {number} ms length of a round
 *
 * @typedef {{ acquisitions: number, seconds: number }} ContendRound
 */

/**
 * @param {ContendOptions} options
 * @returns {Promise<{ round(): Promise<ContendRound> }>}
 */
export async function contend({ url, keyPrefix, kind, name, permits, tasks, holdMs, ms }) {
  const client = createClient({ redis: url, keyPrefix });
  await setUp(client, kind, name, permits);
  const acquire = acquirer(client, kind, name);
  return {
    async round() {
      let acquisitions = 0;
      const startedAt = performance.now();
      const repeat = async () => {
        while (performance.now() < startedAt + ms) {
          const grant = await acquire();
          acquisitions += 1;
          if (holdMs > 0) {
            await sleep(holdMs);
          }
          await grant.release();
        }
      };
      await Promise.all(Array.from({ length: tasks }, repeat));
      return { acquisitions, seconds: (performance.now() - startedAt) / 1_000 };
    },
  };
}
