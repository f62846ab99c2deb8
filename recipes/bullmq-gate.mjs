// A gate for BullMQ: whatever the concurrency of each worker is, two jobs at most call the mail service at
// once, over all workers of all machines. The permit of a worker that dies comes back with its lease.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const name = `recipe-mail-${randomUUID()}`;
const connection = new Redis(url, { maxRetriesPerRequest: null }); // as BullMQ wants it
const client = createClient({ redis: url });
const gate = client.getPermitExpirableSemaphore(`${name}:gate`, { permits: 2 });
let [inside, most, sent] = [0, 0, 0];

/** Stands for the call of the mail service, which stops when the permit is lost. */
async function sendMail(signal) {
  inside += 1;
  most = Math.max(most, inside);
  await pause(20, undefined, { signal });
  inside -= 1;
  sent += 1;
}

const work = async () => await gate.using((permit) => sendMail(permit.signal));

const workers = [1, 2].map(() => new Worker(name, work, { connection, concurrency: 5 }));
const queue = new Queue(name, { connection });
const events = new QueueEvents(name, { connection });
await events.waitUntilReady();

const jobs = await queue.addBulk(
  Array.from({ length: 8 }, (_, i) => ({ name: 'mail', data: { i } })),
);
await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
console.log('mails sent:', sent);
console.log('never more than two at once:', most <= 2);

await Promise.all(workers.map((worker) => worker.close()));
await queue.obliterate({ force: true });
await Promise.all([queue.close(), events.close()]);
await gate.delete();
await client.close();
connection.disconnect();
