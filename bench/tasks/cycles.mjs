// @ts-check
// Acquire and release over and over: by latchkey, or by the same two scripts on a bare driver.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { lockAcquire, lockAcquireFenced, lockRelease } from '../../dist/core/scripts.generated.js';
import { createClient } from '../../dist/index.js';
import { median } from '../lib/stats.mjs';

/** @typedef {'lock' | 'fenced lock'} Kind */

/**
 * @typedef {object} CyclesOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {'ours' | 'bare'} side
 * @property {Kind} kind
 * @property {number} loops at the same time, each on a lock of its own
 * @property {number} ms length of a round
 *
 * @typedef {object} CyclesRound
 * @property {number} perSecond
 * @property {number} p50Us of one acquire and release
 * @property {number} cpuUs of this process, per acquire and release
 */

/** @typedef {() => Promise<void>} Cycle */

const LEASE_MS = 30_000;

/**
 * @param {CyclesOptions} options
 * @returns {(name: string) => Cycle}
 */
function ours({ url, keyPrefix, kind }) {
  const client = createClient({ redis: url, keyPrefix });
  return (name) => {
    const lock = kind === 'lock' ? client.getLock(name) : client.getFencedLock(name);
    return async () => {
      const hold = await lock.acquire();
      await hold.release();
    };
  };
}

/**
 * What a careful person would write by hand: the same operands, a fresh holder id each time.
 *
 * @param {CyclesOptions} options
 * @returns {(name: string) => Cycle}
 */
function bare({ url, keyPrefix, kind }) {
  const redis = new Redis(url);
  const clientId = randomUUID();
  let holders = 0;
  return (name) => {
    const lock = keyPrefix + name;
    const acquire = async (/** @type {string} */ holder, /** @type {string} */ cancelled) => {
      const args = { holder, count: 1, leaseMs: LEASE_MS };
      if (kind === 'lock') {
        const operands = lockAcquire.operands({ lock, cancelled }, args);
        const reply = await redis.evalsha(lockAcquire.sha1, .../** @type {[number]} */ (operands));
        return reply === null;
      }
      const token = `redisson_lock_token:{${lock}}`;
      const operands = lockAcquireFenced.operands({ lock, cancelled, token }, args);
      const { sha1 } = lockAcquireFenced;
      const reply = await redis.evalsha(sha1, .../** @type {[number]} */ (operands));
      return String(reply).startsWith('+') && BigInt(String(reply).slice(1)) > 0n;
    };
    return async () => {
      holders += 1;
      const holder = `${clientId}:${holders}`;
      const cancelled = `latchkey_cancelled:{${lock}}:${holder}`;
      const taken = await acquire(holder, cancelled);
      const channel = `redisson_lock__channel:{${lock}}`;
      const args = { holder, count: 0, burnMs: 0, publish: 'PUBLISH', channel };
      const operands = lockRelease.operands({ lock, cancelled }, args);
      const reply = await redis.evalsha(lockRelease.sha1, .../** @type {[number]} */ (operands));
      if (!taken || reply !== 1) {
        throw new Error('a lock of ours was in use');
      }
    };
  };
}

/** The bare side calls its scripts by digest only: the server has to know them.
 * @param {string} url */
async function loadScripts(url) {
  const redis = new Redis(url);
  for (const { source } of [lockAcquire, lockAcquireFenced, lockRelease]) {
    await redis.script('LOAD', source);
  }
  await redis.quit();
}

/**
 * @param {CyclesOptions} options
 * @returns {Promise<{ round(): Promise<CyclesRound> }>}
 */
export async function cycles(options) {
  await loadScripts(options.url);
  const { kind, loops, ms, side } = options;
  const create = side === 'ours' ? ours(options) : bare(options);
  const all = Array.from({ length: loops }, (_, i) => create(`${side}:${kind}:${loops}:${i}`));
  return {
    async round() {
      /** @type {number[]} */
      const samples = [];
      const startedAt = performance.now();
      const cpu = process.cpuUsage();
      const repeat = async (/** @type {Cycle} */ cycle) => {
        let now = performance.now();
        while (now < startedAt + ms) {
          const before = now;
          await cycle();
          now = performance.now();
          samples.push(now - before);
        }
      };
      await Promise.all(all.map(repeat));
      const { user, system } = process.cpuUsage(cpu);
      const seconds = (performance.now() - startedAt) / 1_000;
      return {
        perSecond: samples.length / seconds,
        p50Us: median(samples) * 1_000,
        cpuUs: (user + system) / samples.length,
      };
    },
  };
}
