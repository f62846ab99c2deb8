// @ts-check
// The counting semaphore: a gate of three for ten workers. In the middle of it all connections of
// five workers are cut; no permit may be lost or made by that.
import { cutWhileBusy } from '../accidents.mjs';
import { accidentOf } from '../checks/accidents.mjs';
import { isGranted } from '../checks/finding.mjs';
import { allPermitsBack, countedInside, cutOff, gateFilled } from '../checks/gate.mjs';
import { later, ofType } from '../events.mjs';
import { between } from '../timeline/lens.mjs';
import { cutNote, recoveryNote } from '../timeline/notes.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */
/** @typedef {import('../stage.mjs').Stage} Stage */

const GATE = 3;
const NAME = 'gate';
const CUT = [1, 2, 3, 4, 5];

/** @type {import('./index.mjs').Act} */
export const semaphore = {
  id: 'semaphore',
  title: 'Semaphore',
  story:
    'Ten processes go through a gate of three, and Redis counts them in and out. In the middle of ' +
    'it all connections of five of them are cut.',
  resource: 'the gate',
  workers: 10,
  capacity: GATE,
  recovered: 'all whose connections were cut got in again',

  async turn(kit, workMs) {
    const inside = `${kit.casting.keyPrefix}inside`;
    const permits = await kit.acquire(() => kit.client.getSemaphore(NAME).acquire());
    kit.emit('inside', { count: await kit.redis.incr(inside) });
    await kit.work(workMs);
    await kit.redis.decr(inside);
    await kit.release(permits);
  },

  accident: () => Promise.resolve(),

  async prepare({ client }) {
    await client.getSemaphore(NAME).trySetPermits(GATE);
  },

  async orchestrate(stage) {
    await cutWhileBusy(stage, CUT);
    await stage.crossFinishLine();
  },

  async check(stage) {
    const available = await stage.client.getSemaphore(NAME).availablePermits();
    return [
      gateFilled(stage.turns, GATE),
      countedInside(stage.events, GATE),
      cutOff(stage),
      allPermitsBack(available, GATE),
    ];
  },

  recovery: lastToReturn,
  notes: (stage) => [
    ...cutNote(stage),
    ...recoveryNote(
      stage,
      ({ name, afterMs }) =>
        `${afterMs} ms later ${name} is inside, the last of them to get in again.`,
    ),
  ],
  lens(stage) {
    const at = accidentOf(stage.events)?.at ?? stage.gunAt;
    return between(at, lastToReturn(stage)?.held ?? at, {
      marginMs: 20,
      caption: 'the cut: permits in hand survive it, and never more than three are inside',
    });
  },
};

/**
 * The first grants after the cut to those whose connections were cut: the last of them.
 * @param {import('../checks/finding.mjs').Recorded} stage
 */
function lastToReturn({ events, turns }) {
  const granted = turns.filter(isGranted);
  const returns = ofType(events, 'cut').flatMap(
    (cut) => granted.find((turn) => turn.worker === cut.worker && turn.held > cut.at) ?? [],
  );
  const last = returns.map(({ held }) => held).reduce(later, 0n);
  return returns.find(({ held }) => held === last);
}
