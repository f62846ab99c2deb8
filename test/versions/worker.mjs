// @ts-check
// Takes turns in one object, in several tasks, with the build of redlatch that it is given.
//
//   node worker.mjs ENTRY URLS (JSON) NAME KIND CROWD TASKS ROUNDS LEASE_MS

import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { Gauge } from '../process/workers/gauge.mjs';

const [, , entry = '', addresses = '[]', name = '', kind = '', ...numbers] = process.argv;
const [crowd = 0, tasks = 0, rounds = 0, leaseMs = 0] = numbers.map(Number);
const urls = /** @type {string[]} */ (JSON.parse(addresses));
const { createClient, createQuorumClient } = /** @type {typeof import('../../dist/index.js')} */ (
  await import(pathToFileURL(entry).href)
);
const plain = createClient({ redis: urls[0] ?? '' });
const quorum = kind.startsWith('quorum')
  ? createQuorumClient({ servers: urls, leaseMs, serverTimeoutMs: leaseMs })
  : undefined;
const store = new Redis(urls[0] ?? '');
const gauge = new Gauge(store, `${name}:gauge`);
const PERMITS = 3;

/** @typedef {import('../../dist/index.js').QuorumClient} Quorum */
/** @typedef {{ enter: () => Promise<unknown>, leave: () => Promise<unknown> }} Stay */

/** @type {Stay} */
const alone = {
  enter: async () => await gauge.enter('alone'),
  leave: async () => await gauge.leave('alone'),
};

/** @param {number} [limit] @returns {Stay} */
const shared = (limit) => ({
  enter: async () => await gauge.enter('shared', limit),
  leave: async () => await gauge.leave('shared'),
});

/**
 * @param {{ using<T>(task: () => Promise<T>): Promise<T> }} object
 * @param {Stay} stay
 */
async function turn(object, { enter, leave }) {
  await object.using(async () => {
    await enter();
    await leave();
  });
}

/** @param {import('../../dist/index.js').FencedLock} lock */
async function fencedTurn(lock) {
  await lock.using(async ({ fencingToken }) => {
    await gauge.enter('alone', undefined, fencingToken);
    await gauge.leave('alone');
  });
}

/** @type {Record<string, (round: number) => Promise<void>>} */
const turns = {
  lock: async () => await turn(plain.getLock(name), alone),
  'fair lock': async () => await turn(plain.getFairLock(name), alone),
  'fenced lock': async () => await fencedTurn(plain.getFencedLock(name)),
  'read-write lock': async (round) => {
    const { readLock, writeLock } = plain.getReadWriteLock(name);
    await (round % 2 === 0 ? turn(readLock, shared()) : turn(writeLock, alone));
  },
  semaphore: async () =>
    await turn(plain.getSemaphore(name, { permits: PERMITS }), shared(PERMITS)),
  'permit-expirable semaphore': async () =>
    await turn(plain.getPermitExpirableSemaphore(name, { permits: PERMITS }), shared(PERMITS)),
  // All sets have the name of the gauge.
  'multi-lock': async (round) =>
    await turn(plain.getMultiLock([name, `${name}-${round % 3}`]), alone),
  latch: async (round) => {
    const latch = plain.getCountDownLatch(`${name}-${round}`);
    await latch.trySetCount(crowd * tasks);
    await latch.countDown();
    await latch.wait();
    await shared().enter();
    await shared().leave();
  },
  'quorum lock': async () => await turn(/** @type {Quorum} */ (quorum).getLock(name), alone),
  'quorum fenced lock': async () =>
    await fencedTurn(/** @type {Quorum} */ (quorum).getFencedLock(name)),
};

process.on('message', () => {
  const all = Array.from({ length: tasks }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      await turns[kind]?.(round);
    }
  });
  void Promise.all(all).then(async () => {
    await Promise.all([plain.close(), quorum?.close()]);
    await store.quit();
    process.send?.({ type: 'done' });
    process.disconnect();
  });
});
await store.ping();
process.send?.({ type: 'ready' });
