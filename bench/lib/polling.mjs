// @ts-check
// The lock that everybody writes first: SET NX again and again until it succeeds.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

const LEASE_MS = 30_000;

export class Polling {
  #redis;
  #key;
  #prefix = randomUUID();
  #last = 0;
  /** Commands that were sent. */
  sent = 0;

  /**
   * @param {string} url
   * @param {string} key
   */
  constructor(url, key) {
    this.#redis = new Redis(url);
    this.#key = key;
  }

  /** @returns {Promise<import('./kinds.mjs').Grant>} */
  async acquire() {
    this.#last += 1;
    const id = `${this.#prefix}:${this.#last}`;
    let answer = null;
    while (answer === null) {
      this.sent += 1;
      answer = await this.#redis.set(this.#key, id, 'PX', LEASE_MS, 'NX');
    }
    return {
      release: async () => {
        this.sent += 1;
        await this.#redis.del(this.#key);
      },
    };
  }
}
