// From redlock, line by line. Each comment shows what the line below it takes the place of.
// Not all is the same: see docs/migrating.md.

import { randomUUID } from 'node:crypto';
// import Redlock from 'redlock';
import { createClient } from 'redlatch';

const id = randomUUID();

// const redlock = new Redlock([redis], { retryCount: 10, retryDelay: 200 });
const client = createClient();

// redlock.on('error', (error) => console.error(error.message));
client.on('error', ({ error }) => console.error(error.message));

// await redlock.using([`orders:${id}`], 5000, async (signal) => {
await client.getLock(`orders:${id}`).using({ waitMs: 2_000 }, async (hold) => {
  // if (signal.aborted) { throw signal.error; }
  hold.assertHeld();
  console.log('inside, renewed until the task is over:', hold.isHeld);
});

// const lock = await redlock.acquire([`orders:${id}`], 5000);
const hold = await client.getLock(`orders:${id}`).acquire({ leaseMs: 5_000, waitMs: 2_000 });

// await lock.extend(5000);
await hold.extend(5_000);
console.log('left of the lease, more than 4 s:', hold.remainingMs > 4_000);

// try { await redlock.acquire(..., { retryCount: 0 }) } catch (error) { if (error instanceof ExecutionError) ... }
const second = await client.getLock(`orders:${id}`).tryAcquire();
console.log('somebody else has it:', second);

// await lock.release();
await hold.release();

// await redlock.acquire([`orders:${id}`, `stock:${id}`], 5000);
await client.getLock(`orders:${id}`).using(async () => {
  await client.getLock(`stock:${id}`).using(async () => {
    console.log('both, in the same order everywhere');
  });
});

// await redlock.quit();
await client.close();
