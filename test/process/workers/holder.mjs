// @ts-check
// Holds a fenced lock and reports what it sees of its hold when told to, or after a pause.
//
//   node holder.mjs URL NAME LEASE_MS

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', lease = '0'] = process.argv;
const leaseMs = Number(lease);
/** @type {{ hold?: import('../../../dist/index.js').Hold, lastTick: number, lostEvents: number }} */
const own = { lastTick: performance.now(), lostEvents: 0 };

/**
 * Synchronous: nothing of the library can run between the pause and this look.
 *
 * @param {string} type
 */
function look(type) {
  const { hold } = own;
  const reason = /** @type {{ code: string } | undefined} */ (hold?.signal.reason);
  process.send?.({
    type,
    isHeld: hold?.isHeld,
    aborted: hold?.signal.aborted,
    reason: reason?.code,
    state: hold?.state,
    remainingMs: hold?.remainingMs,
  });
}

// Older than any timer of the library: after a pause it runs first.
setInterval(() => {
  const now = performance.now();
  if (own.hold !== undefined && now - own.lastTick > leaseMs) {
    look('timer-after-pause');
  }
  own.lastTick = now;
}, 5);

const client = createClient({ redis, leaseMs });
client.on('lost', () => {
  own.lostEvents += 1;
});

async function release() {
  let error = 'none';
  try {
    await own.hold?.release();
  } catch (reason) {
    error = /** @type {Error} */ (reason).name;
  }
  process.send?.({ type: 'released', error, lostEvents: own.lostEvents });
}

process.on('message', (/** @type {{ type: string, forMs?: number }} */ message) => {
  if (message.type === 'look') {
    look('looked');
  } else if (message.type === 'block') {
    const end = performance.now() + (message.forMs ?? 0);
    while (performance.now() < end) {
      // The event loop stands still.
    }
    look('blocked');
  } else if (message.type === 'release') {
    void release();
  }
});

const hold = await client.getFencedLock(name).acquire();
own.hold = hold;
process.send?.({ type: 'held', token: String(hold.fencingToken), holderId: hold.holderId });
