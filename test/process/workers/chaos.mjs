// @ts-check
// Takes locks of all kinds and permits in turns, for short times, and says what it is told of them.
// Instants are read before what they are about: the process may be stopped after any line.
//
//   node chaos.mjs URL LEASE_MS SEED NAMES (JSON: lock, fair, fenced, rw, permits)

import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../../dist/index.js';

const [, , redis = '', lease = '0', seed = '0', names = '{}'] = process.argv;
const { lock, fair, fenced, rw, permits } =
  /** @type {Record<'lock' | 'fair' | 'fenced' | 'rw' | 'permits', string>} */ (JSON.parse(names));
const client = createClient({
  redis,
  leaseMs: Number(lease),
  commandTimeoutMs: 1_000,
  handOff: 'strict',
});
const now = () => Number(process.hrtime.bigint()) / 1e6;
/** @param {Record<string, unknown>} message */
const tell = (message) => process.send?.(message);

/**
 * @typedef {import('../../../dist/index.js').Hold | import('../../../dist/index.js').Permit} Grant
 * @type {Map<number, Grant>}
 */
const live = new Map();
let claims = 0;
const ending = { isNear: false };

/** @param {number} claim @param {Grant} grant */
function sample(claim, grant) {
  const at = now();
  if (grant.isHeld) {
    tell({ type: 'held', claim, at });
  }
}
setInterval(() => live.forEach((grant, claim) => sample(claim, grant)), 4).unref();

/** @type {readonly [kind: string, name: string, acquire: () => Promise<Grant>][]} */
const turns = [
  ['lock', lock, () => client.getLock(lock).acquire()],
  ['fair', fair, () => client.getFairLock(fair).acquire()],
  ['fenced', fenced, () => client.getFencedLock(fenced).acquire()],
  ['read', rw, () => client.getReadWriteLock(rw).readLock.acquire()],
  ['write', rw, () => client.getReadWriteLock(rw).writeLock.acquire()],
  ['permit', permits, () => client.getPermitExpirableSemaphore(permits).acquire()],
];

/** @param {number} first */
async function run(first) {
  for (let i = first; !ending.isNear; i += 1) {
    const [kind, name, acquire] = turns[i % turns.length] ?? ['', '', undefined];
    const askedAt = now();
    const grant = await acquire?.();
    if (grant === undefined) {
      continue;
    }
    claims += 1;
    const claim = claims;
    const own =
      'id' in grant
        ? { holderId: grant.id, depth: 1 }
        : {
            holderId: grant.holderId,
            depth: grant.depth,
            token: grant.fencingToken === undefined ? undefined : String(grant.fencingToken),
          };
    tell({ type: 'granted', claim, kind, name, askedAt, at: now(), ...own });
    live.set(claim, grant);
    sample(claim, grant);
    await delay((i * 7) % 40);
    sample(claim, grant);
    live.delete(claim);
    // A loss is what a frozen process is told of.
    await grant.release().catch(() => {});
    await delay((i * 3) % 20);
  }
}

process.on('message', () => {
  ending.isNear = true;
});
tell({ type: 'ready', id: client.id });
await Promise.all([run(Number(seed)), run(Number(seed) + 3)]);
await client.close();
tell({ type: 'done' });
process.disconnect();
