// A latch: many wait until a count that others count down has reached zero.

import { createClient } from 'latchkey';

const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
const loaded = client.getCountDownLatch('example:parts-loaded');

await loaded.trySetCount(3, { ttlMs: 60_000 }); // does nothing when somebody has set it before

const waiting = loaded.wait({ waitMs: 10_000 });
for (const part of ['customers', 'orders', 'prices']) {
  console.log('loaded:', part);
  await loaded.countDown();
}
console.log('all loaded:', await waiting);

await client.close();
