// @ts-check
// Takes locks of all kinds over and over, each in a task of its own. A list on the server has whose each turn
// was, in the order of all processes.
//
//   node turns.mjs URL HAND_OFF ID

import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';

const [, , url = '', handOff = '', id = ''] = process.argv;
const client = createClient({ redis: url, handOff: handOff === 'strict' ? 'strict' : 'direct' });
// Some are told that they are not seen, which is what they are here for.
client.on('error', () => {});
const store = new Redis(url);
const own = { isStopped: false };

/** @type {Record<string, (name: string) => { using: (task: () => unknown) => Promise<unknown> }>} */
const kinds = {
  lock: (name) => client.getLock(name),
  'fenced-lock': (name) => client.getFencedLock(name),
  'fair-lock': (name) => client.getFairLock(name),
  'write-lock': (name) => client.getReadWriteLock(name).writeLock,
  'multi-lock': (name) => client.getMultiLock([name, `${name}-2`]),
};

/** @param {string} name what the name of each lock begins with */
async function takeTurns(name) {
  const tasks = Object.entries(kinds).map(async ([kind, get]) => {
    const lock = get(`${name}-${kind}`);
    while (!own.isStopped) {
      await lock.using(async () => await store.rpush(`${name}-${kind}:turns`, id));
    }
  });
  await Promise.all(tasks);
}

process.on('message', (/** @type {{ type: string, name: string }} */ { type, name }) => {
  own.isStopped = type === 'stop';
  if (!own.isStopped) {
    void takeTurns(name).then(async () => {
      await client.close();
      store.disconnect();
      process.send?.({ type: 'done' });
    });
  }
});
await store.ping();
process.send?.({ type: 'ready' });
