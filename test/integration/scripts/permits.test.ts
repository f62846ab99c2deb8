// A permit is held for as long as its lease, and not in the millisecond in which that ends: every
// script says the same.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { ENDS_AT, LEASE_MS, stage, START, type Scene } from './permits-scripts.js';

/** What each script says of a permit that is held, and of one whose lease has ended. */
const answers: [
  what: string,
  ask: (scene: Scene, atMs: number) => Promise<unknown>,
  held: unknown,
  over: unknown,
][] = [
  ['a release', ({ at }, ms) => at.release(ms), 1, 0],
  ['a release by id', ({ at }, ms) => at.releaseAny(ms), '1', '0'],
  ['what is given back', ({ at }, ms) => at.giveBack(ms), 1, 0],
  ['a poll', ({ at }, ms) => at.renew(ms, 0), '1::1', '0'],
  ['a renewal', ({ at }, ms) => at.renew(ms, LEASE_MS), '1', '0'],
  ['a new lease', ({ at }, ms) => at.updateLease(ms, LEASE_MS), '1', '0'],
  ['a look', ({ at }, ms) => at.inspect(ms), '1 1 1', '2 0 1'],
  ['a look with a setting', ({ at }, ms) => at.configure(ms), '1 1 1', '2 0 1'],
  [
    'an ask for both permits',
    ({ at }, ms) => at.acquire(ms, randomBytes(16), 2),
    '0 1 -1',
    '1 -1 -1',
  ],
];

describe('in the last millisecond of its lease, and in the one behind it', () => {
  test.each(answers)(
    '%s tells a permit that is held from one that is not',
    async (_, ask, held, over) => {
      expect(await ask(await stage(), ENDS_AT - 1)).toBe(held);
      expect(await ask(await stage(), ENDS_AT)).toBe(over);
    },
  );

  test('its holder is listed with what is left, or not at all', async () => {
    const { at, permit } = await stage();

    expect(await at.holders(ENDS_AT - 1)).toBe(`${permit.toString('hex')} 1`);
    expect(await at.holders(ENDS_AT)).toBe('');
  });

  test('it goes back to the pool once, by whatever call', async () => {
    const { at, left } = await stage();

    await at.release(ENDS_AT);
    await at.release(ENDS_AT);
    await at.releaseAny(ENDS_AT);
    await at.giveBack(ENDS_AT);
    expect(await left()).toBe(2);
    await at.acquire(ENDS_AT + 1, randomBytes(16), 2);
    expect(await left()).toBe(0);
  });
});

describe('a lease', () => {
  test('is renewed to last at least as long as asked for, and never shortened by that', async () => {
    const { at, expiry } = await stage();

    await at.renew(START + 1, LEASE_MS - 1);
    expect(await expiry()).toBe(ENDS_AT);
    await at.renew(START + 1, LEASE_MS);
    expect(await expiry()).toBe(ENDS_AT + 1);
    await at.renew(START + 2, 1);
    expect(await expiry()).toBe(ENDS_AT + 1);
  });

  test('that is set ends when it was told to, earlier too', async () => {
    const { at, expiry } = await stage();

    await at.updateLease(START, 10);
    expect(await expiry()).toBe(START + 10);
    await at.updateLease(START + 9, 5_000);
    expect(await expiry()).toBe(START + 5_009);
  });

  test('of permits of one call ends for all of them at once', async () => {
    const { at, redis, keys } = await stage();

    await at.acquire(START, randomBytes(16), 1);
    const ends = await redis.zrange(keys.timeouts, '0', '-1', 'WITHSCORES');

    expect(ends.filter((_, i) => i % 2 === 1).map(Number)).toEqual([ENDS_AT, ENDS_AT]);
  });
});

test('a client is passed over in the wait queue four seconds after its last heartbeat', async () => {
  const { at } = await stage();
  const id = randomBytes(16);

  expect(await at.acquire(START, id, 5, 'first', 1)).toBe('0 -1 -1');

  expect(await at.acquire(START + 3_999, id, 1, 'second')).toMatch(/^0 1 /);
  expect(await at.acquire(START + 4_000, id, 1, 'second')).toMatch(/^1 /);
});

test('growing tells the waiters of permits that have expired as well', async () => {
  const { at, redis, keys } = await stage();
  const heard = await messagesOn(`${keys.semaphore}:channel`);

  await at.resize(ENDS_AT - 1, 3);
  await at.resize(ENDS_AT, 3);
  await redis.publish(`${keys.semaphore}:channel`, 'end');
  await eventually(() => heard.includes('end'));

  expect(heard).toEqual(['4', '8', 'end']);
});

test('a release that finds nothing tells nobody', async () => {
  const { at, redis, keys } = await stage();
  await at.release(START);
  const heard = await messagesOn(`${keys.semaphore}:channel`);

  expect([await at.release(START), await at.releaseAny(START), await at.giveBack(START)]).toEqual([
    0,
    '0',
    0,
  ]);
  await redis.publish(`${keys.semaphore}:channel`, 'end');
  await eventually(() => heard.includes('end'));

  expect(heard).toEqual(['end']);
});

test('what a client gives back as it leaves the wait queue is told once', async () => {
  const { at, redis, keys } = await stage();
  await at.acquire(START, randomBytes(16), 2, 'me', 1);
  await at.release(START);
  const heard = await messagesOn(`${keys.semaphore}:channel`);

  expect([await at.giveBack(START, 1), await at.giveBack(START, 1)]).toEqual([0, 0]);
  await redis.publish(`${keys.semaphore}:channel`, 'end');
  await eventually(() => heard.includes('end'));

  expect(heard).toEqual(['2', 'end']);
});

test.each([
  ['a release', ({ at }: Scene) => at.release(START)],
  ['a release by id', ({ at }: Scene) => at.releaseAny(START)],
  ['what is given back', ({ at }: Scene) => at.giveBack(START)],
])('%s makes no semaphore that is gone', async (_, release) => {
  const scene = await stage();
  await scene.redis.del(scene.keys.semaphore);

  expect(Number(await release(scene))).toBe(0);
  expect(await scene.redis.exists(scene.keys.semaphore, scene.keys.timeouts)).toBe(0);
});

test('of more than a hundred permits the first hundred to expire are listed', async () => {
  const { at, redis, keys } = await stage();
  for (let i = 1; i <= 120; i += 1) {
    await redis.zadd(keys.timeouts, ENDS_AT + i, randomBytes(16));
  }

  const left = (await at.holders(START)).split(' ').filter((_, i) => i % 2 === 1);

  expect(left.map(Number)).toEqual(Array.from({ length: 100 }, (_, i) => LEASE_MS + i));
});

test('a client that leaves the wait queue tells what is left, and one that had no place nothing', async () => {
  const { at, keys, redis } = await stage();
  const channel = `${keys.semaphore}:channel`;
  const heard = await messagesOn(channel);
  await at.release(START);
  await at.acquire(START, randomBytes(16), 3, 'me', 1);
  await redis.publish(channel, 'leaves');

  expect(await at.giveBack(START, 1)).toBe(0);
  await redis.publish(channel, 'leaves again');
  expect(await at.giveBack(START, 1)).toBe(0);

  await redis.publish(channel, 'end');
  await expect.poll(() => heard.at(-1)).toBe('end');
  expect(heard.slice(heard.indexOf('leaves'))).toEqual(['leaves', '2', 'leaves again', 'end']);
});
