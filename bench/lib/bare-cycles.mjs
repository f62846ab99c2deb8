// @ts-check
// One acquire and release of each kind of object on a bare driver.
import { randomBytes } from 'node:crypto';
import { prefixed, privateKey, suffixed } from '../../dist/compiled/core/base/key-names.js';
import { readWriteKeys } from '../../dist/compiled/core/locks/write-line.js';
import * as scripts from '../../dist/compiled/core/wire/scripts.generated.js';
import { check } from './bare.mjs';
import { PERMITS } from './kinds.mjs';

/** @typedef {import('./bare.mjs').Bare} Bare */
/** @typedef {import('./kinds.mjs').Kind} Kind */
/** @typedef {import('./kinds.mjs').Cycle} Cycle */

const LEASE_MS = 30_000;
const PUBLISH = 'PUBLISH';
const CLAIM = Buffer.from(`1 ${LEASE_MS}`);
const ONE = Buffer.from('1');

/**
 * @param {Bare} bare
 * @param {string} key
 * @param {(holder: string, tombstone: string) => Promise<boolean>} acquire
 * @param {(holder: string, tombstone: string) => Promise<boolean>} release
 * @returns {Cycle}
 */
function lockCycle(bare, key, acquire, release) {
  const tombstoneStem = privateKey('redlatch_cancelled', key);
  return async () => {
    const holder = `${bare.clientId}:${bare.next()}`;
    const tombstone = `${tombstoneStem}:${holder}`;
    const taken = await acquire(holder, tombstone);
    const freed = await release(holder, tombstone);
    check(taken && freed);
  };
}

/** @param {string} lock */
function lineOf(lock) {
  const [line, tickets] = [privateKey('redlatch_line', lock), privateKey('redlatch_tickets', lock)];
  return { line, tickets };
}

/** @param {string} holder */
function enterArgs(holder) {
  return {
    holder,
    leaseMs: LEASE_MS,
    windowMs: LEASE_MS / 3,
    isListening: 0,
    tokens: 1,
    replaces: '',
    publish: PUBLISH,
  };
}

/**
 * @param {Bare} bare
 * @param {string} lock
 * @param {string[]} token
 */
function releaseOf(bare, lock, token) {
  const channel = prefixed('redisson_lock__channel', lock);
  return async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
    const args = { holder, count: 0, tombstoneMs: 0, publish: PUBLISH, channel, listens: 0 };
    const keys = { lock, tombstone, ...lineOf(lock), token };
    const operands = scripts.lockRelease.operands(keys, args);
    return (await bare.run(scripts.lockRelease, operands)) === 1;
  };
}

/**
 * The keys of a semaphore that both of its scripts use.
 * @param {Bare} bare
 * @param {string} key
 */
function semaphoreKeys(bare, key) {
  return {
    semaphore: key,
    requests: `${privateKey('redlatch_requests', key)}:${bare.clientId}`,
    queue: privateKey('redlatch_waiting', key),
    heartbeats: privateKey('redlatch_beats', key),
    record: privateKey('redlatch_permits', key),
  };
}

