// A server that is up and takes no writes: too few replicas, a full disk, no memory.

import { afterEach, expect, test } from 'vitest';
import { CommandTimeoutError, type LeaseLostError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { testScope } from '../support/scope.js';
import { ownServer } from '../support/server.js';

const scope = testScope('no-writes');
const server = await ownServer();
const raw = rawClient(server.url);

async function refuseWrites(refuse: boolean): Promise<void> {
  await raw.config('SET', 'min-replicas-to-write', refuse ? 1 : 0);
}

afterEach(async () => {
  await refuseWrites(false);
});

function reasonOf(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === 'rejected' ? outcome.reason : 'resolved';
}

const options = { redis: server.url, commandTimeoutMs: 300 };

test('a release that the server refuses to write is made when it takes writes again', async () => {
  const client = scope.client(options);
  const name = scope.name();
  const gate = client.getSemaphore(`${name}-gate`);
  const seats = client.getPermitExpirableSemaphore(`${name}-seats`);
  await gate.trySetPermits(1);
  await seats.trySetPermits(1);
  const held = [
    await client.getLock(`${name}-lock`).acquire(),
    await client.getReadWriteLock(`${name}-rw`).readLock.acquire(),
    await gate.acquire(),
    await seats.acquire(),
  ];
  await refuseWrites(true);

  const outcomes = await Promise.allSettled(held.map((grant) => grant.release()));

  for (const outcome of outcomes) {
    expect(reasonOf(outcome)).toBeInstanceOf(CommandTimeoutError);
    expect(String(reasonOf(outcome))).toContain('NOREPLICAS');
  }
  await refuseWrites(false);
  await eventually(async () => {
    expect(await raw.exists(`${name}-lock`, `${name}-rw`)).toBe(0);
    expect(await gate.availablePermits()).toBe(1);
    expect(await seats.availablePermits()).toBe(1);
  });
  await gate.delete();
  await seats.delete();
});

test('a lease that could not be renewed is lost for the reason that the renewals had', async () => {
  const client = scope.client({ ...options, leaseMs: 600 });
  const semaphore = client.getPermitExpirableSemaphore(scope.name());
  await semaphore.trySetPermits(1);
  const { readLock, writeLock } = client.getReadWriteLock(scope.name());
  const grants = [
    await client.getLock(scope.name()).acquire(),
    await client.getFairLock(scope.name()).acquire(),
    await readLock.acquire(),
    await client.getReadWriteLock(`${writeLock.name}-other`).writeLock.acquire(),
    await semaphore.acquire(),
  ];
  await refuseWrites(true);

  await eventually(() => grants.every(({ state }) => state === 'lost'));
  await refuseWrites(false);

  for (const { signal } of grants) {
    const { reason, cause } = signal.reason as LeaseLostError;
    expect([reason, String(cause)]).toEqual([
      'unproven',
      expect.stringContaining('NOREPLICAS') as string,
    ]);
  }
  await eventually(async () => (await semaphore.availablePermits()) === 1);
  await semaphore.delete();
});

test('an acquisition that the server refuses to write says why', async () => {
  const client = scope.client(options);
  await refuseWrites(true);

  const attempts = [
    client.getLock(scope.name()).tryAcquire(),
    client.getFairLock(scope.name()).tryAcquire(),
    client.getReadWriteLock(scope.name()).writeLock.tryAcquire(),
  ];

  for (const outcome of await Promise.allSettled(attempts)) {
    expect(String(reasonOf(outcome))).toContain('NOREPLICAS');
  }
});
