// @ts-check
// What the workers and the stage write down. Times are milliseconds of the one monotonic clock that all
// processes of a machine share, so instants taken in different workers may be compared.

/**
 * One recorded event. `worker` is whom it is about; 0 is the stage itself.
 *
 * | type       | when it is recorded                                                         |
 * | ---------- | --------------------------------------------------------------------------- |
 * | ready      | the worker is connected; tells its client's id                              |
 * | gun        | before the start gun is fired (stage)                                       |
 * | asked      | before acquire() is called                                                  |
 * | in-line    | the ticket was seen in the queue, or has been served                        |
 * | held       | acquire() has settled                                                       |
 * | told       | the signal of the hold was aborted                                          |
 * | released   | before release() is called                                                  |
 * | done       | release() has settled                                                       |
 * | call       | another call has settled: of a latch, or of the number of permits           |
 * | sprinted   | the worker's sprint is over                                                 |
 * | at-mercy   | the worker holds, and waits for its accident                                |
 * | killed     | SIGKILL is about to be sent (stage)                                         |
 * | paused     | SIGSTOP is about to be sent (stage)                                         |
 * | continued  | SIGCONT is about to be sent (stage)                                         |
 * | resumed    | the first line that the worker ran after the pause                          |
 * | cut        | all connections of the worker's client are about to be cut (stage)          |
 * | finished   | the finish line let the worker pass                                         |
 * | background | the client told of an error behind its calls                                |
 * | trouble    | something that should not happen                                            |
 *
 * @typedef {object} DemoEvent
 * @property {number} at
 * @property {number} worker
 * @property {string} type
 * @property {number} [turn] which of the worker's turns it belongs to
 * @property {Mode} [mode] of what was asked for, exclusive by default
 * @property {string} [clientId]
 * @property {string} [holderId] as it stands in Redis; of a permit, its id
 * @property {bigint} [token] fencing token of the hold
 * @property {number} [deadline] until when the hold was certain when this was recorded
 * @property {boolean} [isHeld] hold.isHeld at that moment
 * @property {Call} [call]
 * @property {string} [message]
 */

/** @typedef {import('../test/simulation/history.js').Mode} Mode */

/**
 * @typedef {Pick<import('../test/simulation/history.js').Operation,
 *   'object' | 'kind' | 'action' | 'amount' | 'answer'> & { from: number }} Call
 */

/** The present, on the clock that all processes share. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * @param {readonly DemoEvent[]} events
 * @param {string} type
 * @param {number} [worker]
 */
export const ofType = (events, type, worker) =>
  events.filter((e) => e.type === type && (worker === undefined || e.worker === worker));

/** @param {string} object @param {Call['action']} action @param {number} [amount] */
export const latchCall = (object, action, amount = 1) => ({
  object,
  kind: /** @type {const} */ ('latch'),
  action,
  amount,
});

/**
 * Makes a call, and tells what the record says of it.
 * @template T
 * @param {Omit<Call, 'from' | 'answer'>} given
 * @param {() => Promise<T>} make
 * @returns {Promise<Call>}
 */
export async function called(given, make) {
  const from = now();
  const value = await make();
  const answer = typeof value === 'number' ? value : undefined;
  return { ...given, from, answer };
}
