// A job that runs once a night, although every server of a fleet starts it.
//
//   node nightly-job.mjs 2031-05-17
//
// A lock alone is not enough: it keeps two servers from working at the same time, but one that
// starts late, when the winner has finished and released, would simply do it all again. So what
// was done is written down, under the lock, and everybody looks there first.
//
// Keeping the lock for the rest of the night instead (a long lease that nobody releases) would
// look simpler, but a winner that dies half-way would keep the others out: the night would pass
// without the job. Here they wait for their turn, and the next one takes over.

import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const [night = new Date().toISOString().slice(0, 10)] = process.argv.slice(2);
const KEEP_SECONDS = 3 * 24 * 3600;

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis }); // its own connections, to the same server
const lock = client.getLock('example:nightly-job');
const marker = `example:nightly-job:done:${night}`;

/**
 * Stands for the real work. It looks at the signal wherever it could stop.
 *
 * @param {AbortSignal} signal
 */
async function writeReport(signal) {
  await redis.incr(`example:nightly-job:runs:${night}`);
  await redis.expire(`example:nightly-job:runs:${night}`, KEEP_SECONDS);
  signal.throwIfAborted();
}

try {
  // The lease is renewed while the job runs, however long that takes, and ends within the lease
  // when this process dies.
  await lock.using(async (hold) => {
    if ((await redis.get(marker)) !== null) {
      console.log(`${night}: already done`);
      return;
    }
    await writeReport(hold.signal);
    // A process that was suspended in between may no longer be the holder: it must not claim to
    // have done the job. Real work should be safe to repeat, or check a fencing token where it
    // writes (see fenced-write.mjs): between this line and the next, time may pass.
    hold.assertHeld();
    await redis.set(marker, client.id, 'EX', KEEP_SECONDS);
    console.log(`${night}: done by this process`);
  });
} finally {
  await client.close();
  redis.disconnect();
}
