// @ts-check
// The resource that a fenced lock guards: a store of its own, outside Redis, that remembers the
// largest fencing token it has seen and refuses writes with a smaller one.

/** @typedef {{ at: bigint, worker: number, token: bigint, accepted: boolean }} StoreWrite */

export class TokenStore {
  /** @type {StoreWrite[]} every write that arrived, in order */
  writes = [];
  highest = 0n;
  #checksTokens;

  /** @param {{ checksTokens: boolean }} options */
  constructor({ checksTokens }) {
    this.#checksTokens = checksTokens;
  }

  /**
   * @param {number} worker
   * @param {bigint} token
   * @returns {boolean} whether the store took the write
   */
  write(worker, token) {
    const accepted = token >= this.highest || !this.#checksTokens;
    this.writes.push({ at: process.hrtime.bigint(), worker, token, accepted });
    if (accepted) {
      this.highest = token;
    }
    return accepted;
  }
}
