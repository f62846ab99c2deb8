// Who is handed a fair lock at chosen instants, and what those are told who are not.

import { describe, expect, test } from 'vitest';
import {
  AHEAD_MS,
  held,
  JAVA,
  LEASE_MS,
  ONE,
  type stage,
  START,
  TWO,
  WINDOW_MS,
} from './fair-scripts.js';

type Stage = Awaited<ReturnType<typeof stage>>;

/** The message about a grant, as its client hears it. */
const granted = ({ keys }: Stage, holder: string, atMs: number, followers = 0): string =>
  `redlatch:${holder.slice(0, 36)} f${holder} ${atMs} ${WINDOW_MS} ${followers} ${keys.lock}`;

const ids = async ({ line }: Stage): Promise<unknown[]> => (await line()).map(([id]) => id);

test('who finds the lock free for somebody else, and waits behind a third one, learns when to ask', async () => {
  const all = await held();
  await all.listens(TWO);
  await all.enter(START, `${TWO}:1`);
  await all.enter(START, `${TWO}:2`);
  await all.redis.del(all.keys.lock);

  const answer = await all.enter(START + 1, `${ONE}:3`);

  expect(answer).toMatch(new RegExp(`^${WINDOW_MS} `));
  expect(await all.redis.hgetall(all.keys.lock)).toEqual({ [`${TWO}:1`]: '1' });
});

describe('a release', () => {
  test('gives the lock to the first whose client listens, for its window, and tells that client', async () => {
    const all = await held();
    await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.enter(START, `${TWO}:2`);
    await all.told();

    expect(await all.release(START + 7, `${ONE}:0`)).toBe(-5);

    expect(await all.told()).toEqual([granted(all, `${TWO}:1`, START + 7, 1)]);
    expect(await all.redis.hgetall(all.keys.lock)).toEqual({ [`${TWO}:1`]: '1' });
    const leftMs = await all.redis.pttl(all.keys.lock);
    expect(leftMs).toBeLessThanOrEqual(WINDOW_MS);
    expect(leftMs).toBeGreaterThan(WINDOW_MS - 5_000);
    expect(await all.redis.hgetall(all.keys.tickets)).toEqual({ [`${TWO}:2`]: `${WINDOW_MS} 1` });
    expect(await ids(all)).toEqual([`${TWO}:2`]);
  });

  test('says how many of the same client are right behind, up to fifteen', async () => {
    const all = await held();
    await Promise.all([all.listens(TWO), all.listens(ONE)]);
    for (const holder of [`${TWO}:1`, `${TWO}:2`, `${TWO}:3`, `${ONE}:1`, `${TWO}:4`]) {
      await all.enter(START, holder);
    }
    for (let i = 1; i <= 20; i += 1) {
      await all.enter(START, `${ONE}:1${i}`);
    }
    await all.told();

    await all.release(START + 1, `${ONE}:0`);
    expect(await all.told()).toEqual([granted(all, `${TWO}:1`, START + 1, 2)]);

    expect(await all.release(START + 2, `${TWO}:1`, 0, [`${TWO}:2`, `${TWO}:3`])).toBe(-5);
    expect(await all.told()).toEqual([granted(all, `${ONE}:1`, START + 2)]);
    expect((await ids(all)).slice(0, 2)).toEqual([`${TWO}:4`, `${ONE}:11`]);
    await all.release(START + 3, `${ONE}:1`);
    await all.release(START + 4, `${TWO}:4`);
    expect((await all.told()).at(-1)).toBe(granted(all, `${ONE}:11`, START + 4, 15));
    expect(await all.redis.hlen(all.keys.tickets)).toBe(19);
  });

  test('passes over a client that has stopped listening, which keeps its place', async () => {
    const all = await held();
    const stop = await all.listens(TWO);
    await all.listens(ONE);
    await all.enter(START, `${TWO}:1`);
    await all.enter(START, `${ONE}:1`);
    await stop();
    await all.told();

    await all.release(START + 1, `${ONE}:0`);

    expect(await all.told()).toEqual([granted(all, `${ONE}:1`, START + 1)]);
    expect(await ids(all)).toEqual([`${TWO}:1`]);
  });

  test('passes over all waiters of a client of which the first one is away', async () => {
    const all = await held();
    await all.enter(START, `${TWO}:2`);
    const stop = await all.listens(TWO);
    await all.enter(START, `${TWO}:1`, 'front');
    await stop();
    await all.told();
    expect(await all.redis.hgetall(all.keys.tickets)).toEqual({
      [`${TWO}:1`]: `${WINDOW_MS} 1`,
      [`${TWO}:2`]: `${WINDOW_MS} 0`,
    });

    expect(await all.release(START + 1, `${ONE}:0`)).toBe(1);

    expect(await all.told()).toEqual([]);
    expect(await ids(all)).toEqual([`${TWO}:1`, `${TWO}:2`]);
  });

  test('gives it for a second to a client that did not listen when it was last heard of', async () => {
    const all = await held();
    await all.enter(START, `${TWO}:1`);

    expect(await all.release(START + 1_000, `${ONE}:0`)).toBe(-5);
    expect(await all.enter(START + 1_001, `${TWO}:1`, 'front')).toBe('+ 2 0');
  });

  test('passes it over after that', async () => {
    const all = await held();
    await all.enter(START, `${TWO}:1`);

    expect(await all.release(START + 1_001, `${ONE}:0`)).toBe(1);
    expect(await ids(all)).toEqual([`${TWO}:1`]);
  });

  test('drops those it has passed over before a waiter of Java, which admits the head alone', async () => {
    const all = await held();
    const stop = await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.java(`${JAVA}:1`, START + 60_000);
    await stop();
    await all.told();

    expect(await all.release(START + 1, `${ONE}:0`)).toBe(1);

    expect(await all.told()).toEqual([`${JAVA}:1 0`]);
    expect(await ids(all)).toEqual([`${JAVA}:1`]);
    expect(await all.redis.exists(all.keys.tickets)).toBe(0);
    await all.redis.hset(all.keys.lock, `${JAVA}:9`, 1);
    await all.enter(START + 2, `${TWO}:1`, 'front');
    expect(await ids(all)).toEqual([`${TWO}:1`, `${JAVA}:1`]);
  });

  test('drops whoever was not heard of for four seconds, wherever it stands', async () => {
    const all = await held();
    const stop = await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.enter(START, `${ONE}:1`);
    await all.enter(START + 3_000, `${TWO}:1`);
    await stop();

    expect(await all.release(START + 5_000, `${ONE}:0`)).toBe(1);

    expect(await ids(all)).toEqual([`${TWO}:1`]);
  });

  test('by force gives it to the first, too', async () => {
    const all = await held();
    await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.told();

    expect(await all.force(START + 1)).toBe('1');

    expect(await all.told()).toContain(granted(all, `${TWO}:1`, START + 1));
    expect(await all.redis.hgetall(all.keys.lock)).toEqual({ [`${TWO}:1`]: '1' });
    expect(await all.redis.pttl(all.keys.lock)).toBeLessThanOrEqual(WINDOW_MS);
  });
});

