// @ts-check
// Several workers of one process wait for a lock that somebody else has. As soon as the lock was passed
// from one to another of them, the process dies or stands still. It says who was in from then on, and who
// was told of a loss.
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
/** Which of them was the first that was passed on. */
let passedAt = -1;

async function work() {
  // On a busy machine a run may end before anything was passed on: the next one will do.
  do {
    const hold = await lock.acquire();
    const { holderId } = hold;
    const at = turns.length;
    if (passedAt < 0 && turns.at(-1)?.holderId === holderId) {
      passedAt = at;
      await new Promise((resolve) => process.send?.({ type: 'passed' }, undefined, {}, resolve));
      process.kill(process.pid, signal);
    }
    const turn = { holderId, isHeld: hold.isHeld, outcome: 'released' };
    turns.push(turn);
    await hold.release().catch((/** @type {{ code: string }} */ { code }) => {
      turn.outcome = code;
    });
  } while (passedAt < 0);
}

const done = Promise.all(Array.from({ length: WORKERS }, work));
process.send?.({ type: 'waiting' });
await done;
await client.close();
process.send?.({ type: 'over', turns: turns.slice(passedAt - 1), lost });
process.disconnect();
