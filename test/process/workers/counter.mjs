// @ts-check
// Waits for the start latch, increments a counter by reading and writing it under a lock, and
// counts the finish latch down.
//
//   node counter.mjs URL NAME TIMES

import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';

const [, , url = '', name = '', times = '0'] = process.argv;
const client = createClient({ redis: url });
const store = new Redis(url);
const lock = client.getFencedLock(`${name}:lock`);
/** @type {string[]} */
const tokens = [];

process.send?.({ type: 'ready' });
await client.getCountDownLatch(`${name}:start`).wait();
for (let i = 0; i < Number(times); i += 1) {
  await lock.using(async (hold) => {
    const count = Number(await store.get(`${name}:counter`));
    tokens.push(String(hold.fencingToken));
    await store.set(`${name}:counter`, String(count + 1));
  });
}
await client.getCountDownLatch(`${name}:finish`).countDown();
process.send?.({ type: 'done', tokens });
await store.quit();
