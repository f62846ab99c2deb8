// A cache of several keys, of which nobody ever sees a half: readers share it, and when it is empty
// one of them fills it again while the others wait.
//
// Whoever finds it empty asks for the write lock and looks again: of all those who came, the first
// one rebuilds, and the others find it full. The one that has rebuilt it goes on reading without a
// gap: it takes the read lock while it still writes, and then gives the write lock back.
// From then on everybody reads, and no writer can have come in between.
//
// The other way round is refused: who reads and asks for the write lock in the same scope would
// wait for itself (DeadlockError). So the read lock is given back first.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { createClient } from 'redlatch';

const PROCESSES = 3;
const READERS_EACH = 4;
const WAIT = { waitMs: 20_000 };

// Every run has a cache of its own, so that two runs do not meet.
const [cache = `example:cache:${randomUUID()}`, role = 'main'] = process.argv.slice(2);
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const client = createClient({ redis });
const { readLock, writeLock } = client.getReadWriteLock(`${cache}:lock`);

/** Reads both keys one after the other; null when the cache is empty. */
async function look() {
  const readers = await redis.incr(`${cache}:readers`);
  const prices = await redis.get(`${cache}:prices`);
  await delay(50); // enough for somebody to change the other key, if there were no lock
  const sum = await redis.get(`${cache}:sum`);
  await redis.multi().decr(`${cache}:readers`).rpush(`${cache}:together`, readers).exec();
  return prices === null ? null : { prices: prices.split(' ').map(Number), sum: Number(sum) };
}

async function rebuild() {
  await redis.set(`${cache}:prices`, '3 4 5', 'EX', 60);
  await delay(50);
  await redis.set(`${cache}:sum`, 12, 'EX', 60);
  await redis.incr(`${cache}:rebuilt`);
}

/** Fills the cache if it is still empty, and reads it. */
async function refill() {
  const read = await writeLock.using(async () => {
    if ((await redis.exists(`${cache}:sum`)) === 1) {
      return null; // Somebody else was first.
    }
    await rebuild();
    return await readLock.acquire(); // at once: it is the writer that asks
  }, WAIT);
  // The write lock is given back; who rebuilt the cache is a reader among others now.
  try {
    return await (read === null ? readLock.using(look, WAIT) : look());
  } finally {
    await read?.release();
  }
}

async function reader() {
  const found = (await readLock.using(look, WAIT)) ?? (await refill());
  if (found === null) {
    throw new Error('the cache is empty, right after it was filled');
  }
  const sum = found.prices.reduce((total, price) => total + price, 0);
  await redis.incr(sum === found.sum ? `${cache}:whole` : `${cache}:half`);
}

async function main() {
  const children = Array.from({ length: PROCESSES }, () =>
    fork(fileURLToPath(import.meta.url), [cache, 'readers']),
  );
  await Promise.all(children.map((child) => once(child, 'exit')));

  const counters = ['rebuilt', 'whole', 'half'].map((word) => `${cache}:${word}`);
  const [rebuilt, whole, half] = (await redis.mget(counters)).map(Number);
  console.log(`rebuilt: ${rebuilt} time`);
  console.log(`readers who saw all of it: ${whole} of ${PROCESSES * READERS_EACH}`);
  console.log(`readers who saw a half: ${half}`);
  const together = await redis.lrange(`${cache}:together`, 0, -1);
  console.log('readers at the same time:', Math.max(...together.map(Number)) > 1);
  const others = ['prices', 'sum', 'readers', 'together'].map((word) => `${cache}:${word}`);
  await redis.del(...counters, ...others);
}

await (role === 'readers' ? Promise.all(Array.from({ length: READERS_EACH }, reader)) : main());
await client.close();
redis.disconnect();
