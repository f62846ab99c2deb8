// @ts-check
// The fenced lock: workers write to a store that remembers the largest fencing token it has seen.
// One worker is frozen while it holds, longer than its lease, and writes when it is back.
import { pausePastLease } from '../accidents.mjs';
import { nextGrant, paused } from '../checks/accidents.mjs';
import { storeNeverWentBack, tokensGrow } from '../checks/guarded.mjs';
import { ofType } from '../events.mjs';
import { around } from '../timeline/lens.mjs';
import { pausedNote, recoveryNote } from '../timeline/notes.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */

const SLEEPER = 2;

/** @param {Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getFencedLock('ledger').acquire());

/** @type {import('./index.mjs').Act} */
export const fencedLock = {
  id: 'fenced-lock',
  title: 'Fenced lock',
  story:
    'Four processes write to a store that checks fencing tokens. One is frozen in the middle of ' +
    'its hold for longer than its lease, wakes up, and writes as if nothing had happened.',
  resource: 'the lock',
  workers: 4,
  capacity: 1,
  recovered: 'the others went on',

  async turn(kit, workMs) {
    const hold = await take(kit);
    await kit.work(workMs);
    if (hold.isHeld === true) {
      await kit.write(hold.fencingToken ?? 0n);
    }
    await kit.release(hold);
  },

  async accident(kit) {
    const hold = await take(kit);
    kit.sleepThroughPause(await kit.atMercy(hold));
    const { isHeld = true, signal } = hold;
    kit.emit('resumed', { isHeld, aborted: signal?.aborted === true });
    // A program that looks at `isHeld` stops here. This one does not, and meets the store.
    await kit.write(hold.fencingToken ?? 0n, { stale: true });
    await kit.release(hold);
  },

  async orchestrate(stage) {
    await pausePastLease(stage, SLEEPER);
    await stage.crossFinishLine();
  },

  check: (stage) => [
    tokensGrow(stage.turns),
    storeNeverWentBack(stage.store.writes),
    ...paused(stage),
  ],

  recovery: nextGrant,
  notes: (stage) => [
    ...pausedNote(stage, 'while it holds. Its clock runs on, its code does not.'),
    ...recoveryNote(
      stage,
      ({ name, afterMs }) =>
        `Its lease is over: ${name} holds, ${afterMs} ms after the freeze, with a larger token.`,
    ),
    ...returnNote(stage),
  ],
  lens: (stage) =>
    around(ofType(stage.events, 'resumed')[0]?.at ?? stage.gunAt, {
      beforeMs: 75,
      afterMs: 105,
      caption: 'the return: it wakes, its hold is lost, its write comes too late',
    }),
};

/** @param {import('../stage.mjs').Stage} stage */
function returnNote({ events }) {
  const [awake] = ofType(events, 'resumed', SLEEPER);
  const refused = events.find((event) => event.type === 'write' && event.stale === true);
  const at = refused?.at ?? awake?.at;
  return at === undefined
    ? []
    : [
        {
          at,
          worker: SLEEPER,
          said:
            `Worker ${SLEEPER} wakes. Its first line reads isHeld ${awake?.isHeld}; it writes all the ` +
            `same, and the store ${refused?.accepted === true ? 'takes' : 'refuses'} its token ${refused?.token}.`,
        },
      ];
}
