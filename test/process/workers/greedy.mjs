// @ts-check
// Reads or writes over and over until told to stop. A reader notes the writers that have a place in
// the line before it asks, and looks, while it reads, whether one of them still waits: who reads
// keeps every writer out, so that one was passed.
//
//   node greedy.mjs URL NAME SIDE TASKS

import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { Gauge } from './gauge.mjs';
import { random } from './random.mjs';

const [, , url = '', name = '', side = '', tasks = ''] = process.argv;
const client = createClient({ redis: url });
const store = new Redis(url);
const gauge = new Gauge(store, `${name}:gauge`);
const { readLock, writeLock } = client.getReadWriteLock(name);
const line = `redlatch_writers:{${name}}`;
const own = { isStopped: false, times: 0, behindWriters: 0, passedWriters: 0, writesWaitedFor: 0 };

async function read() {
  const [tickets, writes] = await Promise.all([
    store.zrange(line, '0', '-1'),
    store.hget(`${name}:gauge`, 'aloneEntries'),
  ]);
  await readLock.using(async (hold) => {
    await gauge.enter('shared');
    const passed = tickets.length === 0 ? [] : await store.zmscore(line, ...tickets);
    const since = await store.hget(`${name}:gauge`, 'aloneEntries');
    own.writesWaitedFor = Math.max(own.writesWaitedFor, Number(since) - Number(writes));
    own.behindWriters += tickets.length > 0 ? 1 : 0;
    // Only while it is sure to read does it know that no writer came in.
    own.passedWriters += hold.isHeld ? passed.filter((rank) => rank !== null).length : 0;
    await delay(random() * 4);
    await gauge.leave('shared');
  });
}

async function write() {
  await writeLock.using(async () => {
    await gauge.enter('alone');
    await gauge.leave('alone');
  });
}

process.on('message', (/** @type {{ type: string }} */ { type }) => {
  if (type === 'stop') {
    own.isStopped = true;
    return;
  }
  const all = Array.from({ length: Number(tasks) }, async () => {
    while (!own.isStopped) {
      await (side === 'read' ? read() : write());
      own.times += 1;
      await store.hset(`${name}:times`, client.id, own.times);
    }
  });
  void Promise.all(all).then(async () => {
    await client.close();
    await store.quit();
    process.send?.({ ...own, type: 'done' });
    process.disconnect();
  });
});
await store.ping();
process.send?.({ type: 'ready' });
