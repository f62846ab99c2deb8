// A bound counts from the grant on the server, and so does a wait for replicas after it.

import { expect, test } from 'vitest';
import { ReplicasError } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { replicated } from '../../support/replicated.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('replicas-bound');
const { url, frozen } = await replicated();
const replicas = { min: 1, timeoutMs: 60_000 };

test.each([
  ['a lock', 1],
  ['a multi-lock', 2],
])('what waits for replicas until its bound is released: %s', async (_, count) => {
  const client = scope.client({ redis: url });
  const names = Array.from({ length: count }, () => scope.name());
  const lock = count === 1 ? client.getLock(scope.name()) : client.getMultiLock(names);

  await frozen(async () => {
    const error = await rejection(lock.acquire({ replicas, maxHoldMs: 400 }));

    expect(error).toBeInstanceOf(ReplicasError);
    await eventually(async () => !(await lock.isLocked()));
  });
});

test('permits that wait for replicas until their bound are given back', async () => {
  const client = scope.client({ redis: url });
  const semaphore = client.getPermitExpirableSemaphore(scope.name());
  await semaphore.trySetPermits(2);

  await frozen(async () => {
    const error = await rejection(semaphore.acquireMany(2, { replicas, maxHoldMs: 400 }));

    expect(error).toBeInstanceOf(ReplicasError);
    await eventually(async () => (await semaphore.availablePermits()) === 2);
  });
  await semaphore.delete();
});

test('what replicas have in time keeps the bound that it had', async () => {
  const lock = scope.client({ redis: url }).getLock(scope.name());

  await using hold = await lock.acquire({ replicas, maxHoldMs: 1_000 });

  expect(hold.remainingMs).toBeLessThanOrEqual(1_000);
  await eventually(() => hold.state === 'lost');
  expect(hold.signal.reason).toMatchObject({ reason: 'expired' });
});
