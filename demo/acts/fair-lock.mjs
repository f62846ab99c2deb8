// @ts-check
// The fair lock: tickets are served in the order in which they reach the queue in Redis. While one
// worker holds, the first in line is killed and the third is frozen.
import { setTimeout as sleep } from 'node:timers/promises';
import { loseWaiters } from '../accidents.mjs';
import { ofType } from '../events.mjs';
import { lostInLine } from '../facts.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */

const NAME = 'tickets';
const HOLDER = 1;

/** Nobody is killed in the door, and a busy machine may stop somebody there. */
const DOOR = { leaseMs: 60_000 };

/** The queue as it stands in Redis. @param {import('ioredis').Redis} redis @param {string} keyPrefix */
const queueOf = (redis, keyPrefix) =>
  redis.lrange(`redisson_lock_queue:{${keyPrefix}${NAME}}`, 0, -1);

/**
 * One worker at a time comes through the door, and leaves it when it stands in line or holds: so whoever asks
 * later does so behind it, and the record tells in which order all came.
 * @param {Kit} kit
 */
async function take(kit) {
  const { client, redis, casting } = kit;
  const asked = await client.getLock('door').using(async () => {
    const served = new AbortController();
    const asking = kit.acquire(() => client.getFairLock(NAME).acquire());
    void asking.then(() => served.abort());
    let line = /** @type {string[]} */ ([]);
    while (!served.signal.aborted && !line.some((ticket) => ticket.startsWith(client.id))) {
      await sleep(1);
      line = await queueOf(redis, casting.keyPrefix);
    }
    return { asking };
  }, DOOR);
  kit.emit('in-line');
  return asked;
}

/** Who waits, in order. @param {import('../stage.mjs').Stage} stage */
async function lineOf({ redis, keyPrefix, events }) {
  const ready = ofType(events, 'ready');
  const tickets = await queueOf(redis, keyPrefix);
  return tickets.map(
    (ticket) => ready.find(({ clientId = '' }) => ticket.startsWith(clientId))?.worker ?? 0,
  );
}

/** @type {import('./index.mjs').Act} */
export const fairLock = {
  id: 'fair-lock',
  title: 'Fair lock',
  story:
    'Six processes take tickets, and are served in the order in which they came. ' +
    'While one is served, the first in line is killed and the third is frozen.',
  kind: 'fair',
  // They come one after the other, so that the order in which they asked is the one of their tickets.
  bounds: { networkMs: 0 },
  least: { contended: 10, faults: 2 },
  resource: 'the counter',
  workers: 6,
  recovered: 'the queue went on',
  isLeaseOver: false,

  async turn(kit, workMs) {
    const { asking } = await take(kit);
    const hold = await asking;
    await kit.work(workMs);
    await kit.release(hold);
  },

  async accident(kit) {
    const { asking } = await take(kit);
    const hold = await asking;
    await kit.atMercy(hold);
    await kit.cued('let go');
    await kit.release(hold);
  },

  async orchestrate(stage) {
    await loseWaiters(stage, { holder: HOLDER, line: async () => await lineOf(stage) });
  },

  shown: (scene) => [lostInLine(scene)],
};
