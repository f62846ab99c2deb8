// @ts-check
// Holds something and reports what it sees of its hold when told to, or after a pause.
//
//   node holder.mjs URL NAME LEASE_MS [KIND]

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', lease = '0', kind = 'fenced lock'] = process.argv;
const leaseMs = Number(lease);
/**
 * @typedef {import('../../../dist/index.js').Hold} Hold
 * @typedef {import('../../../dist/index.js').Permit} Permit
 * @type {{ hold?: Hold | Permit, lastTick: number, lostEvents: number }}
 */
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

/** @type {Record<string, () => Promise<Hold | Permit>>} */
const kinds = {
  lock: async () => await client.getLock(name).acquire(),
  'fenced lock': async () => await client.getFencedLock(name).acquire(),
  'fair lock': async () => await client.getFairLock(name).acquire(),
  'write lock': async () => await client.getReadWriteLock(name).writeLock.acquire(),
  'read lock': async () => await client.getReadWriteLock(name).readLock.acquire(),
  permit: async () => await client.getPermitExpirableSemaphore(name).acquire(),
};
const acquire = kinds[kind];
if (acquire === undefined) {
  await client.getSemaphore(name).acquire();
  process.send?.({ type: 'held' });
} else {
  const hold = await acquire();
  own.hold = hold;
  const { holderId, token } =
    'id' in hold
      ? { holderId: hold.id, token: undefined }
      : { holderId: hold.holderId, token: String(hold.fencingToken) };
  process.send?.({ type: 'held', token, holderId });
}
