// @ts-check
// The permit-expirable semaphore: two permits for four workers. One worker is killed with a permit,
// which nobody gives back: its lease ends, and it is there again.
import { killWhileHolding, othersGoOn } from '../accidents.mjs';
import { killed } from '../checks/accidents.mjs';
import { allPermitsBack, fullAgain, gateFilled, goneByItself } from '../checks/gate.mjs';
import { now } from '../events.mjs';
import { around } from '../timeline/lens.mjs';
import { killedNote, recoveryNote } from '../timeline/notes.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */
/** @typedef {import('../stage.mjs').Stage} Stage */

const PERMITS = 2;
const NAME = 'workshop';
const VICTIM = 3;

/** @param {Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getPermitExpirableSemaphore(NAME).acquire());

/** @type {import('./index.mjs').Act} */
export const permitExpirableSemaphore = {
  id: 'permit-expirable-semaphore',
  title: 'Permit-expirable semaphore',
  story:
    'Four processes share two permits, which live on leases. One is killed with a permit in hand; ' +
    'the permit comes back by itself.',
  resource: 'two permits',
  workers: 4,
  capacity: PERMITS,
  recovered: 'its permit was in use again',

  async turn(kit, workMs) {
    const permit = await take(kit);
    await kit.work(workMs);
    await kit.release(permit);
  },

  async accident(kit) {
    await kit.atMercy(await take(kit));
    await kit.leave; // never comes: SIGKILL does
  },

  async prepare({ client }) {
    await client.getPermitExpirableSemaphore(NAME).trySetPermits(PERMITS);
  },

  async orchestrate(stage) {
    await killWhileHolding(stage, VICTIM);
    await stage.until('two to work at once again', () => fullAgain(stage, PERMITS) !== undefined);
    await othersGoOn(stage, VICTIM, now());
    await stage.crossFinishLine({ without: [VICTIM] });
  },

  async check(stage) {
    const permits = stage.client.getPermitExpirableSemaphore(NAME);
    const dead = stage.turns.findLast(({ worker }) => worker === VICTIM)?.holderId;
    return [
      gateFilled(stage.turns, PERMITS),
      ...killed(stage),
      goneByItself(dead !== undefined && (await permits.tryRelease(dead))),
      allPermitsBack(await permits.availablePermits(), PERMITS),
    ];
  },

  recovery: (stage) => fullAgain(stage, PERMITS),
  notes: (stage) => [
    ...killedNote(stage, 'with a permit in hand. The others share the one that is left.'),
    ...recoveryNote(
      stage,
      ({ name, afterMs }) =>
        `The lease of that permit is over: ${afterMs} ms after the shot ${name} has it.`,
    ),
  ],
  lens: (stage) =>
    around(fullAgain(stage, PERMITS)?.held ?? stage.gunAt, {
      beforeMs: 90,
      afterMs: 120,
      caption: 'the permit of the dead comes back: two work side by side again',
    }),
};
