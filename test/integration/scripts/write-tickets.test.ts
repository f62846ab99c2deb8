// Who is handed a write lock at chosen instants, and what those are told who are not.

import { describe, expect, onTestFinished, test } from 'vitest';
import { rawClient } from '../../support/redis.js';
import { stage, START, WINDOW_MS } from './rw-scripts.js';

const [ONE, TWO, THREE] = ['1', '2', '3'].map(
  (digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`,
) as [string, string, string];

/** The clients listen to their own channels. Returns the messages so far. */
async function listens(...clients: string[]): Promise<string[]> {
  const subscriber = rawClient();
  onTestFinished(() => {
    subscriber.disconnect();
  });
  const messages: string[] = [];
  subscriber.on('message', (_channel: string, message: string) => messages.push(message));
  await subscriber.subscribe(...clients.map((client) => `redlatch:${client}`));
  return messages;
}

/** A lock that a writer of client one holds. */
async function held() {
  const all = stage();
  await all.write(START, `${ONE}:0`);
  const fields = async () => Object.keys(await all.redis.hgetall(all.keys.lock)).toSorted();
  return { ...all, fields };
}

describe('a writer with a ticket', () => {
  test('is told the time, whether its turn is told it, and whether it was seen to listen', async () => {
    const { enter } = await held();

    expect(await enter(START + 1, `${TWO}:1`)).toMatch(
      new RegExp(`^[0-9]{5} ${START + 1} 0 0$`, 'u'),
    );
    await listens(ONE, TWO);
    expect(await enter(START + 2, `${TWO}:1`)).toMatch(
      new RegExp(`^[0-9]{5} ${START + 2} 1 1$`, 'u'),
    );
  });

  test('is handed the lock for a second after its ask, if it does not listen', async () => {
    for (const [afterMs, answer] of [
      [1_000, -5],
      [1_001, 1],
    ] as const) {
      const { enter, releaseWrite } = await held();
      await enter(START, `${TWO}:1`);

      expect(await releaseWrite(START + afterMs, `${ONE}:0`)).toBe(answer);
    }
  });

  test('that finds the lock free lets the one go first that has waited for longer', async () => {
    const { enter, fields, redis, keys } = await held();
    const told = await listens(ONE, TWO, THREE);
    await enter(START, `${TWO}:1`);
    await redis.del(keys.lock);

    expect(await enter(START + 1, `${THREE}:1`)).toBe(`${WINDOW_MS} ${START + 1} 1 1`);

    expect(await fields()).toEqual([`${TWO}:1:write`, 'mode']);
    await expect.poll(() => told.at(-1)).toBe(`x${TWO}:1 ${START + 1} ${WINDOW_MS} 0 ${keys.lock}`);
    expect(await redis.zrange(keys.writers, '0', '-1')).toEqual([`${THREE}:1`]);
  });

  test('that gets the lock is told whether others wait, or have done so, and whether readers do', async () => {
    const { enter, read, redis, keys } = await held();

    await redis.del(keys.lock);
    expect(await enter(START, `${TWO}:1`)).toBe('+ 0 0');
    await enter(START + 1, `${THREE}:1`);
    await redis.del(keys.lock);
    await redis.hset(keys.tickets, 'turn', '0 0 0');
    expect(await enter(START + 2, `${THREE}:1`)).toBe('+ 1 0');
    await enter(START + 3, `${TWO}:2`);
    await read(START + 4, [{ reader: `${ONE}:1` }], 'queue', ONE);
    await redis.del(keys.lock);
    expect(await enter(START + 5, `${TWO}:2`)).toBe('+ 2 0');
  });

  test('stands back while a lock is left to those in no line, and no longer', async () => {
    const { enter, fields, redis, keys } = await held();
    await redis.del(keys.lock);
    await redis.hset(keys.tickets, 'back', `${START + 3}`);

    expect(await enter(START + 1, `${TWO}:1`)).toBe(`2 ${START + 1} 1 0`);
    expect(await fields()).toEqual([]);
    expect(await enter(START + 3, `${TWO}:1`)).toBe('+ 1 0');
  });
});

describe('a reader', () => {
  test('that finds the lock free and a writer before it sees to it that this one gets it', async () => {
    const { enter, read, fields, redis, keys } = await held();
    await listens(TWO);
    await enter(START, `${TWO}:1`);
    await redis.del(keys.lock);

    expect(Number((await read(START + 1, [{ reader: `${ONE}:1` }], 'queue'))[0])).toBeGreaterThan(
      0,
    );

    expect(await fields()).toEqual([`${TWO}:1:write`, 'mode']);
  });

  test('whose client leaves the line lets a writer behind it in', async () => {
    const { enter, read, leave, fields, redis, keys } = await held();
    const told = await listens(TWO);
    await read(START, [{ reader: `${ONE}:1` }], 'queue', ONE);
    await enter(START + 1, `${TWO}:1`);
    await redis.del(keys.lock);

    expect(await leave(START + 2, ONE)).toBe(1);

    expect(await fields()).toEqual([`${TWO}:1:write`, 'mode']);
    await expect.poll(() => told).toEqual([`x${TWO}:1 ${START + 2} ${WINDOW_MS} 0 ${keys.lock}`]);
  });
});

test('a grant removes the entry and the ticket, and has the lease of its window', async () => {
  const { enter, releaseWrite, redis, keys } = await held();
  await listens(TWO);
  await enter(START, `${TWO}:1`);

  expect(await releaseWrite(START + 7, `${ONE}:0`)).toBe(-5);

  expect(await redis.exists(keys.writers, keys.heartbeats)).toBe(0);
  expect(Object.keys(await redis.hgetall(keys.tickets))).toEqual(['turn']);
  const leftMs = await redis.pttl(keys.lock);
  expect(leftMs).toBeLessThanOrEqual(WINDOW_MS);
  expect(leftMs).toBeGreaterThan(WINDOW_MS - 5_000);
});

test('readers that have waited a moment ago are no strangers', async () => {
  for (const [afterMs, isOpened] of [
    [1_100, false],
    [1_101, true],
  ] as const) {
    const { enter, read, releaseRead, releaseWrite, channel } = await held();
    await listens(ONE, TWO);
    const subscriber = rawClient();
    onTestFinished(() => {
      subscriber.disconnect();
    });
    // Such a reader listens to the channel of the lock a little longer.
    await subscriber.subscribe(channel);
    await enter(START, `${ONE}:1`);
    await read(START, [{ reader: `${THREE}:1`, since: 1 }], 'queue', THREE);
    await releaseWrite(START, `${ONE}:0`);
    await read(START, [{ reader: `${THREE}:1`, since: 1 }], 'queue', THREE);
    expect(await releaseRead(START, `${THREE}:1`)).toBe(-5);
    await enter(START, `${TWO}:1`);

    expect(await releaseWrite(START + afterMs, `${ONE}:1`, 0)).toBe(isOpened ? -6 : -5);
  }
});

test('the last of readers that give up together give the lock to the writer behind them', async () => {
  const { read, enter, releaseRead, redis, keys } = stage();
  await listens(TWO);
  await read(START, [{ reader: `${THREE}:1` }, { reader: `${THREE}:2` }]);
  await enter(START, `${TWO}:1`);

  expect(await releaseRead(START, `${THREE}:3`, [`${THREE}:1`, `${THREE}:2`])).toBe(-5);

  expect(await redis.hgetall(keys.lock)).toEqual({ mode: 'write', [`${TWO}:1:write`]: '1' });
});
