// @ts-check
// What a lock guards: a counter outside of Redis. Workers read it, work, and write one more. It may remember the
// largest fencing token that it has seen, and refuse writes with a smaller one.
import { now } from './events.mjs';

/** @typedef {import('../test/simulation/history.js').Write} Write */
/** @typedef {{ id: number, write?: { token: bigint, read: number, readAt: number, turn: number } }} Request
 *   without `write` it asks for the value */

export class Store {
  /** @type {Write[]} every write that arrived, in order */
  writes = [];
  value = 0;
  #highest = 0n;
  #checksTokens;

  /** @param {{ checksTokens: boolean }} options */
  constructor({ checksTokens }) {
    this.#checksTokens = checksTokens;
  }

  /**
   * @param {number} worker
   * @param {Request} request
   * @returns {{ id: number, answer: number }} the value, or 1 when a write was taken and 0 when not
   */
  serve(worker, { id, write }) {
    if (write === undefined) {
      return { id, answer: this.value };
    }
    const { token, read, readAt, turn } = write;
    const isAccepted = token >= this.#highest || !this.#checksTokens;
    const owner = `worker ${worker} in turn ${turn}`;
    const times = { readAt, wroteAt: now() };
    this.writes.push({
      object: 'shared',
      client: worker,
      owner,
      token,
      read,
      isAccepted,
      ...times,
    });
    if (isAccepted) {
      this.#highest = token;
      this.value = read + 1;
    }
    return { id, answer: isAccepted ? 1 : 0 };
  }
}
