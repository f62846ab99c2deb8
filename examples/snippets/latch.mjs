// A latch: many wait until others have counted it down to zero.

import { createClient } from 'redlatch';

const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
const loaded = client.getCountDownLatch('example:parts-loaded');

await loaded.trySetCount(3, { ttlMs: 60_000 }); // no effect if it is already set

const waiting = loaded.wait({ waitMs: 10_000 });
for (const part of ['customers', 'orders', 'prices']) {
  console.log('loaded:', part);
  await loaded.countDown();
}
console.log('all loaded:', await waiting);

await client.close();
