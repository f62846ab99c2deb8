// @ts-check
// The read-write lock: two writers and four readers, who never leave the lock alone. A reader is killed.
import { killWhileHolding } from '../accidents.mjs';
import { diedHolding, grantAfter, usedTogether } from '../facts.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */

const READERS = 4;
const VICTIM = 3;

/** @param {number} worker */
const modeOf = (worker) => (worker <= READERS ? 'shared' : 'exclusive');

/** @param {Kit} kit */
function take(kit) {
  const { readLock, writeLock } = kit.client.getReadWriteLock('record');
  const mode = modeOf(kit.casting.worker);
  return kit.acquire(() => (mode === 'shared' ? readLock : writeLock).acquire(), mode);
}

/** @type {import('./index.mjs').Act} */
export const readWriteLock = {
  id: 'read-write-lock',
  title: 'Read-write lock',
  story:
    'Four processes read all the time, and two write. One reader is killed while the others read; ' +
    'the writers wait for the rest of its lease.',
  kind: 'rwlock',
  least: { contended: 10, faults: 1 },
  resource: 'the record',
  workers: 6,
  recovered: 'the next writer got in',
  isLeaseOver: true,
  role: (worker) => (modeOf(worker) === 'shared' ? 'reader' : 'writer'),

  async turn(kit, workMs) {
    const hold = await take(kit);
    await kit.work(workMs);
    await kit.release(hold);
  },

  accident: async (kit) => await kit.awaitShot(await take(kit)),

  orchestrate: async (stage) => await killWhileHolding(stage, VICTIM),

  shown: (scene) => [usedTogether(scene, 2, ({ mode }) => mode === 'shared'), diedHolding(scene)],

  recovery: (scene) => grantAfter(scene, ({ mode }) => mode === 'exclusive'),
};
