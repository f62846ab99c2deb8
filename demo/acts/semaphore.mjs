// @ts-check
// The counting semaphore: a gate of three for ten workers. In the middle of it all connections of
// five workers are cut; no permit may be lost or made by that.
import { cutWhileBusy } from '../accidents.mjs';
import { cutWaiting, usedTogether } from '../facts.mjs';

/** @typedef {import('../facts.mjs').Scene} Scene */

const GATE = 3;
const NAME = 'gate';
const CUT = [1, 2, 3, 4, 5];

/** What the record says of calls that are about the number of permits. */
const permits = { object: 'shared', kind: /** @type {const} */ ('semaphore'), amount: GATE };

/** The first grants after the cut to those whose connections were cut: the last of them. @param {Scene} scene */
function lastToReturn({ history: { claims, faults } }) {
  const returns = faults.map((cut) =>
    claims.find(({ client, from }) => client === cut.client && from > cut.from),
  );
  const last = returns.flatMap((claim) => claim ?? []).toSorted((a, b) => b.from - a.from)[0];
  return returns.includes(undefined) ? undefined : last;
}

/** @type {import('./index.mjs').Act} */
export const semaphore = {
  id: 'semaphore',
  title: 'Semaphore',
  story:
    'Ten processes go through a gate of three. In the middle of it all connections of five of them ' +
    'are cut; in the end Redis is asked whether all permits are back.',
  kind: 'semaphore',
  least: { contended: 10, faults: CUT.length },
  resource: 'the gate',
  workers: 10,
  recovered: 'all whose connections were cut got in again',
  isLeaseOver: false,

  async turn(kit, workMs) {
    const hold = await kit.acquire(() => kit.client.getSemaphore(NAME).acquire());
    await kit.work(workMs);
    await kit.release(hold);
  },

  accident: () => Promise.resolve(),

  async prepare(stage) {
    const gate = stage.client.getSemaphore(NAME);
    await stage.call({ ...permits, action: 'set' }, async () => await gate.trySetPermits(GATE));
  },

  orchestrate: async (stage) => await cutWhileBusy(stage, CUT),

  async end(stage) {
    const gate = stage.client.getSemaphore(NAME);
    await stage.call({ ...permits, action: 'look' }, async () => await gate.availablePermits());
  },

  shown: (scene) => [usedTogether(scene, GATE), cutWaiting(scene)],

  recovery: lastToReturn,
};
