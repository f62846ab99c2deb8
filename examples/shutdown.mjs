// A service that ends on SIGTERM, within its grace period, and leaves no lock behind.
//
// It takes no new work, lets the job under way come to its end, and closes the client, which gives
// back whatever is still held. A second SIGTERM ends it at once: locks are then free when their
// leases end.

import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'redlatch';

// Together less than the grace period: Kubernetes kills after 30 s.
const JOB_MS = 20_000;
const CLOSE_MS = 5_000;

const [name = 'example:shutdown'] = process.argv.slice(2);
const client = createClient(); // process.env.REDIS_URL, else redis://127.0.0.1:6379
const stopping = new AbortController();

/** @param {AbortSignal} signal */
async function doJob(signal) {
  console.log('at work');
  // Stands for the real work, which stops at a good place, and keeps what is done, on the signal.
  await pause(3_600_000, undefined, { signal }).catch(() => {});
}

async function serve() {
  while (!stopping.signal.aborted) {
    await client.getLock(name).using({ signal: stopping.signal }, async (hold) => {
      await doJob(AbortSignal.any([stopping.signal, hold.signal]));
      hold.assertHeld(); // what a lost lock guarded must not be kept
    });
  }
}

/** @param {unknown} error */
function failed(error) {
  // The wait for a lock that nobody needs any more is no failure.
  if (error === stopping.signal.reason) {
    return;
  }
  console.error(error);
  process.exitCode = 1;
}

const served = serve().catch(failed);

async function shutDown() {
  console.log('stopping');
  stopping.abort();
  const late = pause(JOB_MS, 'late', { ref: false });
  if ((await Promise.race([served, late])) === 'late') {
    process.exitCode = 1;
  }
  await client.close({ timeoutMs: CLOSE_MS });
  console.log('closed');
  process.exit();
}

// `once`: a second signal finds no listener, and ends the process at once.
process.once('SIGTERM', () => void shutDown());
