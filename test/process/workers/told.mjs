// @ts-check
// Waits for a lock that somebody else has, and does something to itself as soon as it is told that it has
// the lock, before it can confirm that. Then it says what it sees of its hold.
//
//   node told.mjs URL NAME LEASE_MS KIND ACT
//
// ACT  'stop': stands still until it is told to go on; 'kill': dies; a number: blocks the event loop for
//      so many ms; 'none'

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', lease = '', kind = '', act = ''] = process.argv;
const client = createClient({ redis, leaseMs: Number(lease), handOff: 'strict' });
const locks = {
  lock: client.getLock(name),
  'fenced lock': client.getFencedLock(name),
  'fair lock': client.getFairLock(name),
  'write lock': client.getReadWriteLock(name).writeLock,
};

/** @param {import('../../../dist/index.js').Hold} hold */
const look = ({ isHeld, state, holderId }) => ({ isHeld, state, holderId });

process.on('message', () => {
  process.send?.({ type: 'looked' });
});

const hold = await locks[/** @type {keyof typeof locks} */ (kind)].acquire();
if (act === 'stop') {
  process.kill(process.pid, 'SIGSTOP');
} else if (act === 'kill') {
  process.kill(process.pid, 'SIGKILL');
} else if (act !== 'none') {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(act));
}
process.send?.({ type: 'told', ...look(hold) });
process.once('message', () => {
  void hold
    .release()
    .then(
      () => 'released',
      (error) => /** @type {{ code: string }} */ (error).code,
    )
    .then(async (outcome) => {
      process.send?.({ type: 'over', outcome });
      await client.close();
      process.disconnect();
    });
});
