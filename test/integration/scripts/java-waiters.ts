// Redisson's waiters of a fair lock, as its scripts move them, at instants that a test chooses.

import type { Redis } from 'ioredis';

interface Keys {
  readonly lock: string;
  readonly queue: string;
  readonly timeouts: string;
}

const EVICT = `
  local now = tonumber(ARGV[1])
  local evicted = {}
  while true do
    local head = redis.call('LINDEX', KEYS[2], 0)
    local score = head and redis.call('ZSCORE', KEYS[3], head)
    if not score or tonumber(score) > now then
      break
    end
    redis.call('ZREM', KEYS[3], head)
    redis.call('LPOP', KEYS[2])
    evicted[#evicted + 1] = head
  end
`;

const ATTEMPT = `${EVICT}
  local holder, wait = ARGV[2], tonumber(ARGV[3])
  if redis.call('EXISTS', KEYS[1]) == 0
    and (redis.call('EXISTS', KEYS[2]) == 0 or redis.call('LINDEX', KEYS[2], 0) == holder) then
    redis.call('LPOP', KEYS[2])
    redis.call('ZREM', KEYS[3], holder)
    for _, member in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
      redis.call('ZINCRBY', KEYS[3], -wait, member)
    end
    redis.call('HSET', KEYS[1], holder, 1)
    redis.call('PEXPIRE', KEYS[1], 30000)
    return { 1, evicted }
  end
  if not redis.call('ZSCORE', KEYS[3], holder) then
    local last = redis.call('LINDEX', KEYS[2], -1)
    local score = last and redis.call('ZSCORE', KEYS[3], last)
    local ttl = score and score - now or redis.call('PTTL', KEYS[1])
    redis.call('ZADD', KEYS[3], ttl + wait + now, holder)
    redis.call('RPUSH', KEYS[2], holder)
  end
  return { 0, evicted }
`;

const RELEASE = `${EVICT}
  redis.call('DEL', KEYS[1])
  return { 1, evicted }
`;

const FAIL = `
  local holder, wait = ARGV[2], tonumber(ARGV[3])
  local evicted, is_behind = {}, false
  for _, member in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    if is_behind then
      redis.call('ZINCRBY', KEYS[3], -wait, member)
    end
    is_behind = is_behind or member == holder
  end
  redis.call('ZREM', KEYS[3], holder)
  redis.call('LREM', KEYS[2], 0, holder)
  return { 0, evicted }
`;

/** What a call has done: whether the lock was granted, and whom it took for dead. */
export interface Done {
  readonly isIn: boolean;
  readonly evicted: readonly string[];
}

export class JavaWaiters {
  readonly #redis: Redis;
  readonly #keys: Keys;

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** It asks for the lock, and enters the queue if it does not get it. */
  async attempt(atMs: number, holder: string, patienceMs: number): Promise<Done> {
    return await this.#run(ATTEMPT, atMs, holder, patienceMs);
  }

  /** Its time is up, or it was interrupted. */
  async fail(atMs: number, holder: string, patienceMs: number): Promise<Done> {
    return await this.#run(FAIL, atMs, holder, patienceMs);
  }

  /** Whoever of Java holds the lock frees it. */
  async release(atMs: number): Promise<Done> {
    return await this.#run(RELEASE, atMs, '', 0);
  }

  async #run(script: string, atMs: number, holder: string, patienceMs: number): Promise<Done> {
    const { lock, queue, timeouts } = this.#keys;
    const answer = await this.#redis.eval(
      script,
      3,
      lock,
      queue,
      timeouts,
      atMs,
      holder,
      patienceMs,
    );
    const [isIn, evicted] = answer as [number, string[]];
    return { isIn: isIn === 1, evicted };
  }
}
