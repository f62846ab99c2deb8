// What a client does that the server refuses.

import { expect } from 'vitest';
import { AccessDeniedError, type Client } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { randomName, runPrefix } from '../support/redis.js';

/** One call of each kind, of which several would wait for ever. */
export function everyCall(client: Client): Record<string, () => Promise<unknown>> {
  const lock = client.getLock(randomName());
  const { readLock } = client.getReadWriteLock(randomName());
  const semaphore = client.getSemaphore(randomName());
  const permits = client.getPermitExpirableSemaphore(randomName());
  const latch = client.getCountDownLatch(randomName());
  return {
    'lock.acquire': () => lock.acquire(),
    'lock.tryAcquire': () => lock.tryAcquire(),
    'lock.using': () => lock.using(() => 'never'),
    'fairLock.acquire': () => client.getFairLock(randomName()).acquire(),
    'readLock.acquire': () => readLock.acquire({ waitMs: 60_000 }),
    'lock.isLocked': () => lock.isLocked(),
    'lock.forceRelease': () => lock.forceRelease(),
    'semaphore.acquire': () => semaphore.acquire(),
    'semaphore.trySetPermits': () => semaphore.trySetPermits(1),
    'permits.acquire': () => permits.acquire(),
    'permits.tryAcquire': () => permits.tryAcquire(),
    'permits.availablePermits': () => permits.availablePermits(),
    'latch.wait': () => latch.wait(),
    'latch.countDown': () => latch.countDown(),
  };
}

/** Each of them ends with the server's answer. */
export async function expectDenied(client: Client, answer: RegExp): Promise<void> {
  for (const [call, run] of Object.entries(everyCall(client))) {
    const error = await rejection(run());
    expect(error, call).toBeInstanceOf(AccessDeniedError);
    expect(error, call).toMatchObject({ code: 'ERR_ACCESS_DENIED', name: 'AccessDeniedError' });
    expect((error as AccessDeniedError).resource, call).toContain(runPrefix());
    expect(String((error as AccessDeniedError).cause), call).toMatch(answer);
  }
}

/** Of a client whose calls would wait for long. */
export const PATIENT = { commandTimeoutMs: 20_000 };
