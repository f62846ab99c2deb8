// A test that needs several processes to race: they all start at the same instant, and the test
// goes on when the last one has finished.
//
// Three latches do it. `ready` counts the runners to the starting line, `start` is the gun, and
// `finish` counts them over the line. What is tested here: does a counter that every runner reads
// and writes back lose an update? Under a lock it must not.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const RUNNERS = 3;
const ROUNDS = 10;
const WAIT = { waitMs: 20_000 };

// Every run has its own race, so that two runs do not meet.
const [race = `example:race:${randomUUID()}`, role = 'referee'] = process.argv.slice(2);
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const ready = client.getCountDownLatch(`${race}:ready`);
const start = client.getCountDownLatch(`${race}:start`);
const finish = client.getCountDownLatch(`${race}:finish`);
const counter = `${race}:counter`;

async function run() {
  await ready.countDown();
  if (!(await start.wait(WAIT))) {
    throw new Error('the gun was never fired');
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await client.getLock(`${race}:lock`).using(async () => {
      const value = Number(await redis.get(counter));
      await redis.set(counter, value + 1, 'EX', 60);
    });
  }
  await finish.countDown();
}

async function referee() {
  // A latch that was never set lets everybody through: set them all before there are runners.
  // The TTL cleans up after a test that dies.
  const ttlMs = 60_000;
  await start.trySetCount(1, { ttlMs });
  await ready.trySetCount(RUNNERS, { ttlMs });
  await finish.trySetCount(RUNNERS, { ttlMs });

  const script = fileURLToPath(import.meta.url);
  for (let runner = 0; runner < RUNNERS; runner += 1) {
    fork(script, [race, 'runner']);
  }
  console.log('at the line:', await ready.wait(WAIT));
  console.log('counted before the gun:', Number(await redis.get(counter)));
  await start.countDown();
  console.log('all finished:', await finish.wait(WAIT));
  console.log(`counter: ${await redis.get(counter)} of ${RUNNERS * ROUNDS}`);
  await redis.del(counter);
}

await (role === 'runner' ? run() : referee());
await client.close();
redis.disconnect();
