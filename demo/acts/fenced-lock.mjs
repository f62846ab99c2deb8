// @ts-check
// The fenced lock: workers write to a store that remembers the largest fencing token it has seen.
// One worker is frozen while it holds, longer than its lease, and writes when it is back.
import { pausePastLease } from '../accidents.mjs';
import { paused, storeNeverWentBack, tokensGrow } from '../check.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */

const SLEEPER = 2;

/** @param {Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getFencedLock('ledger').acquire());

/** @type {import('./index.mjs').Act} */
export const fencedLock = {
  id: 'fenced-lock',
  title: 'Fenced lock',
  story:
    'Five processes write to a store that checks fencing tokens. One is frozen in the middle of ' +
    'its hold for longer than its lease, wakes up, and writes as if nothing had happened.',
  resource: 'the lock',
  workers: 5,
  capacity: 1,
  lens: 'accident',

  async turn(kit, workMs) {
    const hold = await take(kit);
    await kit.work(workMs);
    if (hold.isHeld) {
      await kit.write(hold.fencingToken ?? 0n);
    }
    await kit.release(hold);
  },

  async accident(kit) {
    const hold = await take(kit);
    kit.sleepThroughPause(await kit.atMercy(hold));
    kit.emit('resumed', { isHeld: hold.isHeld, aborted: hold.signal.aborted });
    // A program that looks at `isHeld` stops here. This one does not, and meets the store.
    await kit.write(hold.fencingToken ?? 0n, { stale: true });
    await kit.release(hold);
  },

  async orchestrate(stage) {
    await stage.fireStartGun();
    await stage.watchSprint();
    await pausePastLease(stage, SLEEPER);
    await stage.crossFinishLine();
  },

  check: (stage) => [
    tokensGrow(stage.turns),
    storeNeverWentBack(stage.store.writes),
    ...paused(stage),
  ],
};
