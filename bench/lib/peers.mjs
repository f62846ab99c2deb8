// @ts-check
// Locks of other libraries, with the settings that they have by default, except that they wait for as long
// as it takes, and the pair of commands that one would write by hand.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { Redis } from 'ioredis';
import { Mutex, Semaphore } from 'redis-semaphore';

/**
 * @typedef {import('./kinds.mjs').Grant} Grant
 * @typedef {'SET NX and script' | 'redis-semaphore' | 'redlock 4' | 'redlock 5'} Peer
 * @typedef {(key: string) => () => Promise<Grant>} Locks
 *
 * What a lock of a peer needs to know.
 * @typedef {object} Setting
 * @property {Redis} redis
 * @property {number} leaseMs
 */

const LEASE_MS = 30_000;
const FOR_EVER_MS = 2 ** 31 - 1;
const DELETE_OWN = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0`;
/** Neither version of redlock comes with types that are found. */
const require = createRequire(import.meta.url);

/** @param {Setting} setting @returns {Locks} */
function byHand({ redis, leaseMs }) {
  redis.defineCommand('deleteOwn', { numberOfKeys: 1, lua: DELETE_OWN });
  const driver = /** @type {Redis & { deleteOwn(key: string, id: string): Promise<number> }} */ (
    redis
  );
  const prefix = randomUUID();
  let last = 0;
  return (key) => async () => {
    last += 1;
    const id = `${prefix}:${last}`;
    if ((await redis.set(key, id, 'PX', leaseMs, 'NX')) === null) {
      throw new Error(`${key} was in use`);
    }
    return { release: async () => void (await driver.deleteOwn(key, id)) };
  };
}

/** @param {Setting} setting @returns {Locks} */
function bySemaphore({ redis, leaseMs }) {
  const options = { lockTimeout: leaseMs, acquireTimeout: FOR_EVER_MS };
  return (key) => async () => {
    const mutex = new Mutex(redis, key, options);
    await mutex.acquire();
    return { release: async () => await mutex.release() };
  };
}

/**
 * @typedef {{ release?(): Promise<unknown>, unlock?(): Promise<unknown> }} RedlockLock
 * @typedef {{ acquire(keys: string[], ms: number): Promise<RedlockLock> }} Redlock
 * @typedef {new (clients: Redis[], settings: object) => Redlock} RedlockClass
 */

/**
 * @param {unknown} loaded the module, of one version or the other
 * @returns {RedlockClass}
 */
function redlockOf(loaded) {
  const { default: found = loaded } = /** @type {{ default?: unknown }} */ (loaded);
  return /** @type {RedlockClass} */ (found);
}

/**
 * @param {Redis[]} servers
 * @param {number} leaseMs
 * @param {unknown} loaded
 * @returns {Locks}
 */
function byRedlock(servers, leaseMs, loaded) {
  const Redlock = redlockOf(loaded);
  const redlock = new Redlock(servers, { retryCount: -1 });
  return (key) => async () => {
    const lock = await redlock.acquire([key], leaseMs);
    return {
      release: async () => {
        await (lock.release?.() ?? lock.unlock?.());
      },
    };
  };
}

/** @type {Record<Peer, (setting: Setting) => Locks>} */
const makers = {
  'SET NX and script': byHand,
  'redis-semaphore': bySemaphore,
  'redlock 4': ({ redis, leaseMs }) => byRedlock([redis], leaseMs, require('redlock-4')),
  'redlock 5': ({ redis, leaseMs }) => byRedlock([redis], leaseMs, require('redlock')),
};

/** @typedef {'ours' | 'redlock 4' | 'redlock 5'} QuorumSide */

/** Locks that a majority of servers holds.
 * @type {readonly QuorumSide[]} */
export const QUORUM_SIDES = ['ours', 'redlock 4', 'redlock 5'];

/**
 * @param {Exclude<QuorumSide, 'ours'>} side
 * @param {readonly string[]} urls
 * @param {number} leaseMs
 * @returns {Locks}
 */
export function redlocksOf(side, urls, leaseMs) {
  // Without a queue: with one, each lock waits for a dead server until the driver gives up after about 10 s.
  const servers = urls.map((url) => new Redis(url, { enableOfflineQueue: false }));
  // One of them may be dead, which is no news.
  servers.forEach((redis) => redis.on('error', () => {}));
  return byRedlock(servers, leaseMs, require(side === 'redlock 4' ? 'redlock-4' : 'redlock'));
}

/** @type {readonly Peer[]} */
export const PEERS = ['SET NX and script', 'redis-semaphore', 'redlock 4', 'redlock 5'];

/**
 * @param {string} name
 * @returns {name is Peer}
 */
export function isPeer(name) {
  return Object.hasOwn(makers, name);
}

/**
 * @param {Peer} peer
 * @param {string} url
 * @param {number} [leaseMs]
 * @returns {Locks}
 */
export function locksOf(peer, url, leaseMs = LEASE_MS) {
  return makers[peer]({ redis: new Redis(url), leaseMs });
}

/**
 * The semaphore of redis-semaphore: the others have none.
 * @param {string} url
 * @param {string} key
 * @param {number} permits
 * @returns {() => Promise<Grant>}
 */
export function semaphoreOf(url, key, permits) {
  const redis = new Redis(url);
  const options = { lockTimeout: LEASE_MS, acquireTimeout: FOR_EVER_MS };
  return async () => {
    const semaphore = new Semaphore(redis, key, permits, options);
    await semaphore.acquire();
    return { release: async () => await semaphore.release() };
  };
}
