// A server without memory lets nobody in and makes nothing; what is given back still is.

import { expect, test } from 'vitest';
import { createClient, type Client } from '../../src/index.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { rejection } from './world.js';

const server = await ownServer();
const raw = rawClient(server.url);

const takes: [string, (client: Client, name: string) => Promise<unknown>][] = [
  ['a lock', async (client, name) => await client.getLock(name).acquire()],
  ['a fenced lock', async (client, name) => await client.getFencedLock(name).acquire()],
  ['a fair lock', async (client, name) => await client.getFairLock(name).acquire()],
  ['a read lock', async (client, name) => await client.getReadWriteLock(name).readLock.acquire()],
  ['a write lock', async (client, name) => await client.getReadWriteLock(name).writeLock.acquire()],
  ['permits to set', async (client, name) => await client.getSemaphore(name).trySetPermits(5)],
  ['permits to add', async (client, name) => await client.getSemaphore(name).addPermits(5)],
  [
    'leased permits to set',
    async (client, name) => await client.getPermitExpirableSemaphore(name).trySetPermits(5),
  ],
  ['a latch', async (client, name) => await client.getCountDownLatch(name).trySetCount(5)],
];

test('without memory nobody gets in, nothing is made, and what is held can be released', async ({
  onTestFinished,
}) => {
  const client = createClient({ redis: server.url });
  onTestFinished(async () => await client.close());
  const [held, semaphore] = [
    await client.getLock(randomName('held')).acquire(),
    randomName('some'),
  ];
  await raw.set(semaphore, 1);
  const leased = randomName('leased');
  await raw.set(leased, 1);
  await raw.set('filler', 'x'.repeat(5_000_000));
  const before = (await raw.keys('*')).toSorted();
  await raw.config('SET', 'maxmemory', '1mb');

  const names = takes.map(([what]) => randomName(what.replaceAll(' ', '-')));
  const errors = await Promise.all([
    ...takes.map(async ([, take], i) => await rejection(take(client, names[i]!))),
    rejection(client.getSemaphore(semaphore).acquire()),
    rejection(client.getPermitExpirableSemaphore(leased).acquire()),
  ]);
  const after = (await raw.keys('*')).toSorted();
  await held.release();

  expect(errors.map(({ error }) => String(error))).toEqual(
    errors.map(() => expect.stringContaining('OOM') as string),
  );
  expect(after).toEqual(before);
  expect([
    await raw.get(semaphore),
    await raw.get(leased),
    await raw.exists(held.lockName),
  ]).toEqual(['1', '1', 0]);
  await raw.config('SET', 'maxmemory', '0');
});
