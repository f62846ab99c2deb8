// Every server has the schedule, and each run is done by one of them.
//
// A lock keeps two servers from working at the same time. That a run was done is written down under the
// lock, by the time for which the run was planned: a server that comes late finds it there. One that dies
// half-way leaves no mark, and the next one takes over when its lease has expired.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Cron } from 'croner';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const prefix = `recipe:cron:${randomUUID()}`;
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const KEEP_SECONDS = 24 * 3600;

/** Calls `work` once for each run of a schedule, however many servers call this. */
function oncePerRun(client, schedule, options, work) {
  let planned;
  const job = new Cron(schedule, { ...options, paused: true, catch: console.error }, async () => {
    const run = planned.toISOString(); // not the time of now: timers are late
    planned = job.nextRun();
    await client.getLock(`${prefix}:lock`).using(async (hold) => {
      if ((await redis.exists(`${prefix}:done:${run}`)) === 1) {
        return;
      }
      await work(run, hold.signal);
      hold.assertHeld();
      await redis.set(`${prefix}:done:${run}`, client.id, 'EX', KEEP_SECONDS);
    });
  });
  planned = job.nextRun();
  job.resume();
  return job;
}

// Three servers, here in one process, for two seconds.
const reports = [];
const servers = [createClient(), createClient(), createClient()];
const jobs = servers.map((client) =>
  oncePerRun(client, '* * * * * *', { protect: true }, async (run) => {
    reports.push(run);
  }),
);
await pause(2_100);
jobs.forEach((job) => job.stop());
while (jobs.some((job) => job.isBusy())) {
  await pause(20);
}

console.log('runs:', reports.length >= 2 ? 'two or more' : reports.length);
console.log('done twice:', reports.length - new Set(reports).size);
await Promise.all(servers.map((client) => client.close()));
redis.disconnect();
