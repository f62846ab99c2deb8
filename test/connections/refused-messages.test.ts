// A user who may do everything but publish: each change is made and told as it is, nothing is lost,
// and the missing right is told once.

import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { exclusiveLocks } from '../support/kinds/kinds.js';
import { randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { connecting, inScripts, patterns, useEverything } from './everything.js';
import { openClient } from './exercise.js';

let server: OwnServer;
let raw: Redis;

/** Users who may not publish: not on these channels, or not at all. */
const users = {
  'without channels': patterns(runPrefix()).filter((right) => right.startsWith('~')),
  'without PUBLISH': [...patterns(runPrefix()), '-publish'],
};

beforeAll(async () => {
  server = await ownServer();
  raw = rawClient(server.url);
  const commands = [...connecting, ...inScripts].map((command) => `+${command}`);
  for (const [name, rights] of Object.entries(users)) {
    const user = name.replace(' ', '-');
    await raw.call('ACL', 'SETUSER', user, 'reset', 'on', '>secret', ...commands, ...rights);
  }
});

afterAll(async () => {
  await raw.del(...(await raw.keys('redisson_lock_token:*')), 'none');
  const allow = [/^redlatch_(cancelled|requests|opened|beats|readers|waiting|writers):/];
  await expectNoResidue(runPrefix(), { client: raw, allow, withinMs: 4_000 });
  await expectNoChannels(runPrefix(), { client: raw });
});

interface Muted {
  readonly client: Client;
  /** What the client was told of in the background. */
  readonly errors: string[];
}

function muted(user: string): Muted {
  const redis = `redis://${user.replace(' ', '-')}:secret@${server.host}:${server.port}`;
  const client = openClient({ redis });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  return { client, errors };
}

test('a user without PUBLISH does everything, and is told once for each kind of channel', async () => {
  const { client, errors } = muted('without PUBLISH');

  await useEverything(client, raw);
  await useEverything(client, raw);

  const channels = errors.map(
    (message) => /refuses PUBLISH on "(redisson_[a-z_]*|redlatch)/u.exec(message)?.[1],
  );
  expect(new Set(channels)).toEqual(
    new Set([
      'redlatch',
      'redisson_countdownlatch__channel__',
      'redisson_lock__channel',
      'redisson_rwlock',
      'redisson_sc',
    ]),
  );
  expect(channels).toHaveLength(5);
});

describe.each(Object.keys(users))('a user %s', (user) => {
  test('gets back every permit that it releases beside local waiters', async () => {
    const { client } = muted(user);
    const semaphore = client.getSemaphore(randomName('gate'));
    await semaphore.trySetPermits(10);

    const left: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const held = await semaphore.acquire(10);
      const waiting = [semaphore.acquire(), semaphore.acquire(2)];
      await held.release();
      const granted = await Promise.all(waiting);
      await Promise.all(granted.map(async (permits) => await permits.release()));
      left.push(await semaphore.availablePermits());
    }

    expect(left).toEqual([10, 10, 10, 10, 10]);
    await semaphore.delete();
  });

  test('is told what its calls have done', async () => {
    const { client } = muted(user);
    const latch = client.getCountDownLatch(randomName('latch'));
    const permits = client.getPermitExpirableSemaphore(randomName('seats'));
    const lock = client.getLock(randomName('lock'));
    const fair = client.getFairLock(randomName('fair'));
    const { readLock, writeLock } = client.getReadWriteLock(randomName('book'));

    expect(await latch.trySetCount(1)).toBe(true);
    await latch.countDown();
    expect(await latch.count()).toBe(0);
    expect(await latch.trySetCount(1)).toBe(true);
    expect(await latch.delete()).toBe(true);
    expect(await permits.trySetPermits(2)).toBe(true);
    const [first, second] = await permits.acquireMany(2);
    await first?.release();
    expect(await permits.tryRelease(second?.id ?? '')).toBe(true);
    expect(await permits.availablePermits()).toBe(2);
    for (const held of [lock, fair, readLock, writeLock]) {
      await held.acquire();
      expect(await held.forceRelease()).toBe(true);
      expect(await held.forceRelease()).toBe(false);
    }
    await permits.delete();
  });
});

test.each(exclusiveLocks)(
  'a local waiter of a $what gets in at once though nothing could be published',
  async ({ get }) => {
    const { client } = muted('without PUBLISH');
    const lock = get(client, randomName('lock'));
    const hold = await lock.acquire();
    const waiting = lock.acquire({ waitMs: 1_000 });

    await hold.release();

    await (await waiting).release();
  },
);

test('a waiter elsewhere gets in by its next look, when a release could not be published', async () => {
  const { client, errors } = muted('without channels');
  const name = randomName('lock');
  const hold = await client.getLock(name).acquire({ leaseMs: 500 });
  const waiting = openClient({ redis: server.url }).getLock(name).acquire({ waitMs: 4_000 });

  await hold.release();
  const next = await waiting;

  expect(next.isHeld).toBe(true);
  await next.release();
  expect(errors).toEqual([
    expect.stringMatching(
      /^Redis refuses PUBLISH on "redisson_lock__channel:\{.*\}": .*\+publish &redisson_lock__channel/u,
    ),
  ]);
});

test('a holder whom nobody may tell of a forced release learns of it with its next renewal', async () => {
  const { client, errors } = muted('without PUBLISH');
  const holder = openClient({ redis: server.url, leaseMs: 900 });
  const locks = ['getLock', 'getFairLock'] as const;
  const holds = await Promise.all(
    locks.map(async (get) => await holder[get](randomName('forced')).acquire()),
  );
  const seats = holder.getPermitExpirableSemaphore(randomName('seats'));
  await seats.trySetPermits(1);
  const permit = await seats.acquire();

  for (const [i, get] of locks.entries()) {
    expect(await client[get](holds[i]?.lockName ?? '').forceRelease()).toBe(true);
  }
  expect(await client.getPermitExpirableSemaphore(seats.name).tryRelease(permit.id)).toBe(true);

  await eventually(() => [...holds, permit].every(({ state }) => state === 'lost'));
  expect(errors.filter((message) => message.includes('redlatch:'))).toEqual([
    expect.stringMatching(/^Redis refuses PUBLISH .*its next renewal, .*\+publish &redlatch\*$/u),
  ]);
  await seats.delete();
});

test('a user who may not listen to its own channel is told so once, and does everything', async () => {
  const { client, errors } = muted('without channels');
  const lock = client.getLock(randomName('deaf'));
  const hold = await lock.acquire();
  await eventually(() => errors.length > 0);

  await hold.release();
  const [again, permits] = [await lock.acquire(), client.getSemaphore(randomName('gate'))];
  await permits.trySetPermits(1);

  expect(again.isHeld).toBe(true);
  await again.release();
  await permits.delete();
  const deaf = errors.filter((message) => message.startsWith('may not listen'));
  expect(deaf).toEqual([expect.stringMatching(/^may not listen to the channel "redlatch:/u)]);
});
