// The line of a fair lock at chosen instants: who is next, whom Java would count as absent, and who is
// told.

import { describe, expect, test } from 'vitest';
import { AHEAD_MS, JAVA, LEASE_MS, ONE, PATIENCE_MS, stage, START, TWO } from './fair-scripts.js';

describe('a waiter', () => {
  test('enters the queue behind those before it, five seconds ahead', async () => {
    const { acquire, line } = await stage();

    expect(await acquire(START, `${ONE}:0`)).toBe(null);
    expect(await acquire(START, `${ONE}:1`)).toBeGreaterThan(LEASE_MS - 5_000);
    await acquire(START + 10, `${TWO}:1`);

    expect(await line()).toEqual([
      [`${ONE}:1`, AHEAD_MS],
      [`${TWO}:1`, AHEAD_MS + 10],
    ]);
  });

  test('that asks without a place gets none', async () => {
    const { acquire, line } = await stage();
    await acquire(START, `${ONE}:0`);

    await acquire(START, `${ONE}:1`, 'none');

    expect(await line()).toEqual([]);
  });

  test('gets in when it is its turn, and not before', async () => {
    const { acquire, release, line } = await stage();
    await acquire(START, `${ONE}:0`);
    await acquire(START, `${ONE}:1`);
    await acquire(START, `${TWO}:1`);
    await release(START + 1, `${ONE}:0`);

    expect(await acquire(START + 1, `${TWO}:1`)).toBe(3_999);
    expect(await acquire(START + 1, `${TWO}:2`, 'none')).toBe(3_999);
    expect(await acquire(START + 1, `${ONE}:1`)).toBe(null);

    expect(await line()).toEqual([[`${TWO}:1`, AHEAD_MS]]);
  });

  test('renews the places of its client with each heartbeat, at most every half second', async () => {
    const { acquire, line } = await stage();
    await acquire(START, `${TWO}:0`);
    await acquire(START, `${ONE}:1`);
    await acquire(START, `${ONE}:2`);

    await acquire(START + 499, `${ONE}:1`);
    expect(await line()).toEqual([
      [`${ONE}:1`, AHEAD_MS],
      [`${ONE}:2`, AHEAD_MS],
    ]);
    await acquire(START + 500, `${ONE}:1`);
    expect(await line()).toEqual([
      [`${ONE}:1`, AHEAD_MS + 500],
      [`${ONE}:2`, AHEAD_MS + 500],
    ]);
  });

  test('returns to the front where Java has dropped it, if it was the first of its client', async () => {
    const { acquire, redis, keys, line } = await stage();
    await acquire(START, `${TWO}:0`);
    await acquire(START, `${ONE}:1`);
    await acquire(START, `${TWO}:1`);
    await redis.lpop(keys.queue);
    await redis.zrem(keys.timeouts, `${ONE}:1`);

    await acquire(START + 1, `${ONE}:1`, 'front');

    expect((await line()).map(([id]) => id)).toEqual([`${ONE}:1`, `${TWO}:1`]);
  });

  test('that has a tombstone leaves no place', async () => {
    const { acquire, release, line } = await stage();
    await acquire(START, `${TWO}:0`);
    await acquire(START, `${ONE}:1`);
    await release(START, `${ONE}:1`, 60_000);

    expect(await acquire(START, `${ONE}:1`)).toBe(-3);
    expect(await line()).toEqual([]);
  });
});

test('an entry behind waiters of ours needs no patience for them', async () => {
  const { acquire, line, redis, keys } = await stage();
  await acquire(START, `${TWO}:0`);
  await acquire(START, `${TWO}:1`);
  await acquire(START, `${ONE}:1`);

  await acquire(START + 500, `${ONE}:1`);

  expect(await line()).toEqual([
    [`${TWO}:1`, AHEAD_MS],
    [`${ONE}:1`, AHEAD_MS + 500],
  ]);
  expect(await redis.zrange(keys.heartbeats, '0', '-1')).toEqual([TWO, ONE]);
});

