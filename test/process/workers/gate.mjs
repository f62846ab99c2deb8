// @ts-check
// Passes a gate of so many again and again in several tasks, until all processes together have
// done so often enough. Whoever is in stays until the gate is full, or until nobody is left to
// fill it: a gate that lets fewer in at once is never passed.
//
//   node gate.mjs URL NAME KIND LIMIT TASKS TOTAL

import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { Gauge } from './gauge.mjs';

const [, , url = '', name = '', kind = '', ...numbers] = process.argv;
const [limit = 0, tasks = 0, total = 0] = numbers.map(Number);
const client = createClient({ redis: url });
const store = new Redis(url);
const gauge = new Gauge(store, `${name}:gauge`);
/** @type {{ using(task: () => Promise<void>): Promise<void> }} */
const gate =
  kind === 'semaphore' ? client.getSemaphore(name) : client.getPermitExpirableSemaphore(name);

async function pass() {
  const before = await gauge.enter('shared', limit);
  await gauge.until(({ full, entries }) => full > before || entries === total);
  await gauge.leave('shared');
}

process.on('message', () => {
  const passing = Array.from({ length: tasks }, async () => {
    while ((await store.incr(`${name}:turns`)) <= total) {
      await gate.using(pass);
    }
  });
  void Promise.all(passing).then(async () => {
    await client.close();
    await store.quit();
    process.send?.({ type: 'done' });
    process.disconnect();
  });
});
process.send?.({ type: 'ready' });
