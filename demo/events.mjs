// @ts-check
// What the demo records. Times are `process.hrtime.bigint()`: one clock for all processes of a
// machine, so instants taken in different workers may be compared.

/**
 * One recorded event. `worker` is whom it is about; 0 is the stage itself.
 *
 * | type       | when it is recorded                                                       |
 * | ---------- | ------------------------------------------------------------------------- |
 * | ready      | before waiting for the start gun                                          |
 * | gun        | before the start gun is fired (stage)                                     |
 * | go         | the start gun let the worker pass                                         |
 * | asked      | before acquire() is called                                                |
 * | held       | acquire() has settled                                                     |
 * | increment  | Redis has acknowledged the counter's new value                            |
 * | write      | the guarded store has answered                                            |
 * | released   | before release() is called                                                |
 * | release-failed | release() was refused                                                 |
 * | lost       | the client told of a lost hold                                            |
 * | sprinted   | the worker's sprint is over                                               |
 * | at-mercy   | the worker holds, and waits for its accident                              |
 * | killed     | SIGKILL was sent (stage)                                                  |
 * | paused     | SIGSTOP was sent (stage)                                                  |
 * | continued  | SIGCONT is about to be sent (stage)                                       |
 * | resumed    | the first line that the worker ran after the pause                        |
 * | arrived    | before the worker counts the finish line down                             |
 * | finished   | the finish line let the worker pass                                       |
 * | trouble    | something that should not happen                                          |
 *
 * @typedef {object} DemoEvent
 * @property {bigint} at
 * @property {number} worker
 * @property {string} type
 * @property {bigint} [token] fencing token of the hold
 * @property {bigint} [deadline] until when the hold was certain when this was recorded
 * @property {boolean} [isHeld] hold.isHeld at that moment
 * @property {boolean} [aborted] hold.signal.aborted at that moment
 * @property {boolean} [accepted] what the store said to a write
 * @property {boolean} [stale] a write sent on purpose after the hold was over
 * @property {string} [message]
 */

/**
 * One pass of one worker: it asked, it held, it stopped holding.
 *
 * @typedef {object} Turn
 * @property {number} worker
 * @property {bigint} asked
 * @property {bigint} [held]
 * @property {bigint} [end] end of the claim: release() called, isHeld became false, or killed
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

/** @param {bigint} a @param {bigint} b */
export const earlier = (a, b) => (a < b ? a : b);

/**
 * The value below which a share of the values lies (nearest rank).
 * @param {number[]} values
 * @param {number} share from 0 to 1
 */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

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
      const turn = { worker: event.worker, asked: event.at };
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
function follow(turn, { type, at, isHeld, token, deadline }) {
  switch (type) {
    case 'held':
      turn.held = at;
      Object.assign(turn, { deadline, ...(token === undefined ? {} : { token }) });
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
