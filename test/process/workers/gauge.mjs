// @ts-check
// Who is inside an object, counted on the server in one step each, and so without any clock or
// order of messages: how many at most, and who came upon somebody who should not have been there.

import { setTimeout as delay } from 'node:timers/promises';

// KEYS[1] the gauge; ARGV: shared or alone, how many may share, who, and the fencing token or nothing.
// Answers how often it was full. A turn is all that one enters without anybody between.
export const ENTER = `
local gauge, side = KEYS[1], ARGV[1]
local inside = redis.call('HINCRBY', gauge, side, 1)
local counts = redis.call('HMGET', gauge, 'shared', 'alone', 'full', 'peak', 'lastMs', 'gapMs')
for i = 1, 6 do counts[i] = tonumber(counts[i] or 0) end
local shared, alone, full, peak, last, gap = unpack(counts)
if alone > 1 or alone > 0 and shared > 0 or shared > tonumber(ARGV[2]) then
  redis.call('HINCRBY', gauge, 'clashes', 1)
end
if shared == tonumber(ARGV[2]) then redis.call('HINCRBY', gauge, 'full', 1) end
if shared > peak then redis.call('HSET', gauge, 'peak', shared) end
redis.call('HINCRBY', gauge, 'entries', 1)
if redis.call('HGET', gauge, 'who') ~= ARGV[3] then
  redis.call('HINCRBY', gauge, 'turns ' .. ARGV[3], 1)
end
redis.call('HSET', gauge, 'who', ARGV[3])
if (ARGV[4] or '') ~= '' then
  local token, before = tonumber(ARGV[4]), tonumber(redis.call('HGET', gauge, 'token') or 0)
  if token <= before then redis.call('HINCRBY', gauge, 'oldTokens', 1) end
  redis.call('HINCRBY', gauge, 'tokens', 1)
  redis.call('HSET', gauge, 'token', ARGV[4])
end
redis.call('HINCRBY', gauge, side .. 'Entries', 1)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if last > 0 and now - last > gap then redis.call('HSET', gauge, 'gapMs', now - last) end
redis.call('HSET', gauge, 'lastMs', string.format('%.0f', now))
return full
`;

// KEYS[1] the gauge; ARGV: shared or alone. Answers how many have entered.
export const LEAVE = `
redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
return tonumber(redis.call('HGET', KEYS[1], 'entries'))
`;

export class Gauge {
  #store;
  #key;

  /**
   * @param {import('ioredis').Redis | import('ioredis').Cluster} store
   * @param {string} key
   */
  constructor(store, key) {
    this.#store = store;
    this.#key = key;
  }

  /**
   * @param {'shared' | 'alone'} side
   * @param {number} [limit] how many may share
   * @param {bigint} [token] must be larger than all before
   * @returns {Promise<number>} how often the limit was reached before
   */
  async enter(side, limit = 1_000_000, token) {
    const args = [side, limit, process.pid, token === undefined ? '' : String(token)];
    return Number(await this.#store.eval(ENTER, 1, this.#key, ...args));
  }

  /**
   * @param {'shared' | 'alone'} side
   * @returns {Promise<number>} how many have entered so far
   */
  async leave(side) {
    return Number(await this.#store.eval(LEAVE, 1, this.#key, side));
  }

  /**
   * Waits until the counts are as wanted.
   *
   * @param {(counts: { full: number, peak: number, entries: number }) => boolean} isTrue
   */
  async until(isTrue) {
    for (;;) {
      const [full, peak, entries] = await this.#store.hmget(this.#key, 'full', 'peak', 'entries');
      if (isTrue({ full: Number(full), peak: Number(peak), entries: Number(entries) })) {
        return;
      }
      await delay(5);
    }
  }
}
