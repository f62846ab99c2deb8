// @ts-check
// Takes one permit of a semaphore of either kind over and over, in several tasks. A list on the server
// has what it did, in the order of all processes: `?ID` before it asks after a rest, `ID` in each turn.
//
//   node sharer.mjs URL ID

import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { random } from './random.mjs';

/**
 * @typedef {object} Sharing
 * @property {string} name of the semaphore
 * @property {boolean} isLeased whether its permits have leases
 * @property {number} tasks how many ask at the same time
 * @property {number} turnMs how long a turn takes on average
 * @property {number} restMs for how long a task does without after its turn; 0: it asks at once
 */

const [, , url = '', id = ''] = process.argv;
const client = createClient({ redis: url });
const store = new Redis(url);
const own = { isStopped: false };

/** @param {Sharing} sharing */
async function share({ name, isLeased, tasks, turnMs, restMs }) {
  const semaphore = isLeased ? client.getPermitExpirableSemaphore(name) : client.getSemaphore(name);
  const takeTurns = async () => {
    while (!own.isStopped) {
      if (restMs > 0) {
        await delay(restMs);
        // Not awaited: it gets there with the request.
        void store.rpush(`${name}:turns`, `?${id}`);
      }
      const permit = await semaphore.acquire();
      await store.rpush(`${name}:turns`, id);
      await delay(turnMs * (0.5 + random()));
      await permit.release();
    }
  };
  await Promise.all(Array.from({ length: tasks }, takeTurns));
}

process.on('message', (/** @type {{ type: string } & Sharing} */ message) => {
  own.isStopped = message.type === 'stop';
  if (!own.isStopped) {
    void share(message).then(() => process.send?.({ type: 'done' }));
  }
});
await store.ping();
process.send?.({ type: 'ready' });
