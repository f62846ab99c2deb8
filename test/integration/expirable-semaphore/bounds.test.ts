// Permits with a bound: each of them ends by it.

import { expect, test } from 'vitest';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';

const { client, name } = fixture('permits-bound');

test('permits that were acquired together end by their bound, and can be had again', async () => {
  const semaphore = client({ leaseMs: 900 }).getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(3);
  const from = performance.now();
  const permits = await semaphore.acquireMany(3, { maxHoldMs: 1_000 });

  await eventually(() => performance.now() - from > 800);
  const before = permits.map(({ isHeld }) => isHeld);
  const next = await semaphore.acquireMany(3, { waitMs: 5_000 });

  expect(before).toEqual([true, true, true]);
  expect(performance.now() - from).toBeLessThan(3_000);
  expect(permits.map(({ state }) => state)).toEqual(['lost', 'lost', 'lost']);
  await Promise.all(next.map(async (permit) => await permit.release()));
  await semaphore.delete();
});

test('tryAcquireMany and using take it as well', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(2);

  const permits = await semaphore.tryAcquireMany(1, { maxHoldMs: 300 });
  const inside = await semaphore.using({ maxHoldMs: 300 }, ({ remainingMs }) => remainingMs);

  expect(permits?.[0]?.remainingMs).toBeLessThanOrEqual(300);
  expect(inside).toBeLessThanOrEqual(300);
  await permits?.[0]?.release();
  await semaphore.delete();
});

test('updateLease sets no end beyond it', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ maxHoldMs: 5_000 });

  const error = await rejection(semaphore.updateLease(permit.id, 5_001));
  const isSet = await semaphore.updateLease(permit.id, 2_000);

  expect(error).toBeInstanceOf(RangeError);
  expect([isSet, permit.isHeld]).toEqual([true, true]);
  expect(permit.remainingMs).toBeLessThanOrEqual(2_000);
  await permit.release();
  await semaphore.delete();
});
