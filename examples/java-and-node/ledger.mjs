// The Node half of a pair: src/main/java/example/Ledger.java is the other. Both book entries on one
// balance, which each reads and writes under a fair lock that they share. No entry is lost.
//
// In one terminal, with a JDK (17 or later) and Maven:
//   mvn --quiet --file examples/java-and-node compile exec:java
// in another:
//   node examples/java-and-node/ledger.mjs

import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const ENTRIES = 200;

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const read = async () => Number(await redis.get('example:ledger:balance'));

const lock = client.getFairLock('example:ledger:lock');
const start = client.getCountDownLatch('example:ledger:start');
const done = client.getCountDownLatch('example:ledger:done');

const opening = await read();
await done.trySetCount(2);
await start.trySetCount(2); // whoever is first sets it
await start.countDown();
await start.wait();

for (let i = 0; i < ENTRIES; i += 1) {
  await lock.using(async () => {
    await redis.set('example:ledger:balance', (await read()) + 1);
  });
}

await done.countDown();
await done.wait();
console.log('booked by Node:', ENTRIES);
console.log('booked together:', (await read()) - opening);

await client.close();
redis.disconnect();
