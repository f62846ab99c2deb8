// What becomes of permits when their semaphore ends: by its own time limit, or by delete().

import { expect, test } from 'vitest';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { fixture } from '../../contract/fixture.js';
import { runs } from '../../faults/world.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';

const { client, name, raw } = fixture('permits-life');

test('a permit ends with its semaphore, whatever its lease', async () => {
  const mine = client().getPermitExpirableSemaphore(name());
  const theirs = client().getPermitExpirableSemaphore(mine.name);
  await mine.trySetPermits(2, { ttlMs: 300 });
  const permits = [await mine.acquire(), await mine.acquire({ leaseMs: 60_000 })];

  const before = permits.map(({ isHeld, remainingMs }) => isHeld && remainingMs <= 300);
  await eventually(async () => await theirs.trySetPermits(1));
  const next = await theirs.acquire();
  const after = permits.map(({ isHeld }) => isHeld);

  expect(before).toEqual([true, true]);
  expect([after, next.isHeld]).toEqual([[false, false], true]);
  for (const { signal } of permits) {
    expect(signal.reason).toMatchObject({ reason: 'expired' });
  }
  await theirs.delete();
});

test('neither renewal nor extension nor updateLease tells more than the semaphore lives', async () => {
  const semaphore = client({ leaseMs: 600 }).getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(3, { ttlMs: 1_200 });
  const [renewed, extended, updated] = await semaphore.acquireMany(3);
  const excesses: number[] = [];

  await extended!.extend(60_000);
  await semaphore.updateLease(updated!.id, 60_000);
  await eventually(async () => {
    // First the server: whatever is told after that must be less.
    const left = await raw.pttl(semaphore.name);
    const told = [renewed, extended, updated].map((permit) => permit!.remainingMs);
    excesses.push(...told.map((ms) => ms - Math.max(0, left)));
    return left < 0;
  });

  expect(Math.max(...excesses)).toBeLessThanOrEqual(1);
  expect([renewed, extended, updated].map((permit) => permit!.isHeld)).toEqual([
    false,
    false,
    false,
  ]);
});

test('a life that is given later, or taken back, is told with the next renewal', async () => {
  const semaphore = client({ leaseMs: 900 }).getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 60_000 });

  await raw.pexpire(semaphore.name, 10_000);
  await eventually(() => permit.remainingMs <= 10_000);
  await raw.persist(semaphore.name);
  await raw.persist(`{${semaphore.name}}:timeout`);
  await eventually(() => permit.remainingMs > 50_000);

  expect(permit.state).toBe('held');
  await permit.release();
  await semaphore.delete();
});

test('deleting ends a permit that was asked for before, and granted after the call', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  proxy.pauseDownstream();

  const acquiring = semaphore.acquire();
  await eventually(() => proxy.requests().some(runs(scripts.expirableSemaphoreAcquire)));
  const deleting = semaphore.delete();
  await eventually(() => proxy.requests().some(runs(scripts.expirableSemaphoreDelete)));
  proxy.resumeDownstream();
  const permit = await acquiring;
  const deleted = await deleting;

  expect(deleted).toBe(true);
  expect(permit.signal.reason).toMatchObject({ reason: 'deleted' });
  expect(permit.isHeld).toBe(false);
});

test('deleting spares a permit that was asked for after it', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);

  const deleting = semaphore.delete();
  const setting = semaphore.trySetPermits(1);
  const permit = await semaphore.acquire();
  const answers = await Promise.all([deleting, setting]);

  expect(answers).toEqual([true, true]);
  expect(permit.isHeld).toBe(true);
  await permit.release();
  await semaphore.delete();
});
