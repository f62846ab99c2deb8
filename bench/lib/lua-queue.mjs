// @ts-check
// A strict queue in Lua, as a careful person would write it by hand on a bare driver: whoever releases
// takes the next one out of a list and tells its process. It has no leases, and a process that dies
// stops it: what it costs less than redlatch is what those cost.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

const ENTER = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX') then
  return 1
end
redis.call('RPUSH', KEYS[2], ARGV[1])
return 0`;

const RELEASE = `
local next = redis.call('LPOP', KEYS[2])
if not next then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], next)
redis.call('PUBLISH', string.sub(next, 1, 36), next)
return 1`;

/**
 * The same for some permits: the first key is how many are out.
 * @param {number} permits
 */
const enterOf = (permits) => `
if tonumber(redis.call('GET', KEYS[1]) or 0) < ${permits} then
  redis.call('INCR', KEYS[1])
  return 1
end
redis.call('RPUSH', KEYS[2], ARGV[1])
return 0`;

const RELEASE_PERMITS = `
local next = redis.call('LPOP', KEYS[2])
if not next then
  redis.call('DECR', KEYS[1])
  return 0
end
redis.call('PUBLISH', string.sub(next, 1, 36), next)
return 1`;

export class LuaQueue {
  #id = randomUUID();
  #redis;
  #subscriber;
  #keys;
  #sources;
  /** Digests of the sources. */
  #enter = '';
  #release = '';
  #last = 0;
  /** @type {Map<string, () => void>} */
  #waiting = new Map();

  /**
   * @param {string} url
   * @param {string} name
   * @param {number} permits
   */
  constructor(url, name, permits) {
    this.#sources = permits === 1 ? [ENTER, RELEASE] : [enterOf(permits), RELEASE_PERMITS];
    this.#redis = new Redis(url);
    this.#subscriber = new Redis(url);
    this.#keys = /** @type {const} */ ([`${name}:owner`, `${name}:queue`]);
  }

  async open() {
    this.#subscriber.on('message', (_, id) => {
      const granted = this.#waiting.get(id);
      this.#waiting.delete(id);
      granted?.();
    });
    await this.#subscriber.subscribe(this.#id);
    const loading = this.#sources.map((source) => this.#redis.script('LOAD', source));
    [this.#enter = '', this.#release = ''] = (await Promise.all(loading)).map(String);
  }

  /** @returns {Promise<import('./kinds.mjs').Grant>} */
  async acquire() {
    this.#last += 1;
    const id = `${this.#id}:${this.#last}`;
    // Before the command: the message may come before its answer.
    const turn = new Promise((resolve) => {
      this.#waiting.set(id, () => resolve(undefined));
    });
    const answer = await this.#redis.evalsha(this.#enter, 2, ...this.#keys, id);
    if (answer === 1) {
      this.#waiting.delete(id);
    } else {
      await turn;
    }
    return {
      release: async () => {
        await this.#redis.evalsha(this.#release, 2, ...this.#keys);
      },
    };
  }
}
