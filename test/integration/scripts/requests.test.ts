// Counted calls as the server sees them: every copy of one gets the first answer, and what is settled
// or cancelled never runs.

import { describe, expect, onTestFinished, test } from 'vitest';
import { commandOf } from '../../../src/core/wire/call.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { runAt } from '../../support/frozen-time.js';
import { randomName, rawClient } from '../../support/redis.js';

const START = 1_700_000_000_000;
const RECORD_MS = 1_800_000;

async function stage(count = 100) {
  const redis = rawClient();
  const latch = randomName('requests');
  const keys = { latch, opened: `${latch}:opened`, requests: `${latch}:requests` };
  onTestFinished(async () => {
    await redis.unlink(keys.latch, keys.opened, keys.requests);
  });
  await redis.set(latch, count);
  const notice = { publish: 'PUBLISH', channel: `${latch}:channel` };
  return {
    redis,
    keys,
    down: (number: number, lowWater: number) =>
      runAt(redis, START, commandOf(scripts.latchCountDown, keys, { number, lowWater, ...notice })),
    cancel: (number: number, lowWater: number) =>
      runAt(redis, START, commandOf(scripts.requestsCancel, keys, { number, lowWater })),
    trim: (lowWater: number) =>
      runAt(redis, START, commandOf(scripts.requestsTrim, keys, { lowWater })),
    recorded: async () => await redis.zrange(keys.requests, '0', '-1'),
  };
}

describe('a counted call', () => {
  test('runs once, and tells each copy its first answer', async () => {
    const { down } = await stage();

    expect([await down(1, 1), await down(2, 1)]).toEqual(['99', '98']);
    expect([await down(1, 1), await down(2, 1), await down(2, 2)]).toEqual(['99', '98', '98']);
  });

  test('never runs below the low-water mark', async () => {
    const { down, redis, keys } = await stage();
    await down(5, 5);

    expect(await down(4, 4)).toBe('late');
    expect(await down(6, 5)).toBe('98');
    expect(await redis.get(keys.latch)).toBe('98');
  });

  test('that comes out of order moves the low-water mark not back', async () => {
    const { down } = await stage();
    await down(5, 5);
    expect(await down(7, 2)).toBe('98');

    expect([await down(3, 2), await down(4, 2)]).toEqual(['late', 'late']);
  });

  test('at the low-water mark runs, and its answer is kept', async () => {
    const { down, recorded } = await stage();
    await down(1, 1);
    await down(2, 1);

    await down(3, 2);
    expect(await recorded()).toEqual(['floor', '2:98', '3:97']);
    expect(await down(2, 2)).toBe('98');
  });

  test('leaves a record that lives half an hour from the last one', async () => {
    const { down, redis, keys } = await stage();
    await down(1, 1);
    await redis.pexpire(keys.requests, 1_000);

    await down(2, 1);

    const left = await redis.pttl(keys.requests);
    expect(Math.abs(RECORD_MS - left)).toBeLessThan(5_000);
  });
});

describe('a call that was given up', () => {
  test('never runs when it had not run, and says so', async () => {
    const { down, cancel } = await stage();

    expect([await cancel(1, 1), await cancel(1, 1)]).toEqual(['cancelled', 'cancelled']);
    expect(await down(1, 1)).toBe('cancelled');
  });

  test('tells what it did when it had run', async () => {
    const { down, cancel, redis, keys } = await stage();
    await down(1, 1);

    expect(await cancel(1, 1)).toBe('99');
    expect(await redis.get(keys.latch)).toBe('99');
  });

  test('below the low-water mark is late, and changes nothing', async () => {
    const { down, cancel, recorded } = await stage();
    await down(5, 5);

    expect(await cancel(4, 4)).toBe('late');
    expect(await recorded()).toEqual(['floor', '5:99']);
  });
});

describe('a trim', () => {
  test('forgets what is settled, and a late copy of that does not run', async () => {
    const { down, trim, recorded, redis, keys } = await stage();
    await down(1, 1);
    await down(2, 1);

    expect([await trim(3), await trim(3)]).toEqual([1, 1]);
    expect(await recorded()).toEqual(['floor']);
    expect(Math.abs(RECORD_MS - (await redis.pttl(keys.requests)))).toBeLessThan(5_000);
    expect([await down(1, 1), await down(2, 1), await down(3, 3)]).toEqual(['late', 'late', '97']);
  });

  test('that comes late keeps the answers since, and the mark', async () => {
    const { down, trim, recorded } = await stage();
    await down(1, 1);
    await down(5, 5);
    await down(6, 5);

    await trim(3);
    expect(await recorded()).toEqual(['floor', '5:98', '6:97']);
    await trim(6);
    expect(await recorded()).toEqual(['floor', '6:97']);
    expect([await down(4, 1), await down(5, 1), await down(6, 5)]).toEqual(['late', 'late', '97']);
  });

  test('that comes last moves the mark not back', async () => {
    const { down, trim, recorded } = await stage();
    await down(1, 1);
    await trim(9);

    await trim(3);

    expect(await recorded()).toEqual(['floor']);
    expect(await down(8, 8)).toBe('late');
  });

  test('makes no record', async () => {
    const { trim, redis, keys } = await stage();

    expect([await trim(3), await redis.exists(keys.requests)]).toEqual([0, 0]);
  });
});

describe('a latch', () => {
  test('opens at zero, once, and says so with a message and a mark', async () => {
    const { down, redis, keys } = await stage(2);
    const heard: string[] = [];
    const listener = redis.duplicate();
    onTestFinished(() => listener.disconnect());
    listener.on('message', (_, payload: string) => heard.push(payload));
    await listener.subscribe(`${keys.latch}:channel`);

    expect([await down(1, 1), await redis.exists(keys.opened)]).toEqual(['1', 0]);
    expect([await down(2, 1), await redis.exists(keys.latch)]).toEqual(['0', 0]);
    const mark = await redis.get(keys.opened);
    expect(await down(3, 1)).toBe('0');
    await listener.ping();

    expect(heard).toEqual(['0']);
    expect([mark, await redis.get(keys.opened)]).toEqual(['1700000000000000', '1700000000000000']);
  });
});
