// @ts-check
// Local runs: three processes with four workers each, all of which want the same lock. A release gives
// it to the process that has waited longest, which passes it on among its own workers for a moment:
// they hold one after the other on one lease, and no command is sent in between. One process is killed.
import { killWhileHolding } from '../accidents.mjs';
import { killed, nextGrant } from '../checks/accidents.mjs';
import { runsAreBounded } from '../checks/runs.mjs';
import { amidRuns } from '../timeline/lens.mjs';
import { killedNote, recoveryNote } from '../timeline/notes.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */

const TOGETHER = 4;
const VICTIM = 6;

/** @param {Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getLock('press').acquire());

/** @type {import('./index.mjs').Act} */
export const localRuns = {
  id: 'local-runs',
  title: 'Lock with local runs',
  story:
    'Three processes with four workers each want one lock. A release gives it to the process that has ' +
    'waited longest; that one passes it on among its own workers for some 6 ms, without a command.',
  resource: 'the lock',
  workers: 3 * TOGETHER,
  together: TOGETHER,
  capacity: 1,
  recovered: 'the others went on',

  async turn(kit, workMs) {
    const hold = await take(kit);
    await kit.work(workMs);
    await kit.release(hold);
  },

  async accident(kit) {
    await kit.atMercy(await take(kit));
    await kit.leave; // never comes: SIGKILL does
  },

  async orchestrate(stage) {
    await killWhileHolding(stage, VICTIM);
    await stage.crossFinishLine({ without: stage.troupe.companionsOf(VICTIM) });
  },

  check: (stage) => [runsAreBounded(stage), ...killed(stage)],

  recovery: nextGrant,
  notes: (stage) => [
    ...killedNote(stage, 'while it holds, and with it all others of its process.').slice(0, 1),
    ...recoveryNote(
      stage,
      ({ name, afterMs }) =>
        `Its lease runs out by itself: ${afterMs} ms after the shot ${name} holds, and the other two processes go on.`,
    ),
  ],
  lens: amidRuns,
};
