// @ts-check
// The fair lock: tickets are served in the order in which they stand in Redis' own queue. While one
// worker holds, the first in line is killed and the third is frozen.
import { loseWaiters } from '../accidents.mjs';
import { nextGrant } from '../checks/accidents.mjs';
import { lostWaiters, queueAt, servedInOrder, ticketNumbers } from '../checks/order.mjs';
import { msBetween, now, ofType } from '../events.mjs';
import { between } from '../timeline/lens.mjs';
import { killedNote, pausedNote, recoveryNote } from '../timeline/notes.mjs';

/** @typedef {import('../kit.mjs').Kit} Kit */
/** @typedef {import('../stage.mjs').Stage} Stage */

const NAME = 'tickets';
const HOLDER = 1;

/** @param {Kit} kit */
const take = (kit) => kit.acquire(() => kit.client.getFairLock(NAME).acquire());

/** Who was killed. @param {Stage} stage */
const victims = ({ events }) => ofType(events, 'killed').map(({ worker }) => worker);

/** @type {import('./index.mjs').Act} */
export const fairLock = {
  id: 'fair-lock',
  title: 'Fair lock',
  story:
    'Six processes take tickets, and are served in the order of the queue as it stands in Redis. ' +
    'While one is served, the first in line is killed and the third is frozen.',
  resource: 'the counter',
  workers: 6,
  capacity: 1,
  recovered: 'the queue went on',

  async turn(kit, workMs) {
    const hold = await take(kit);
    await kit.work(workMs);
    await kit.release(hold);
  },

  async accident(kit) {
    const hold = await take(kit);
    await kit.atMercy(hold);
    await kit.cued('let go');
    await kit.release(hold);
  },

  look: ({ redis, keyPrefix }) => redis.lrange(`redisson_lock_queue:{${keyPrefix}${NAME}}`, 0, -1),

  async orchestrate(stage) {
    await loseWaiters(stage, { holder: HOLDER, line: () => queueAt(stage, now()) });
    await stage.crossFinishLine({ without: victims(stage) });
  },

  labels: ticketNumbers,

  check: (stage) => [servedInOrder(stage), ...lostWaiters(stage)],

  recovery: nextGrant,
  notes: (stage) => [
    ...killedNote(stage, 'while it waits, first in line.'),
    ...pausedNote(stage, 'while it waits, third in line.'),
    ...recoveryNote(
      stage,
      ({ name, afterMs }) =>
        `The first in line loses its place 4 s after it was last heard of, which was before the shot: ${afterMs} ms after the shot ${name} holds, and the queue goes on.`,
    ),
    ...backNote(stage),
  ],
  lens(stage) {
    const from = nextGrant(stage)?.held ?? stage.gunAt;
    const back = frozenTurn(stage)?.held ?? from;
    return between(from, back, {
      marginMs: 30,
      caption: `the queue goes on in its order; ticket by ticket, and the frozen one when it is back`,
    });
  },
};

/** The turn in which a worker was frozen. @param {Stage} stage */
const frozenTurn = ({ turns }) => turns.find((turn) => turn.pausedAt !== undefined);

/** @param {Stage} stage */
function backNote(stage) {
  const turn = frozenTurn(stage);
  return turn?.held === undefined || turn.continuedAt === undefined
    ? []
    : [
        {
          at: turn.held,
          worker: turn.worker,
          said: `Worker ${turn.worker} runs again, and is served ${msBetween(turn.continuedAt, turn.held).toFixed(0)} ms later: it stands in front.`,
        },
      ];
}
