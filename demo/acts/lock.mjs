// @ts-check
// The lock: workers read a counter, and write one more a moment later. Only the lock keeps them from
// overwriting each other. One worker is killed between the two.
import { killWhileHolding } from '../accidents.mjs';
import { diedHolding } from '../facts.mjs';

const VICTIM = 3;

/** @param {import('../kit.mjs').Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getLock('till').acquire());

/** @type {import('./index.mjs').Act} */
export const lock = {
  id: 'lock',
  title: 'Lock',
  story:
    'Four processes read a counter, and write one more a moment later; only the lock keeps them ' +
    'from overwriting one another. One is killed between the two.',
  kind: 'lock',
  least: { contended: 10, faults: 1 },
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
    await kit.readStore();
    await kit.awaitShot(hold);
  },

  orchestrate: async (stage) => await killWhileHolding(stage, VICTIM),

  shown: (scene) => [diedHolding(scene)],
};
