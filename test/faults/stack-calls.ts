// A call of each public method that can reject, and a look at what it rejects with.

import { expect } from 'vitest';
import { detachedString } from '../../src/core/grant/detached.js';
import {
  type Client,
  CoordinationError,
  type CountDownLatch,
  type Hold,
  type Lock,
  type Permit,
  type PermitExpirableSemaphore,
  type Permits,
  type QuorumClient,
  type Semaphore,
} from '../../src/index.js';

/** Shorter than by default: many calls wait for it. */
export const commandTimeoutMs = 150;

/** The methods that can reject: a disposer never does. */
type AsyncMethods<T> = {
  [K in keyof T]: T[K] extends (...args: never[]) => Promise<unknown> ? K : never;
}[Exclude<keyof T, symbol>];

/** A call of each of them. */
type Calls<T> = Readonly<Record<AsyncMethods<T>, (object: T) => Promise<unknown>>>;

export const ofLock: Calls<Lock> = {
  acquire: (lock) => lock.acquire({ waitMs: commandTimeoutMs }),
  tryAcquire: (lock) => lock.tryAcquire(),
  using: (lock) => lock.using(() => {}, { waitMs: commandTimeoutMs }),
  isLocked: (lock) => lock.isLocked(),
  holders: (lock) => lock.holders(),
  holdCount: (lock) => lock.holdCount(),
  remainingLeaseMs: (lock) => lock.remainingLeaseMs(),
  forceRelease: (lock) => lock.forceRelease(),
};

/** Outside of a scope nothing is asked for it. */
const { holdCount: _inScope, ...outside } = ofLock;
export const ofLockOutside = outside;

/** `run` calls nothing but its task while it is held. */
export const ofHold: Omit<Calls<Hold>, 'run'> = {
  detach: (hold) => hold.detach(),
  extend: (hold) => hold.extend(1_000),
  release: (hold) => hold.release(),
};

export const ofPermit: Calls<Permit> = {
  detach: (permit) => permit.detach(),
  extend: (permit) => permit.extend(1_000),
  release: (permit) => permit.release(),
};

export const ofPermits: Calls<Permits> = { release: (permits) => permits.release() };

export const ofSemaphore: Calls<Semaphore> = {
  trySetPermits: (semaphore) => semaphore.trySetPermits(1),
  addPermits: (semaphore) => semaphore.addPermits(1),
  drainPermits: (semaphore) => semaphore.drainPermits(),
  availablePermits: (semaphore) => semaphore.availablePermits(),
  acquire: (semaphore) => semaphore.acquire(1, { waitMs: commandTimeoutMs }),
  tryAcquire: (semaphore) => semaphore.tryAcquire(),
  release: (semaphore) => semaphore.release(),
  using: (semaphore) => semaphore.using(() => {}, { waitMs: commandTimeoutMs }),
  delete: (semaphore) => semaphore.delete(),
};

const ID = '0'.repeat(32);

export const ofExpirable: Calls<PermitExpirableSemaphore> = {
  trySetPermits: (semaphore) => semaphore.trySetPermits(1),
  setPermits: (semaphore) => semaphore.setPermits(1),
  addPermits: (semaphore) => semaphore.addPermits(1),
  totalPermits: (semaphore) => semaphore.totalPermits(),
  availablePermits: (semaphore) => semaphore.availablePermits(),
  acquiredPermits: (semaphore) => semaphore.acquiredPermits(),
  acquire: (semaphore) => semaphore.acquire({ waitMs: commandTimeoutMs }),
  tryAcquire: (semaphore) => semaphore.tryAcquire(),
  acquireMany: (semaphore) => semaphore.acquireMany(2, { waitMs: commandTimeoutMs }),
  tryAcquireMany: (semaphore) => semaphore.tryAcquireMany(2),
  using: (semaphore) => semaphore.using(() => {}, { waitMs: commandTimeoutMs }),
  release: (semaphore) => semaphore.release(ID),
  tryRelease: (semaphore) => semaphore.tryRelease(ID),
  updateLease: (semaphore) => semaphore.updateLease(ID, 1_000),
  delete: (semaphore) => semaphore.delete(),
};

export const ofLatch: Calls<CountDownLatch> = {
  trySetCount: (latch) => latch.trySetCount(1),
  countDown: (latch) => latch.countDown(),
  count: (latch) => latch.count(),
  wait: (latch) => latch.wait({ waitMs: commandTimeoutMs }),
  delete: (latch) => latch.delete(),
};

const DETACHED = detachedString({
  kind: 'lock',
  name: 'redlatch-test:adopted',
  key: 'redlatch-test:adopted',
  holderId: '00112233-4455-4677-8899-aabbccddeeff:1',
  fencingToken: undefined,
  boundMs: undefined,
});

/** A closed client closes again. */
export const ofClient: Omit<Calls<Client>, 'close'> = {
  adopt: (client) => client.adopt(DETACHED),
  guarantees: (client) => client.guarantees(),
};
export const ofQuorumClient: Omit<Calls<QuorumClient>, 'close'> = {
  guarantees: (client) => client.guarantees(),
};

/** The frame that has to be found. Not inlined, and awaits as a program does. */
export async function callerInThisFile(call: () => Promise<unknown>): Promise<unknown> {
  const result = await call();
  return result;
}

/** What a call rejects with; fails unless its stack shows who has called. */
export async function expectHome(what: string, call: () => Promise<unknown>): Promise<Error> {
  const error = await callerInThisFile(call).catch((thrown: unknown) => thrown);
  expect(error, what).toBeInstanceOf(CoordinationError);
  const { name, message, stack = '' } = error as Error;
  expect(
    stack.split('\n').find((line) => line.includes('callerInThisFile')),
    `${what}: ${stack}`,
  ).toContain('stack-calls.ts');
  expect(stack.startsWith(`${name}: ${message}\n`), stack).toBe(true);
  return error as Error;
}

/** Makes each call at the same time, as far as they do not wait for each other. */
export async function expectAllHome<T>(
  object: T,
  calls: Readonly<Record<string, (object: T) => Promise<unknown>>>,
): Promise<void> {
  await Promise.all(
    Object.entries(calls).map(async ([what, call]) => await expectHome(what, () => call(object))),
  );
}
