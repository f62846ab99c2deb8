// A lock: at most one holder at a time, over all processes that share the name.

import { createClient } from 'redlatch';

const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
const lock = client.getLock('example:invoice:42');

// Waits, runs the task, releases. The lease is renewed, and expires if this process dies.
const total = await lock.using(async (hold) => {
  console.log('held:', hold.isHeld);
  return await lock.using((inner) => `depth ${inner.depth}`); // re-entry
});
console.log('result:', total);

// Somebody else has it: null, not an error.
const mine = await lock.tryAcquire();
const second = await lock.tryAcquire();
console.log('second attempt:', second);

await mine?.release();
console.log('still locked:', await lock.isLocked());

await client.close();
