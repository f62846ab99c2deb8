// Entries that leave the queue of a fair lock with a release of their client. Whoever is behind one of them
// hears of it, whatever becomes of the lock.

import { expect, test } from 'vitest';
import { AHEAD_MS, held, JAVA, ONE, START, TWO } from './fair-scripts.js';

/** Somebody of client one has the lock, and has passed it on to the waiter between Java and client two. */
async function passedOn() {
  const all = await held();
  await all.java(`${JAVA}:1`, START + AHEAD_MS);
  await all.enter(START, `${ONE}:1`);
  await all.listens(TWO);
  await all.enter(START, `${TWO}:1`);
  await all.told();
  const notice = `redlatch:${TWO} r${TWO}:1 ${all.keys.lock}`;
  const ids = async (): Promise<unknown[]> => (await all.line()).map(([id]) => id);
  return { ...all, notice, ids };
}

const left = [`${JAVA}:1`, `${TWO}:1`];

test('with the release that frees the lock, which goes to Java', async () => {
  const { release, told, notice, ids } = await passedOn();

  expect(await release(START, `${ONE}:0`, 0, [`${ONE}:1`])).toBe(1);

  expect(await told()).toEqual([notice, `${JAVA}:1 0`]);
  expect(await ids()).toEqual(left);
});

test('with a release that leaves a re-entry alive', async () => {
  const { release, told, notice, ids, redis, keys } = await passedOn();

  expect(await release(START, `${ONE}:0`, 0, [`${ONE}:1`], 1)).toBe(0);

  expect(await told()).toEqual([notice]);
  expect(await ids()).toEqual(left);
  expect(await redis.hgetall(keys.lock)).toEqual({ [`${ONE}:0`]: '1' });
});

test('with a release beside a holder that was written into the lock', async () => {
  const { release, told, notice, ids, redis, keys } = await passedOn();
  await redis.hset(keys.lock, `${JAVA}:9`, 1);

  expect(await release(START, `${ONE}:0`, 0, [`${ONE}:1`])).toBe(0);

  expect(await told()).toEqual([notice]);
  expect(await ids()).toEqual(left);
  expect(await redis.hgetall(keys.lock)).toEqual({ [`${JAVA}:9`]: '1' });
});

test('with a release that finds the lock taken, and states what is alive', async () => {
  const { release, told, notice, ids, redis, keys } = await passedOn();
  await redis.del(keys.lock);
  await redis.hset(keys.lock, `${JAVA}:9`, 1);

  expect(await release(START, `${ONE}:0`, 0, [`${ONE}:1`], 1)).toBe(-1);

  expect(await told()).toEqual([notice]);
  expect(await ids()).toEqual(left);
});
