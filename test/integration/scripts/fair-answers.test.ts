// What a waiter with a ticket of a fair lock is answered, at chosen instants.

import { describe, expect, test } from 'vitest';
import { AHEAD_MS, held, JAVA, ONE, type stage, START, TWO } from './fair-scripts.js';

type Stage = Awaited<ReturnType<typeof stage>>;

describe('a ticket', () => {
  test('is answered the time of the server, and whether its client was seen to listen', async () => {
    const all = await held();

    expect(await all.enter(START + 5, `${TWO}:1`)).toMatch(new RegExp(` ${START + 5} 0 0$`));
    await all.listens(TWO);
    expect(await all.enter(START + 6, `${TWO}:1`)).toMatch(new RegExp(` ${START + 6} 0 1$`));
  });

  test.each([
    ['a holder whose client does not listen does not', async () => {}, '0'],
    [
      'a holder whose client listens does',
      async (all: Stage) => void (await all.listens(ONE)),
      '1',
    ],
    [
      'a waiter with a ticket does',
      async (all: Stage) => void (await all.enter(START, `${ONE}:1`)),
      '1',
    ],
    [
      'a waiter of Java does not',
      async (all: Stage) => await all.java(`${JAVA}:1`, START + AHEAD_MS),
      '0',
    ],
    [
      'a waiter that races does not',
      async (all: Stage) => void (await all.acquire(START, `${ONE}:1`)),
      '0',
    ],
  ])('is told whether the one before it hands the lock on: %s', async (_, before, isOurs) => {
    const all = await held();
    await before(all);
    await all.listens(TWO);

    expect(await all.enter(START, `${TWO}:1`)).toMatch(new RegExp(` ${isOurs} 1$`));
    expect(await all.enter(START, `${TWO}:2`)).toMatch(/ 1 1$/);
    expect(await all.enter(START, `${TWO}:1`, 'front')).toMatch(new RegExp(` ${isOurs} 1$`));
  });

  test.each(['front', 'queue'] as const)(
    'is told which one of its client has the lock, wherever it stands: %s',
    async (position) => {
      const all = await held();
      await Promise.all([all.listens(ONE), all.listens(TWO)]);
      await all.enter(START, `${ONE}:1`);
      await all.enter(START, `${TWO}:1`);
      await all.enter(START, `${ONE}:2`);
      expect(await all.enter(START, `${ONE}:1`, position)).toMatch(new RegExp(` 1 1 ${ONE}:0$`));
      await all.release(START, `${ONE}:0`);

      expect(await all.redis.hkeys(all.keys.lock)).toEqual([`${ONE}:1`]);
      expect(await all.enter(START, `${ONE}:2`, position)).toMatch(new RegExp(` 1 1 ${ONE}:1$`));
      expect(await all.enter(START, `${TWO}:1`, position)).toMatch(/ 1 1$/);
    },
  );

  test('is told of nobody where several holders were written into the lock', async () => {
    const all = await held();
    await all.redis.hset(all.keys.lock, `${JAVA}:1`, 1);

    for (let i = 0; i < 20; i += 1) {
      expect(await all.enter(START, `${ONE}:1`)).toMatch(/^\d+ \d+ [01] [01]$/);
    }
  });
});
