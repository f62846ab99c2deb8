// The scores in the line of a fair lock in which waiters of Java stand too.

import { describe, expect, test } from 'vitest';
import { AHEAD_MS, JAVA, ONE, PATIENCE_MS, stage, START, TWO } from './fair-scripts.js';

describe('an entry behind waiters of Java', () => {
  test('outlasts the patience of each of them', async () => {
    const { acquire, java, line } = await stage();
    await acquire(START, `${TWO}:0`);
    await java(`${JAVA}:1`, START + PATIENCE_MS);
    await java(`${JAVA}:2`, START + 2 * PATIENCE_MS);

    await acquire(START, `${ONE}:1`);

    expect((await line()).at(-1)).toEqual([`${ONE}:1`, AHEAD_MS + 2 * PATIENCE_MS]);
  });

  test.each([300, 5_000, PATIENCE_MS, 1_000_000])(
    'that would wait for %i ms behind one of ours has that on top',
    async (patienceMs) => {
      const { acquire, java, line } = await stage();
      await acquire(START, `${TWO}:0`);
      await acquire(START, `${ONE}:1`);
      await java(`${JAVA}:1`, START + AHEAD_MS + patienceMs);
      await java(`${JAVA}:2`, START + AHEAD_MS + 2 * patienceMs);

      await acquire(START, `${TWO}:1`);
      await acquire(START + 1_000, `${ONE}:1`, 'front');
      await acquire(START + 1_100, `${TWO}:1`, 'front');

      // All move along with the one before them.
      expect(await line()).toEqual([
        [`${ONE}:1`, AHEAD_MS + 1_000],
        [`${JAVA}:1`, AHEAD_MS + 1_000 + patienceMs],
        [`${JAVA}:2`, AHEAD_MS + 1_000 + 2 * patienceMs],
        [`${TWO}:1`, AHEAD_MS + 1_100 + 2 * patienceMs],
      ]);
    },
  );

  test.each([
    ['is new, and brief', 35_000, 35_000],
    ['has waited for four minutes', 90_001, PATIENCE_MS],
    ['is more patient than the default', 1_000_000, 1_000_000],
    ['is about to be taken for dead', -1, 0],
  ])('that is the head and %s', async (_, aheadMs, enoughMs) => {
    const { acquire, java, line } = await stage();
    await acquire(START, `${TWO}:0`);
    await java(`${JAVA}:1`, START + aheadMs);

    await acquire(START, `${ONE}:1`);
    await acquire(START + 2_500, `${TWO}:1`);
    await acquire(START + 2_600, `${ONE}:1`, 'front');

    expect((await line()).slice(1)).toEqual([
      [`${ONE}:1`, AHEAD_MS + enoughMs + 2_600],
      [`${TWO}:1`, AHEAD_MS + enoughMs + 2_500],
    ]);
  });

  test('that was served leaves it as far ahead as before', async () => {
    const { acquire, java, line, redis, keys } = await stage();
    await acquire(START, `${TWO}:0`);
    await java(`${JAVA}:1`, START + 100_000);
    await java(`${JAVA}:2`, START + 107_000);
    await acquire(START, `${ONE}:1`);
    // As Redisson's script does it.
    await redis.lpop(keys.queue);
    await redis.zrem(keys.timeouts, `${JAVA}:1`);
    for (const id of [`${JAVA}:2`, `${ONE}:1`]) {
      await redis.zincrby(keys.timeouts, -PATIENCE_MS, id);
    }

    await acquire(START + 1_000, `${ONE}:1`, 'front');

    expect((await line()).at(-1)).toEqual([`${ONE}:1`, AHEAD_MS + 1_000 + 7_000]);
  });
});

describe('a Java waiter behind one of ours that leaves', () => {
  test.each([
    ['as the head has its patience from then on', [], 2_000 + 7_000],
    ['is right behind the Java waiter before', [40_000], 40_000 + 7_000],
  ])('%s', async (_, before, expected) => {
    const { acquire, release, java, line } = await stage();
    await acquire(START, `${TWO}:0`);
    for (const aheadMs of before) {
      await java(`${JAVA}:0`, START + aheadMs);
    }
    await acquire(START, `${ONE}:1`);
    const score = Number((await line()).at(-1)?.[1]);
    await java(`${JAVA}:1`, START + score + 7_000);
    await java(`${JAVA}:2`, START + score + 8_000);

    await release(START + 2_000, `${ONE}:1`);

    expect((await line()).slice(-2)).toEqual([
      [`${JAVA}:1`, expected],
      [`${JAVA}:2`, expected + 1_000],
    ]);
  });
});
