// Keys and messages as Redisson knows them, with another program on the other side.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { keysUnder } from '../../support/redis.js';
import { channelOf, listening } from './world.js';

const { client, name, raw } = fixture('sem-wire', [/^redlatch-test:|\{redlatch-test:/]);

test('the permits are a decimal string under the plain name, without a TTL', async () => {
  const semaphore = client().getSemaphore(name());

  await semaphore.trySetPermits(12);
  const permits = await semaphore.acquire(5);

  expect(await raw.get(semaphore.name)).toBe('7');
  expect(await raw.pttl(semaphore.name)).toBe(-1);
  await permits.release();
});

test.each([['plain'], ['tagged']])('S4, P7: a %s name tells what is available', async (kind) => {
  const base = name();
  const semaphore = client().getSemaphore(kind === 'tagged' ? `a:{${base}}:b` : base);
  const messages = await messagesOn(channelOf(semaphore.name));

  await semaphore.trySetPermits(3);
  const permits = await semaphore.acquire(2);
  await permits.release();
  await semaphore.addPermits(4);
  await semaphore.drainPermits();
  await semaphore.release(5);
  await semaphore.delete();
  await raw.publish(channelOf(semaphore.name), 'end');

  await eventually(() => messages.includes('end'));
  expect(messages).toEqual(['3', '3', '7', '5', 'end']);
});

test('S4: 0 is told by what makes a semaphore, and nothing at zero and below by what changes one', async () => {
  const semaphore = client().getSemaphore(name());
  const messages = await messagesOn(channelOf(semaphore.name));

  await semaphore.trySetPermits(0);
  await semaphore.addPermits(-5);
  await semaphore.release(2);
  await semaphore.addPermits(3);
  await semaphore.release(4);
  await semaphore.addPermits(-1);
  await semaphore.tryAcquire(9);
  await raw.publish(channelOf(semaphore.name), 'end');

  await eventually(() => messages.includes('end'));
  expect(messages).toEqual(['0', '4', 'end']);
});

test('S5: a TTL stays, whatever changes the permits', async () => {
  const semaphore = client().getSemaphore(name());
  const lives: number[] = [];
  const look = async (): Promise<unknown> => lives.push(await raw.pttl(semaphore.name));

  await semaphore.trySetPermits(10, { ttlMs: 60_000 });
  await look();
  const permits = await semaphore.acquire(2);
  await look();
  await permits.release();
  await look();
  await semaphore.addPermits(5);
  await look();
  await semaphore.addPermits(-5);
  await look();
  await semaphore.drainPermits();
  await look();

  expect(Math.min(...lives)).toBeGreaterThan(50_000);
  expect(Math.max(...lives)).toBeLessThanOrEqual(60_000);
});

test('S5: a count beyond 53 bits is changed exactly', async () => {
  const semaphore = client().getSemaphore(name());
  await raw.set(semaphore.name, '9007199254740993');

  const permits = await semaphore.acquire(2);

  expect(await raw.get(semaphore.name)).toBe('9007199254740991');
  expect(permits.count).toBe(2);
});

test('permits that another program gives back wake our waiters', async () => {
  const semaphore = client().getSemaphore(name());
  const waits = [semaphore.acquire(2), semaphore.acquire()];
  await listening(raw, semaphore.name);

  await raw.multi().incrby(semaphore.name, 3).publish(channelOf(semaphore.name), '3').exec();

  expect((await Promise.all(waits)).map(({ count }) => count)).toEqual([2, 1]);
  expect(await raw.get(semaphore.name)).toBe('0');
});

test('any message that is no integer, or a wrong one, only makes a waiter look', async () => {
  const semaphore = client().getSemaphore(name());
  const wait = semaphore.tryAcquire(1, { waitMs: 1_000 });
  await listening(raw, semaphore.name);

  for (const payload of ['0', '1', '-5', '', 'word', '99999999999999999999']) {
    await raw.publish(channelOf(semaphore.name), payload);
  }

  expect(await wait).toBeNull();
});

test('private records are found by their prefix, live in the slot, and expire', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(1, { ttlMs: 600_000 });
  await semaphore.using(() => undefined);

  const keys = (await keysUnder(semaphore.name, raw)).filter((key) => key !== semaphore.name);
  const lives = await Promise.all(keys.map(async (key) => await raw.pttl(key)));

  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !/^redlatch_(?:requests|generation|permits):\{/.test(key))).toEqual(
    [],
  );
  expect(keys.filter((key) => !key.includes(`{${semaphore.name}}`))).toEqual([]);
  expect(Math.min(...lives)).toBeGreaterThan(0);
  expect(Math.max(...lives)).toBeLessThanOrEqual(1_800_000);
});

test.each([
  ['a hash', async (key: string) => await raw.hset(key, 'a', 1)],
  ['a list', async (key: string) => await raw.rpush(key, 'a')],
  ['words', async (key: string) => await raw.set(key, 'no number')],
])('a name that holds %s is refused by every call, and left alone', async (_, put) => {
  const semaphore = client().getSemaphore(name());
  await put(semaphore.name);
  const before = await raw.dumpBuffer(semaphore.name);

  const outcomes = await Promise.allSettled([
    semaphore.trySetPermits(1),
    semaphore.addPermits(1),
    semaphore.drainPermits(),
    semaphore.availablePermits(),
    semaphore.acquire(),
    semaphore.acquire(1, { waitMs: 5_000 }),
    semaphore.tryAcquire(),
    semaphore.release(),
    semaphore.using(() => 'never'),
    semaphore.delete(),
  ]);

  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code: 'ERR_WRONG_TYPE', resource: semaphore.name },
    });
  }
  expect(await raw.dumpBuffer(semaphore.name)).toEqual(before);
});
