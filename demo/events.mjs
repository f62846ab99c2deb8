// @ts-check
// What the demo records. Times are `process.hrtime.bigint()`: one clock for all processes of a
// machine, so instants taken in different workers may be compared.
import { quantile } from 'd3-array';

/**
 * One recorded event. `worker` is whom it is about; 0 is the stage itself.
 *
 * | type       | when it is recorded                                                       |
 * | ---------- | ------------------------------------------------------------------------- |
 * | ready      | before waiting for the start gun; tells the client's id                   |
 * | gun        | before the start gun is fired (stage)                                     |
 * | go         | the start gun let the worker pass                                         |
 * | asked      | before acquire() is called                                                |
 * | held       | acquire() has settled                                                     |
 * | increment  | Redis has acknowledged the counter's new value                            |
 * | write      | the guarded store has answered                                            |
 * | read       | both halves of the guarded record were read                               |
 * | inside     | Redis has counted the worker in                                           |
 * | downgraded | before a writer that reads as well releases its write hold                |
 * | released   | before release() is called                                                |
 * | release-failed | release() was refused                                                 |
 * | lost       | the client told of a lost hold                                            |
 * | sprinted   | the worker's sprint is over; tells what it cost                           |
 * | at-mercy   | the worker holds, and waits for its accident                              |
 * | killed     | SIGKILL was sent (stage)                                                  |
 * | paused     | SIGSTOP was sent (stage)                                                  |
 * | cut        | all connections of the worker's client are about to be cut (stage)        |
 * | continued  | SIGCONT is about to be sent (stage)                                       |
 * | resumed    | the first line that the worker ran after the pause                        |
 * | arrived    | before the worker counts the finish line down                             |
 * | finished   | the finish line let the worker pass                                       |
 * | background | the client told of an error behind its calls                              |
 * | trouble    | something that should not happen                                          |
 *
 * @typedef {object} DemoEvent
 * @property {bigint} at
 * @property {number} worker
 * @property {string} type
 * @property {Mode} [mode] what was asked for, where there is a choice
 * @property {string} [clientId]
 * @property {string} [holderId] as it stands in Redis; of a permit, its id
 * @property {bigint} [token] fencing token of the hold
 * @property {bigint} [deadline] until when the hold was certain when this was recorded
 * @property {boolean} [isHeld] hold.isHeld at that moment
 * @property {boolean} [aborted] hold.signal.aborted at that moment
 * @property {boolean} [accepted] what the store said to a write
 * @property {boolean} [stale] a write sent on purpose after the hold was over
 * @property {boolean} [torn] the two halves that a reader read did not fit together
 * @property {number} [count] how many Redis counted inside
 * @property {number} [scripts] script calls that the worker has sent in its sprint
 * @property {string} [message]
 */

/** @typedef {'read' | 'write'} Mode */

/**
 * One pass of one worker: it asked, it held, it stopped holding.
 *
 * @typedef {object} Turn
 * @property {number} worker
 * @property {bigint} asked
 * @property {Mode} [mode]
 * @property {string} [holderId]
 * @property {bigint} [held]
 * @property {bigint} [downgradedAt] from then on it only read
 * @property {bigint} [end] end of the claim, or of the wait: release() called, isHeld became false,
 *   or killed
 * @property {'released' | 'lost' | 'killed'} [ended]
 * @property {bigint} [token]
 * @property {bigint} [deadline]
 * @property {bigint} [pausedAt]
 * @property {bigint} [continuedAt]
 */

/** The present, on the clock that all processes share. */
export const now = () => process.hrtime.bigint();

/**
 * Milliseconds between two recorded instants.
 * @param {bigint} from
 * @param {bigint} to
 */
export const msBetween = (from, to) => Number(to - from) / 1e6;

/** Milliseconds as the clock counts them. @param {number} value */
export const ms = (value) => BigInt(Math.round(value * 1e6));

/** @param {bigint} a @param {bigint} b */
export const earlier = (a, b) => (a < b ? a : b);

/** @param {bigint} a @param {bigint} b */
export const later = (a, b) => (a > b ? a : b);

/** NaN where there are no values. @param {number[]} values @param {number} share 0.5 for the median */
export const percentile = (values, share) => quantile(values, share) ?? Number.NaN;

/**
 * @param {DemoEvent[]} events
 * @param {string} type
 * @param {number} [worker]
 */
export const ofType = (events, type, worker) =>
  events.filter((e) => e.type === type && (worker === undefined || e.worker === worker));

/**
 * Folds the events into turns, in the order in which they were granted.
 * @param {DemoEvent[]} events
 * @returns {Turn[]}
 */
export function turnsOf(events) {
  /** @type {Map<number, Turn>} */
  const current = new Map();
  /** @type {Turn[]} */
  const turns = [];
  for (const event of events.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    if (event.type === 'asked') {
      const { mode } = event;
      const turn = { worker: event.worker, asked: event.at, ...(mode && { mode }) };
      current.set(event.worker, turn);
      turns.push(turn);
    } else {
      const turn = current.get(event.worker);
      if (turn !== undefined) {
        follow(turn, event);
      }
    }
  }
  return turns.toSorted((a, b) => ((a.held ?? a.asked) < (b.held ?? b.asked) ? -1 : 1));
}

/**
 * @param {Turn} turn
 * @param {DemoEvent} event
 */
function follow(turn, { type, at, isHeld, token, holderId, deadline }) {
  switch (type) {
    case 'held':
      turn.held = at;
      Object.assign(turn, { deadline, holderId, ...(token === undefined ? {} : { token }) });
      break;
    case 'downgraded':
      turn.downgradedAt = at;
      break;
    case 'at-mercy':
      Object.assign(turn, { deadline });
      break;
    case 'paused':
      turn.pausedAt = at;
      break;
    case 'continued':
      turn.continuedAt = at;
      break;
    case 'killed':
      turn.end = at;
      turn.ended = 'killed';
      break;
    case 'released':
      // Where the hold was over before, the claim ended at the last deadline that we know of.
      turn.ended = isHeld === true ? 'released' : 'lost';
      turn.end = isHeld === true ? at : earlier(at, turn.deadline ?? at);
      break;
    default:
  }
}
