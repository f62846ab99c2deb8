import type { PermitExpirableSemaphore } from '../../src/index.js';

/** Each use of a semaphore that finds out how many permits it has. */
export const permitUses: readonly [
  string,
  (semaphore: PermitExpirableSemaphore) => Promise<unknown>,
][] = [
  ['acquire', async (one) => await one.acquire()],
  ['tryAcquire', async (one) => await one.tryAcquire()],
  ['acquireMany', async (one) => await one.acquireMany(2)],
  ['using', async (one) => await one.using(() => {})],
  ['availablePermits', async (one) => await one.availablePermits()],
  ['totalPermits', async (one) => await one.totalPermits()],
  ['acquiredPermits', async (one) => await one.acquiredPermits()],
  ['addPermits', async (one) => await one.addPermits(1)],
];
