// Every server has the schedule, and each run is done by one of them.
//
// A lock keeps two servers from working at the same time. That a run was done is written down under the
// lock: a server whose clock is late finds it there. One that dies half-way leaves no mark, and the next
// one takes over when its lease is over.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Cron } from 'croner';
import { Redis } from 'ioredis';
import { createClient } from 'latchkey';

const prefix = `recipe:cron:${randomUUID()}`;
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const KEEP_SECONDS = 24 * 3600;
let reports = 0;

/** Calls `work` once for each run of a schedule, however many servers call this. */
function oncePerRun(client, schedule, options, work) {
  return new Cron(schedule, options, async (job) => {
    const run = job.currentRun().toISOString().slice(0, 19); // of a second: clocks differ by less
    await client.getLock(`${prefix}:lock`).using(async (hold) => {
      if ((await redis.exists(`${prefix}:done:${run}`)) === 1) {
        return;
      }
      await work(hold.signal);
      hold.assertHeld();
      await redis.set(`${prefix}:done:${run}`, client.id, 'EX', KEEP_SECONDS);
    });
  });
}

// Three servers, here in one process; two runs, a second apart.
const servers = [createClient(), createClient(), createClient()];
const jobs = servers.map((client) =>
  oncePerRun(client, '* * * * * *', { maxRuns: 2, protect: true }, async () => {
    reports += 1;
  }),
);
const end = new AbortController();
const watch = setInterval(() => {
  if (
    jobs.every((job) => job.isStopped() || job.nextRun() === null) &&
    !jobs.some((job) => job.isBusy())
  ) {
    end.abort();
  }
}, 20);
await once(end.signal, 'abort');
clearInterval(watch);

const runs = await redis.keys(`${prefix}:done:*`);
console.log('every run was done once:', reports === runs.length && runs.length >= 2);
await Promise.all(servers.map((client) => client.close()));
redis.disconnect();
