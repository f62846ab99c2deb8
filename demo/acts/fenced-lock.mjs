// @ts-check
// The fenced lock: workers write to a store that remembers the largest fencing token it has seen.
// One worker is frozen while it holds, longer than its lease, and writes when it is back.
import { pausePastLease } from '../accidents.mjs';
import { sleptThrough } from '../facts.mjs';

const SLEEPER = 2;

/** @param {import('../kit.mjs').Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getFencedLock('ledger').acquire());

/** @type {import('./index.mjs').Act} */
export const fencedLock = {
  id: 'fenced-lock',
  title: 'Fenced lock',
  story:
    'Four processes write to a store that checks fencing tokens. One is frozen in the middle of ' +
    'its hold for longer than its lease, wakes up, and writes as if nothing had happened.',
  kind: 'fenced',
  least: { contended: 10, losses: 1, faults: 1 },
  resource: 'the lock',
  workers: 4,
  recovered: 'the others went on',
  isLeaseOver: true,

  async turn(kit, workMs) {
    const hold = await take(kit);
    await kit.count(hold, workMs);
    await kit.release(hold);
  },

  async accident(kit) {
    const hold = await take(kit);
    const seen = await kit.readStore();
    kit.sleepThroughPause(await kit.atMercy(hold));
    kit.emit('resumed');
    // A program that looks at `isHeld` stops here. This one does not, and meets the store.
    await kit.writeStore(hold, seen);
    await kit.release(hold);
  },

  orchestrate: async (stage) => await pausePastLease(stage, SLEEPER),

  shown: (scene) => [...sleptThrough(scene)],
};
