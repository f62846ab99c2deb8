// A pool of two slots for three worker processes. A worker that dies takes no slot with it.
//
// Every worker takes a permit for as long as it works. The permit lives on a lease that is renewed
// while its process lives, so the slot of a killed worker comes back when the lease ends, here
// within two seconds, and whoever waits gets in at that moment. The others notice nothing.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redlatch';

const SLOTS = 2;
const LEASE_MS = 2_000;

// Every run has a pool of its own, so that two runs do not meet.
const [pool = `example:worker-pool:${randomUUID()}`, role = 'main'] = process.argv.slice(2);
const client = createClient({ leaseMs: LEASE_MS }); // REDIS_URL, else redis://127.0.0.1:6379
const slots = client.getPermitExpirableSemaphore(pool);

async function work() {
  await slots.using(
    async (permit) => {
      process.send?.('at work');
      // Stands for the real work, which gives up where it can when `permit.signal` aborts.
      await once(process, 'message', { signal: permit.signal });
      process.send?.(`done, still held: ${permit.isHeld}`);
    },
    { waitMs: 20_000 },
  );
  process.disconnect();
}

function startWorker() {
  return fork(fileURLToPath(import.meta.url), [pool, 'worker']);
}

/** @param {import('node:child_process').ChildProcess} worker */
async function hear(worker) {
  return String((await once(worker, 'message')).at(0));
}

async function main() {
  await slots.trySetPermits(SLOTS, { ttlMs: 3_600_000 });

  const doomed = startWorker();
  const steady = startWorker();
  await Promise.all([hear(doomed), hear(steady)]);
  console.log('slots left for a third worker:', await slots.availablePermits());

  const third = startWorker();
  doomed.kill('SIGKILL');
  console.log('the third worker, after the death of one:', await hear(third));
  console.log('slots taken:', await slots.acquiredPermits());

  for (const [name, worker] of Object.entries({ steady, third })) {
    worker.send('finish');
    console.log(`the ${name} worker: ${await hear(worker)}`);
    await once(worker, 'exit');
  }
  console.log('slots left in the end:', await slots.availablePermits());
  await slots.delete();
}

await (role === 'worker' ? work() : main());
await client.close();
