// @ts-check
// The permit-expirable semaphore: two permits for four workers. One worker is killed with a permit,
// which nobody gives back: its lease ends, and it is there again.
import { killWhileHolding, othersGoOn } from '../accidents.mjs';
import { now, ofType } from '../events.mjs';
import { diedHolding, grantAfter, insideAt, usedTogether } from '../facts.mjs';

const PERMITS = 2;
const NAME = 'workshop';
const VICTIM = 3;

/** What the record says of calls that are about the number of permits. */
const permits = { object: 'shared', kind: /** @type {const} */ ('expirable'), amount: PERMITS };

/** @param {import('../kit.mjs').Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getPermitExpirableSemaphore(NAME).acquire());

/** The grant with which the living had all permits again. @param {import('../facts.mjs').Scene} scene */
function fullAgain(scene) {
  const living = scene.history.claims.filter(({ client }) => client !== VICTIM);
  return grantAfter(scene, ({ from }) => insideAt(living, from) >= PERMITS);
}

/** @type {import('./index.mjs').Act} */
export const permitExpirableSemaphore = {
  id: 'permit-expirable-semaphore',
  title: 'Permit-expirable semaphore',
  story:
    'Four processes share two permits, which live on leases. One is killed with a permit in hand; ' +
    'the permit comes back by itself.',
  kind: 'expirable',
  least: { contended: 10, faults: 1 },
  resource: 'two permits',
  workers: 4,
  recovered: 'its permit was in use again',
  isLeaseOver: true,

  async turn(kit, workMs) {
    const permit = await take(kit);
    await kit.work(workMs);
    await kit.release(permit);
  },

  accident: async (kit) => await kit.awaitShot(await take(kit)),

  async prepare(stage) {
    const all = stage.client.getPermitExpirableSemaphore(NAME);
    await stage.call({ ...permits, action: 'set' }, async () => await all.trySetPermits(PERMITS));
  },

  async orchestrate(stage) {
    await killWhileHolding(stage, VICTIM);
    const deadline = ofType(stage.events, 'at-mercy', VICTIM)[0]?.deadline ?? now();
    await othersGoOn(stage, VICTIM, deadline);
  },

  async end(stage) {
    const all = stage.client.getPermitExpirableSemaphore(NAME);
    await stage.call({ ...permits, action: 'look' }, async () => await all.availablePermits());
  },

  shown: (scene) => [usedTogether(scene, PERMITS), diedHolding(scene)],

  recovery: fullAgain,
};
