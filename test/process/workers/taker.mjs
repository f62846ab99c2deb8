// @ts-check
// Takes one permit of a semaphore over and over in several tasks, until told to stop.
//
//   node taker.mjs URL NAME TASKS

import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { Gauge } from './gauge.mjs';
import { random } from './random.mjs';

const [, , url = '', name = '', tasks = ''] = process.argv;
const client = createClient({ redis: url });
const store = new Redis(url);
const gauge = new Gauge(store, `${name}:gauge`);
const semaphore = client.getSemaphore(name);
const own = { isStopped: false };

async function take() {
  await gauge.enter('shared');
  await delay(10 + random() * 10);
  await gauge.leave('shared');
}

async function takeOverAndOver() {
  while (!own.isStopped) {
    await semaphore.using(take);
  }
}

process.on('message', (/** @type {{ type: string }} */ { type }) => {
  if (type === 'stop') {
    own.isStopped = true;
    return;
  }
  void Promise.all(Array.from({ length: Number(tasks) }, takeOverAndOver)).then(async () => {
    await client.close();
    await store.quit();
    process.send?.({ type: 'done' });
    process.disconnect();
  });
});
await store.ping();
process.send?.({ type: 'ready' });
