// @ts-check
// Holds a fenced lock and reports what it sees of its hold when told to, or after a pause.
//
//   node holder.mjs URL NAME LEASE_MS

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', lease = '0'] = process.argv;
const leaseMs = Number(lease);
/** @type {import('../../../dist/index.js').Hold | undefined} */
let hold;
let lastTick = performance.now();
let lostEvents = 0;

/**
 * Synchronous: nothing of the library can run between the pause and this look.
 *
 * @param {string} type
 */
function look(type) {
  process.send?.({
    type,
    isHeld: hold?.isHeld,
    aborted: hold?.signal.aborted,
    reason: hold?.signal.reason?.code,
    state: hold?.state,
    remainingMs: hold?.remainingMs,
  });
}

// Older than any timer of the library: after a pause it runs first.
setInterval(() => {
  const now = performance.now();
  if (hold !== undefined && now - lastTick > leaseMs) {
    look('timer-after-pause');
  }
  lastTick = now;
}, 5);

const client = createClient({ redis, leaseMs });
client.on('lost', () => {
  lostEvents += 1;
});

process.on('message', async (/** @type {{ type: string, forMs?: number }} */ message) => {
  if (message.type === 'look') {
    look('looked');
  } else if (message.type === 'block') {
    const end = performance.now() + (message.forMs ?? 0);
    while (performance.now() < end) {
      // The event loop stands still.
    }
    look('blocked');
  } else if (message.type === 'release') {
    const error = await hold?.release().then(
      () => undefined,
      (/** @type {unknown} */ reason) => reason,
    );
    const { name: errorName } = /** @type {Error} */ (error ?? { name: 'none' });
    process.send?.({ type: 'released', error: errorName, lostEvents });
  }
});

hold = await client.getFencedLock(name).acquire();
process.send?.({ type: 'held', token: String(hold.fencingToken), holderId: hold.holderId });
