// @ts-check
// What a hold weighs on the heap of its process. Needs --expose-gc.
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';
import { leased, setUp } from '../lib/kinds.mjs';

/**
 * @typedef {object} MemoryOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {import('../lib/kinds.mjs').LeasedKind} kind
 * @property {number} holds
 * @property {boolean} signals listen to the signal of every hold
 * @property {boolean} [waits] weighs those who wait for one lock instead, which somebody else has
 *
 * @typedef {{ bytesPerHold: number }} MemoryRound
 */

function lost() {}

/** @returns {Promise<number>} */
async function heapUsed() {
  for (let i = 0; i < 4; i++) {
    await turn();
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

/**
 * @param {MemoryOptions} options
 * @returns {Promise<{ round(): Promise<MemoryRound> }>}
 */
async function ofWaiters({ url, keyPrefix, holds: count }) {
  const name = `memory:${process.pid}`;
  const holder = createClient({ redis: url, keyPrefix, leaseMs: 600_000 });
  await holder.getLock(name).acquire();
  return {
    async round() {
      const client = createClient({ redis: url, keyPrefix });
      await client.getLock(`${name}:free`).isLocked();
      const before = await heapUsed();
      const waits = Array.from({ length: count }, () => client.getLock(name).acquire());
      // The first one has asked, and listens.
      await sleep(1_000);
      const after = await heapUsed();
      // Not before: what it keeps for each of them is not ours.
      const ended = Promise.allSettled(waits);
      await client.close();
      await ended;
      return { bytesPerHold: (after - before) / count };
    },
  };
}

/**
 * @param {MemoryOptions} options
 * @returns {Promise<{ round(): Promise<MemoryRound> }>}
 */
export async function memory(options) {
  const { url, keyPrefix, kind, holds, signals, waits = false } = options;
  if (globalThis.gc === undefined) {
    throw new Error('needs --expose-gc');
  }
  if (waits) {
    return await ofWaiters(options);
  }
  // Thousands of calls at once may take long on a busy machine.
  const client = createClient({ redis: url, keyPrefix, commandTimeoutMs: 60_000 });
  const name = `memory:${process.pid}`;
  await setUp(client, kind, name, holds);
  // Each hold is of a lock of its own, but permits are of one semaphore.
  const semaphore = kind === 'permit-expirable semaphore' ? leased[kind](client, name) : undefined;
  const acquire = async (/** @type {number} */ i) => {
    const hold = await (semaphore ?? leased[kind](client, `${name}:${i}`)).acquire();
    if (signals) {
      hold.signal.addEventListener('abort', lost);
    }
    return hold;
  };
  /** @param {number} count */
  const acquireMany = async (count) =>
    await Promise.all(Array.from({ length: count }, (_, i) => acquire(i)));
  const warmUp = async () => {
    const held = await acquireMany(holds);
    await Promise.all(held.map(async (hold) => await hold.release()));
  };
  // Compiled code, grown tables and socket buffers stay; they belong to no hold.
  await warmUp();
  return {
    async round() {
      const before = await heapUsed();
      const held = await acquireMany(holds);
      const after = await heapUsed();
      await Promise.all(held.map(async (hold) => await hold.release()));
      return { bytesPerHold: (after - before) / held.length };
    },
  };
}