describe('the head of the queue', () => {
  test('of ours is absent four seconds after the last heartbeat of its client', async () => {
    const { acquire, release, line } = await stage();
    await acquire(START, `${TWO}:0`);
    await acquire(START, `${ONE}:1`);
    await release(START, `${TWO}:0`);

    expect(await acquire(START + 3_999, `${TWO}:1`)).toBe(1);
    expect(await acquire(START + 4_000, `${TWO}:1`)).toBe(null);
    expect(await line()).toEqual([]);
  });

  test('of Java is absent when its score has passed', async () => {
    const { acquire, java } = await stage();
    await java(`${JAVA}:1`, START + 100);

    expect(await acquire(START + 99, `${ONE}:1`, 'none')).toBe(1);
    expect(await acquire(START + 100, `${ONE}:1`, 'none')).toBe(null);
  });

  test('is told by a release', async () => {
    const { acquire, release, told } = await stage();
    await acquire(START, `${ONE}:0`);
    await acquire(START, `${ONE}:1`);
    await acquire(START, `${TWO}:1`);
    await told();

    expect(await release(START + 1, `${ONE}:0`)).toBe(1);
    expect(await told()).toEqual([`${ONE}:1 0`]);
    await acquire(START + 1, `${ONE}:1`);
    expect(await release(START + 1, `${ONE}:1`)).toBe(1);
    expect(await told()).toEqual([`${TWO}:1 0`]);
    await acquire(START + 1, `${TWO}:1`);
    expect(await release(START + 1, `${TWO}:1`)).toBe(1);
    expect(await told()).toEqual([]);
  });

  test('that leaves while the lock is free lets the next one know', async () => {
    const { acquire, release, told } = await stage();
    await acquire(START, `${ONE}:0`);
    await acquire(START, `${ONE}:1`);
    await acquire(START, `${TWO}:1`);
    await release(START + 1, `${ONE}:0`);
    await told();

    expect(await release(START + 1, `${ONE}:1`)).toBe(-2);
    expect(await told()).toEqual([`${TWO}:1 0`]);
  });

  test('stays where it is when another leaves, and is told nothing by that', async () => {
    const { acquire, release, told, line } = await stage();
    await acquire(START, `${ONE}:0`);
    await acquire(START, `${ONE}:1`);
    await acquire(START, `${TWO}:1`);
    await told();

    expect(await release(START + 1, `${TWO}:1`)).toBe(-1);
    await release(START + 1, `${ONE}:0`);
    await told();
    expect(await release(START + 1, `${TWO}:2`)).toBe(-2);

    expect([await told(), (await line()).map(([id]) => id)]).toEqual([[], [`${ONE}:1`]]);
  });

  test('is told by a forced release of a lock that was held, and only then', async () => {
    const { acquire, force, told } = await stage();
    await acquire(START, `${ONE}:0`);
    await acquire(START, `${TWO}:1`);
    await told();

    expect([await force(START + 1), await told()]).toEqual(['1', [`${TWO}:1 0`]]);
    expect([await force(START + 1), await told()]).toEqual(['0', []]);
  });
});

test('what belongs to Java has a TTL for as long as an entry of ours is the last', async () => {
  const { acquire, release, java, redis, keys } = await stage();
  const ttls = async () => [await redis.pttl(keys.queue), await redis.pttl(keys.timeouts)];
  await acquire(START, `${TWO}:0`);
  await java(`${JAVA}:1`, START + PATIENCE_MS);

  await acquire(START, `${ONE}:1`);
  const left = AHEAD_MS + PATIENCE_MS + 600_000;
  for (const ttl of await ttls()) {
    expect(Math.abs(left - ttl)).toBeLessThan(5_000);
  }
  await release(START, `${ONE}:1`);

  expect(await ttls()).toEqual([-1, -1]);
});

test('places that a client takes between two heartbeats end with its others', async () => {
  const { acquire, line } = await stage();
  await acquire(START, `${ONE}:0`);
  await acquire(START, `${ONE}:1`);
  await acquire(START + 400, `${ONE}:2`);
  await acquire(START + 400, `${TWO}:1`);
  await acquire(START + 800, `${TWO}:2`);
  await acquire(START + 899, `${TWO}:3`);

  expect(await line()).toEqual([
    [`${ONE}:1`, AHEAD_MS],
    [`${ONE}:2`, AHEAD_MS],
    [`${TWO}:1`, AHEAD_MS + 400],
    [`${TWO}:2`, AHEAD_MS + 400],
    [`${TWO}:3`, AHEAD_MS + 400],
  ]);
});
