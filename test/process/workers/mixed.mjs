// @ts-check
// Reads and writes in several tasks, as often as told, with short stays of random length.
//
//   node mixed.mjs URL NAME READERS WRITERS ROUNDS

import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { Gauge } from './gauge.mjs';
import { random } from './random.mjs';

const [, , url = '', name = '', ...numbers] = process.argv;
const [readers = 0, writers = 0, rounds = 0] = numbers.map(Number);
const client = createClient({ redis: url });
const store = new Redis(url);
const gauge = new Gauge(store, `${name}:gauge`);
const { readLock, writeLock } = client.getReadWriteLock(name);

/**
 * @param {import('../../../dist/index.js').Lock} lock
 * @param {'shared' | 'alone'} side
 */
async function stay(lock, side) {
  await lock.using(async (hold) => {
    await gauge.enter(side);
    await delay(random() * 4);
    hold.assertHeld();
    await gauge.leave(side);
  });
}

/**
 * @param {number} count
 * @param {() => Promise<void>} act
 */
function tasks(count, act) {
  return Array.from({ length: count }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      await act();
    }
  });
}

process.on('message', () => {
  const all = [
    ...tasks(readers, async () => await stay(readLock, 'shared')),
    ...tasks(writers, async () => await stay(writeLock, 'alone')),
  ];
  void Promise.all(all).then(async () => {
    await client.close();
    await store.quit();
    process.send?.({ type: 'done' });
    process.disconnect();
  });
});
await store.ping();
process.send?.({ type: 'ready' });
