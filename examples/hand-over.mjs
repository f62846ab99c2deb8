// A web request starts a job, and a worker in another process ends it. The account stays locked all the way: the
// request detaches its hold, the job carries the string, and the worker adopts the hold, under the same fencing
// token.
//
// The string is a secret. Anybody who has it, and may use the lock, can adopt the hold, once: give it to the worker
// and to nobody else, and do not log it.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient } from 'redlatch';

/** The lock waits for a worker for so long; then it is free. */
const PICKED_UP_WITHIN_MS = 60_000;

const client = createClient();

async function request() {
  const account = client.getFencedLock(`example:account:${randomUUID()}`);
  const hold = await account.acquire({ waitMs: 5_000 });
  console.log('the request holds the account:', hold.isHeld);
  // As the last step: from here on the hold is the job's.
  const job = { detached: await hold.detach({ leaseMs: PICKED_UP_WITHIN_MS }) };
  console.log('the request is done with it:', hold.state);

  const worker = fork(fileURLToPath(import.meta.url), ['worker']);
  worker.send(job);
  const token = String((await once(worker, 'message')).at(0));
  console.log('the worker held it, under the same token:', token === `${hold.fencingToken}`);
  await once(worker, 'exit');
  console.log('free again:', !(await account.isLocked()));
  const again = await client.adopt(job.detached).catch((/** @type {Error} */ error) => error.name);
  console.log('the string is of no use any more:', again);
  await client.close();
}

async function work(/** @type {{ detached: string }} */ { detached }) {
  // Renewed from here on, and released in the end, also where the work fails.
  const hold = await client.adopt(detached);
  try {
    hold.assertHeld();
    process.send?.('fencingToken' in hold ? `${hold.fencingToken}` : 'none');
  } finally {
    await hold.release();
  }
  await client.close();
  process.disconnect();
}

if (process.argv[2] === 'worker') {
  process.once('message', (/** @type {{ detached: string }} */ job) => void work(job));
} else {
  await request();
}
