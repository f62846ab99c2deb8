// @ts-check
// Several workers of one process wait for a lock that somebody else has. As soon as the lock was passed
// from the first to the second of them, the process dies or stands still. It says who was in, and who was
// told of a loss.
//
//   node runs.mjs URL NAME LEASE_MS KIND SIGNAL

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', lease = '', kind = '', signal = ''] = process.argv;
const WORKERS = 4;
const client = createClient({ redis, leaseMs: Number(lease) });
const locks = {
  lock: client.getLock(name),
  'fair lock': client.getFairLock(name),
  'write lock': client.getReadWriteLock(name).writeLock,
};
const lock = locks[/** @type {keyof typeof locks} */ (kind)];

/** @type {string[]} */
const lost = [];
client.on('lost', ({ holderId }) => {
  lost.push(holderId);
});

/** @type {{ holderId: string, isHeld: boolean, outcome?: string }[]} */
const turns = [];

async function work() {
  const hold = await lock.acquire();
  const isPassed = turns.length === 1 && turns[0]?.holderId === hold.holderId;
  if (isPassed) {
    process.kill(process.pid, signal);
  }
  const turn = { holderId: hold.holderId, isHeld: hold.isHeld, outcome: 'released' };
  turns.push(turn);
  await hold.release().catch((/** @type {{ code: string }} */ { code }) => {
    turn.outcome = code;
  });
}

const done = Promise.all(Array.from({ length: WORKERS }, work));
process.send?.({ type: 'waiting' });
await done;
await client.close();
process.send?.({ type: 'over', turns, lost });
process.disconnect();