describe('a waiter that finds the lock free', () => {
  test('gives it to the one before it', async () => {
    const all = await held();
    await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.enter(START, `${ONE}:1`);
    await all.redis.del(all.keys.lock);
    await all.told();

    expect(await all.enter(START + 1, `${ONE}:1`, 'front')).toBe(`${WINDOW_MS} ${START + 1} 1 0`);

    expect(await all.told()).toEqual([granted(all, `${TWO}:1`, START + 1)]);
    expect(await ids(all)).toEqual([`${ONE}:1`]);
  });

  test('takes it if those before it are away', async () => {
    const all = await held();
    const stop = await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.redis.del(all.keys.lock);
    await stop();

    expect(await all.enter(START + 1, `${ONE}:1`)).toBe('+ 2 0');
    expect(await ids(all)).toEqual([`${TWO}:1`]);
  });

  test('has what it was granted before', async () => {
    const all = await held();
    await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.release(START, `${ONE}:0`);

    expect(await all.enter(START + 1, `${TWO}:1`, 'front')).toBe('+ 2 0');
    expect(await all.redis.pttl(all.keys.lock)).toBeGreaterThan(LEASE_MS - 5_000);
    expect(await ids(all)).toEqual([]);
  });

  test('takes a ticket out with its place', async () => {
    const all = await held();
    await all.enter(START, `${TWO}:1`);

    expect(await all.release(START, `${TWO}:1`)).toBe(-1);
    expect(await all.redis.exists(all.keys.queue, all.keys.tickets)).toBe(0);
  });
});

describe('a ticket', () => {
  test('behind one that leaves hears of it, if it is behind somebody now who does not hand on', async () => {
    const all = await held();
    await all.java(`${JAVA}:1`, START + AHEAD_MS);
    await all.enter(START, `${ONE}:1`);
    await all.enter(START, `${ONE}:2`);
    await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.told();

    await all.release(START, `${ONE}:1`);
    expect(await all.told()).toEqual([]);
    await all.release(START, `${ONE}:2`);
    expect(await all.told()).toEqual([`redlatch:${TWO} r${TWO}:1 ${all.keys.lock}`]);
  });

  test('behind one that leaves a free lock which Java has not taken yet hears of it, too', async () => {
    const all = await held();
    await all.java(`${JAVA}:1`, START + AHEAD_MS);
    await all.enter(START, `${ONE}:1`);
    await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.redis.del(all.keys.lock);
    await all.told();

    expect(await all.release(START, `${ONE}:1`)).toBe(-2);
    expect(await all.told()).toEqual([`redlatch:${TWO} r${TWO}:1 ${all.keys.lock}`]);
  });

  test('leaves together with others of its client, and those behind hear of it', async () => {
    const all = await held();
    await all.java(`${JAVA}:1`, START + AHEAD_MS);
    await all.enter(START, `${ONE}:1`);
    await all.enter(START, `${ONE}:2`);
    await all.listens(TWO);
    await all.enter(START, `${TWO}:1`);
    await all.enter(START, `${ONE}:3`);
    await all.told();

    expect(await all.release(START, `${ONE}:2`, 0, [`${ONE}:3`, `${ONE}:1`])).toBe(-1);

    expect(await all.told()).toEqual([`redlatch:${TWO} r${TWO}:1 ${all.keys.lock}`]);
    expect(await ids(all)).toEqual([`${JAVA}:1`, `${TWO}:1`]);
  });

  test('leaves together with one that was granted the lock meanwhile, which passes it on', async () => {
    const all = await held();
    await all.listens(TWO);
    for (const holder of [`${ONE}:1`, `${ONE}:2`, `${TWO}:1`]) {
      await all.enter(START, holder);
    }
    await all.told();

    expect(await all.release(START + 1, `${ONE}:1`, 0, [`${ONE}:0`, `${ONE}:2`])).toBe(-5);

    expect(await all.told()).toEqual([granted(all, `${TWO}:1`, START + 1)]);
    expect(await ids(all)).toEqual([]);
  });

  test('is granted nothing after its tombstone', async () => {
    const all = await held();
    await all.release(START, `${TWO}:1`, 60_000);

    expect(await all.enter(START, `${TWO}:1`)).toBe('-3');
    expect(await all.redis.exists(all.keys.queue, all.keys.tickets)).toBe(0);
  });
});
