// A gate for a job queue: two worker processes take ten jobs from a list and start them all, but
// no more than three are at work at the same time.
//
// What is limited here is something that all of them share, such as the connections of a database.
// A semaphore is the cheapest gate for that, but nobody knows who has its permits: those of a worker
// that is killed stay taken until somebody adds them again (`addPermits`). Where workers die,
// worker-pool.mjs is the better example.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const JOBS = 10;
const WORKERS = 2;
const AT_ONCE = 3;
const JOB_MS = 200;

// Every run has a queue and a gate of its own, so that two runs do not meet.
const [queue = `example:job-queue:${randomUUID()}`, role = 'main'] = process.argv.slice(2);
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const gate = client.getSemaphore(`${queue}:gate`, { permits: AT_ONCE }); // whoever is first sets it

/** @param {string} job */
async function work(job) {
  // Stands for the real work, and counts how many are at it.
  const atWork = await redis.incr(`${queue}:at-work`);
  await delay(JOB_MS);
  await redis.multi().decr(`${queue}:at-work`).hset(`${queue}:done`, job, atWork).exec();
}

async function worker() {
  const started = [];
  for (let job = await redis.lpop(queue); job !== null; job = await redis.lpop(queue)) {
    const mine = job;
    started.push(gate.using(() => work(mine), { waitMs: 20_000 }));
  }
  await Promise.all(started);
}

async function main() {
  await redis.rpush(queue, ...Array.from({ length: JOBS }, (_, i) => `job ${i + 1}`));
  const workers = Array.from({ length: WORKERS }, () =>
    fork(fileURLToPath(import.meta.url), [queue, 'worker']),
  );
  await Promise.all(workers.map((each) => once(each, 'exit')));

  const done = Object.values(await redis.hgetall(`${queue}:done`)).map(Number);
  console.log('jobs done:', done.length);
  console.log('most at once:', Math.max(...done));
  console.log('permits left:', await gate.availablePermits());
  await gate.delete();
  await redis.del(`${queue}:done`, `${queue}:at-work`);
}

await (role === 'worker' ? worker() : main());
await client.close();
redis.disconnect();
