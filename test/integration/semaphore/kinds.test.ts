// Which kind a name is of: what a call has shown, not what it was made for.

import { expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';

const { client, name, raw } = fixture('sem-kinds', [/^redlatch-test:/]);

const calls: [string, (own: Client, object: string) => Promise<unknown>][] = [
  ['a semaphore', async (own, object) => await own.getSemaphore(object).acquire()],
  [
    'a permit-expirable semaphore',
    async (own, object) => await own.getPermitExpirableSemaphore(object).acquire(),
  ],
  ['a latch', async (own, object) => await own.getCountDownLatch(object).countDown()],
];

test.each(calls)('calls that fail together do not make a name %s', async (_, call) => {
  const [own, object] = [client(), name()];
  await raw.hset(object, 'somebody:1', 1);

  const errors = await Promise.all([1, 2, 3].map(async () => await rejection(call(own, object))));
  await raw.del(object);
  const hold = await own.getLock(object).tryAcquire();

  for (const error of errors) {
    expect(error).toMatchObject({ code: 'ERR_WRONG_TYPE' });
  }
  expect(hold?.isHeld).toBe(true);
  await hold?.release();
});

const attempts: [string, (own: Client, object: string) => Promise<unknown>][] = [
  ['a semaphore', async (own, object) => await own.getSemaphore(object).tryAcquire()],
  [
    'a permit-expirable semaphore',
    async (own, object) => await own.getPermitExpirableSemaphore(object).tryAcquire(),
  ],
];

test.each(attempts)('refused attempts on an absent name do not make it %s', async (_, attempt) => {
  const [own, object] = [client(), name()];

  const answers = await Promise.all([attempt(own, object), attempt(own, object)]);
  const hold = await own.getLock(object).tryAcquire();

  expect(answers).toEqual([null, null]);
  expect(hold?.isHeld).toBe(true);
  await hold?.release();
});

test('looking at permits that are not there does not make a name theirs', async () => {
  const [own, object] = [client(), name()];
  const permits = own.getPermitExpirableSemaphore(object);

  const views = [
    await permits.availablePermits(),
    await permits.totalPermits(),
    await permits.acquiredPermits(),
  ];
  const hold = await own.getLock(object).tryAcquire();

  expect(views).toEqual([0, 0, 0]);
  expect(hold?.isHeld).toBe(true);
  await hold?.release();
});

test('a call that fails leaves a name of the kind that another one has shown', async () => {
  const [own, object] = [client(), name()];
  const semaphore = own.getSemaphore(object);
  const waiting = semaphore.tryAcquire(2, { waitMs: 500 });
  await semaphore.trySetPermits(1);

  const answer = await waiting;
  const error = await rejection(own.getLock(object).tryAcquire());

  expect(answer).toBeNull();
  expect(error).toMatchObject({ code: 'ERR_WRONG_TYPE' });
});
