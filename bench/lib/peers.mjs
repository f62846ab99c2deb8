// @ts-check
// Locks of other libraries, with the settings that they have by default, except that they wait for as long
// as it takes, and the pair of commands that one would write by hand.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { Redis } from 'ioredis';
import { Mutex } from 'redis-semaphore';

/**
 * @typedef {import('./kinds.mjs').Grant} Grant
 * @typedef {'SET NX and script' | 'redis-semaphore' | 'redlock 4' | 'redlock 5'} Peer
 * @typedef {(key: string) => () => Promise<Grant>} Locks
 */

const LEASE_MS = 30_000;
const FOR_EVER_MS = 2 ** 31 - 1;
const DELETE_OWN = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0`;
/** Neither version of redlock comes with types that are found. */
const require = createRequire(import.meta.url);

/** @param {Redis} redis @returns {Locks} */
function byHand(redis) {
  redis.defineCommand('deleteOwn', { numberOfKeys: 1, lua: DELETE_OWN });
  const driver = /** @type {Redis & { deleteOwn(key: string, id: string): Promise<number> }} */ (
    redis
  );
  const prefix = randomUUID();
  let last = 0;
  return (key) => async () => {
    last += 1;
    const id = `${prefix}:${last}`;
    if ((await redis.set(key, id, 'PX', LEASE_MS, 'NX')) === null) {
      throw new Error(`${key} was in use`);
    }
    return { release: async () => void (await driver.deleteOwn(key, id)) };
  };
}

/** @param {Redis} redis @returns {Locks} */
function bySemaphore(redis) {
  return (key) => async () => {
    const options = { lockTimeout: LEASE_MS, acquireTimeout: FOR_EVER_MS };
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
 * @param {Redis} redis
 * @param {unknown} loaded
 * @returns {Locks}
 */
function byRedlock(redis, loaded) {
  const Redlock = redlockOf(loaded);
  const redlock = new Redlock([redis], { retryCount: -1 });
  return (key) => async () => {
    const lock = await redlock.acquire([key], LEASE_MS);
    return {
      release: async () => {
        await (lock.release?.() ?? lock.unlock?.());
      },
    };
  };
}

/** @type {Record<Peer, (redis: Redis) => Locks>} */
const makers = {
  'SET NX and script': byHand,
  'redis-semaphore': bySemaphore,
  'redlock 4': (redis) => byRedlock(redis, require('redlock-4')),
  'redlock 5': (redis) => byRedlock(redis, require('redlock')),
};

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
 * @returns {Locks}
 */
export function locksOf(peer, url) {
  return makers[peer](new Redis(url));
}