/** @type {Record<Kind, (bare: Bare, key: string) => Cycle | Promise<Cycle>>} */
const cycles = {
  lock(bare, lock) {
    const line = lineOf(lock);
    const acquire = async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
      const keys = { lock, tombstone, ...line, token: [] };
      const operands = scripts.lockEnter.operands(keys, enterArgs(holder));
      return (await bare.run(scripts.lockEnter, operands)) === '+ 0 0';
    };
    return lockCycle(bare, lock, acquire, releaseOf(bare, lock, []));
  },

  'fenced lock'(bare, lock) {
    const token = [prefixed('redisson_lock_token', lock)];
    const line = lineOf(lock);
    const acquire = async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
      const operands = scripts.lockEnter.operands(
        { lock, tombstone, ...line, token },
        enterArgs(holder),
      );
      const reply = String(await bare.run(scripts.lockEnter, operands));
      return reply.startsWith('+ 0 ') && BigInt(reply.slice(4)) > 0n;
    };
    return lockCycle(bare, lock, acquire, releaseOf(bare, lock, token));
  },

  'fair lock'(bare, lock) {
    const { fairLockAcquire, fairLockRelease } = scripts;
    const channel = prefixed('redisson_lock__channel', lock);
    const line = {
      queue: prefixed('redisson_lock_queue', lock),
      timeouts: prefixed('redisson_lock_timeout', lock),
      heartbeats: privateKey('redlatch_beats', lock),
      tickets: privateKey('redlatch_tickets', lock),
    };
    const twinHeartbeats = [privateKey('redlatch_beats', `{${lock}}`)];
    const acquire = async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
      const args = {
        holder,
        count: 1,
        leaseMs: LEASE_MS,
        position: 'none',
        windowMs: 0,
        publish: PUBLISH,
        channel,
      };
      const operands = fairLockAcquire.operands({ lock, tombstone, ...line, twinHeartbeats }, args);
      return (await bare.run(fairLockAcquire, operands)) === '+ 2 0';
    };
    const release = async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
      const args = { holder, count: 0, tombstoneMs: 0, publish: PUBLISH, channel, others: [] };
      const operands = fairLockRelease.operands({ lock, tombstone, ...line }, args);
      return (await bare.run(fairLockRelease, operands)) === 1;
    };
    return lockCycle(bare, lock, acquire, release);
  },

  'write lock'(bare, lock) {
    const { rwlockAcquireWrite, rwlockReleaseWrite } = scripts;
    const told = { publish: PUBLISH, channel: prefixed('redisson_rwlock', lock) };
    const stem = suffixed(lock, '');
    const keysOf = (/** @type {string} */ tombstone) => ({
      ...readWriteKeys(lock),
      tombstone: `${tombstone}:write`,
    });
    const acquire = async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
      const terms = { position: 'queue', windowMs: 10_000, isListening: 0, replaces: '', rank: 0 };
      const args = { holder, count: 1, leaseMs: LEASE_MS, ...terms, ...told, stem };
      const operands = rwlockAcquireWrite.operands(keysOf(tombstone), args);
      return (await bare.run(rwlockAcquireWrite, operands)) === '+ 0 0';
    };
    const release = async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
      const keys = keysOf(tombstone);
      const args = { holder, count: 0, tombstoneMs: 0, listens: 0, ...told, stem };
      return (await bare.run(rwlockReleaseWrite, rwlockReleaseWrite.operands(keys, args))) === 1;
    };
    return lockCycle(bare, lock, acquire, release);
  },

  'read lock'(bare, lock) {
    const { rwlockAcquireRead, rwlockReleaseRead } = scripts;
    const keys = readWriteKeys(lock);
    const told = { publish: PUBLISH, channel: prefixed('redisson_rwlock', lock) };
    const stem = suffixed(lock, '');
    const lease = String(LEASE_MS);
    const acquire = async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
      const hold = suffixed(lock, `${holder}:rwlock_timeout:1`);
      const ofClaims = [tombstone, hold, hold];
      const claims = [holder, '1', lease, '0', ''];
      const operands = rwlockAcquireRead.operands(
        { ...keys, ofClaims },
        { client: bare.clientId, position: 'join', rest: 0, ...told, claims },
      );
      return String(await bare.run(rwlockAcquireRead, operands)).endsWith(' T');
    };
    const release = async (/** @type {string} */ holder, /** @type {string} */ tombstone) => {
      const holds = [suffixed(lock, `${holder}:rwlock_timeout:1`)];
      const free = { count: 0, tombstoneMs: 0, listens: 0, others: [] };
      const args = { holder, ...free, ...told, stem };
      const operands = rwlockReleaseRead.operands({ ...keys, tombstone, holds }, args);
      return (await bare.run(rwlockReleaseRead, operands)) === 1;
    };
    return lockCycle(bare, lock, acquire, release);
  },

  async semaphore(bare, key) {
    const { semaphoreAcquire, semaphoreRelease } = scripts;
    const keys = semaphoreKeys(bare, key);
    const same = {
      publish: PUBLISH,
      channel: prefixed('redisson_sc', key),
      client: bare.clientId,
      mustQueue: 0,
    };
    await bare.setPermits(key);
    return async () => {
      const taking = bare.next();
      const wanted = { number: taking, lowWater: taking, ...same, needs: [1] };
      const taken = String(
        await bare.run(semaphoreAcquire, semaphoreAcquire.operands(keys, wanted)),
      );
      const giving = bare.next();
      const mark = taken.slice(taken.lastIndexOf(' ') + 1);
      const given = {
        number: giving,
        lowWater: giving,
        ...same,
        permits: 1,
        mark,
        place: 1,
        declared: '',
        needs: [],
      };
      const freed = String(
        await bare.run(semaphoreRelease, semaphoreRelease.operands(keys, given)),
      );
      check(taken === `1 1 -1 0 -1 ${mark}` && freed.startsWith(`0 0 -1 ${PERMITS} 0 `));
    };
  },

  async 'permit-expirable semaphore'(bare, key) {
    const { expirableSemaphoreAcquire, expirableSemaphoreRelease } = scripts;
    const sides = ['leases', 'deleted'].map((word) => privateKey(`redlatch_${word}`, key));
    const [leases = '', deleted = ''] = sides;
    const timeouts = suffixed(key, 'timeout');
    const keys = { ...semaphoreKeys(bare, key), timeouts, leases, deleted, twin: [] };
    const told = { publish: PUBLISH, channel: prefixed('redisson_sc', key) };
    const same = { ...told, client: bare.clientId, mustQueue: 0 };
    await bare.setPermits(key);
    return async () => {
      const number = bare.next();
      const first = randomBytes(16);
      const wanted = {
        number,
        lowWater: number,
        ...same,
        declared: '',
        claims: [Buffer.concat([first, CLAIM])],
      };
      const taken = await bare.run(
        expirableSemaphoreAcquire,
        expirableSemaphoreAcquire.operands(keys, wanted),
      );
      const given = { ...told, claim: Buffer.concat([first, ONE]), idle: [] };
      const operands = expirableSemaphoreRelease.operands(keys, given);
      const freed = await bare.run(expirableSemaphoreRelease, operands);
      check(taken === '1 -1 -1' && freed === 1);
    };
  },
};

/**
 * One acquire and release of an object of our own, over and over.
 * @param {Bare} bare
 * @param {Kind} kind
 * @param {string} key
 * @returns {Promise<Cycle>}
 */
export async function bareCycle(bare, kind, key) {
  return await cycles[kind](bare, key);
}
