// @ts-check
// Reads with several readers when told to; each stays inside until so many are inside at once.
//
//   node readers.mjs URL NAME LEASE_MS

import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { Gauge } from './gauge.mjs';

const [, , url = '', name = '', lease = ''] = process.argv;
const client = createClient({ redis: url, leaseMs: Number(lease) });
const store = new Redis(url);
const { readLock } = client.getReadWriteLock(name);

/**
 * @param {Gauge} gauge
 * @param {number} crowd
 */
async function read(gauge, crowd) {
  await readLock.using(async (hold) => {
    await gauge.enter('shared');
    await gauge.until(({ peak }) => peak >= crowd);
    hold.assertHeld();
    await gauge.leave('shared');
  });
}

process.on(
  'message',
  (/** @type {{ readers: number, gauge: string, crowd: number }} */ { readers, ...of }) => {
    const gauge = new Gauge(store, of.gauge);
    const reading = Array.from({ length: readers }, async () => await read(gauge, of.crowd));
    void Promise.all(reading).then(() => process.send?.({ type: 'read' }));
  },
);
await store.ping();
process.send?.({ type: 'ready', clientId: client.id });
