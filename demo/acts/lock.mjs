// @ts-check
// The lock: workers add to a counter that lives in Redis by a plain GET and a later SET. Only the
// lock keeps them from overwriting each other. One worker is killed between its GET and its SET.
import { killWhileHolding } from '../accidents.mjs';
import { killed, nextGrant } from '../checks/accidents.mjs';
import { noLostUpdate } from '../checks/guarded.mjs';
import { amidSprint } from '../timeline/lens.mjs';
import { killedNote, recoveryNote } from '../timeline/notes.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */

const COUNTER = 'counter';
const VICTIM = 3;

/** @param {Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getLock('till').acquire());

/** @param {{ keyPrefix: string }} casting */
const counterKey = ({ keyPrefix }) => `${keyPrefix}${COUNTER}`;

/** @type {import('./index.mjs').Act} */
export const lock = {
  id: 'lock',
  title: 'Lock',
  story:
    'Four processes count in Redis with a plain GET and a later SET; only the lock keeps them ' +
    'from overwriting one another. One is killed between its GET and its SET.',
  resource: 'the lock',
  workers: 4,
  capacity: 1,
  recovered: 'the others went on',

  async turn(kit, workMs) {
    const key = counterKey(kit.casting);
    const hold = await take(kit);
    const seen = Number((await kit.redis.get(key)) ?? 0);
    await kit.work(workMs);
    if (hold.isHeld === true) {
      await kit.redis.set(key, seen + 1);
      kit.emit('increment');
    }
    await kit.release(hold);
  },

  async accident(kit) {
    const hold = await take(kit);
    await kit.redis.get(counterKey(kit.casting));
    await kit.atMercy(hold);
    await kit.leave; // never comes: SIGKILL does
  },

  async orchestrate(stage) {
    await killWhileHolding(stage, VICTIM);
    await stage.crossFinishLine({ without: [VICTIM] });
  },

  async check(stage) {
    const final = Number((await stage.redis.get(counterKey(stage))) ?? 0);
    return [noLostUpdate(stage.events, final), ...killed(stage)];
  },

  recovery: nextGrant,
  notes: (stage) => [
    ...killedNote(stage, 'while it holds. It cannot release, and nobody tells Redis.'),
    ...recoveryNote(
      stage,
      ({ name, afterMs }) =>
        `Its lease runs out by itself: ${afterMs} ms after the shot ${name} holds, and all go on.`,
    ),
  ],
  lens: amidSprint,
};
