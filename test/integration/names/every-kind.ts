// Every kind of object with all its methods, for tests that ask the same of all of them.

import type { Client, Lock, WaitOptions } from '../../../src/index.js';
import { latchChannel } from '../../support/latch-channel.js';

/** What an object was taken for. */
interface Taken {
  /** Lets others in. */
  free(): Promise<unknown>;
  /** Leaves nothing of it. */
  remove(): Promise<unknown>;
}

export interface Kind {
  /** As errors name it. */
  readonly name: string;
  /** What the server can tell from the name: kinds of one layout are the same to it. */
  readonly layout: 'hash of holders' | 'hash with a mode' | 'count';
  /** Every method that asks the server. */
  calls(client: Client, name: string): (() => Promise<unknown>)[];
  /** Uses all of it. */
  take(client: Client, name: string): Promise<Taken>;
  /** Waits until it is free, and leaves it free. */
  wait(client: Client, name: string, options?: WaitOptions): Promise<unknown>;
  /** Where waiters listen; those of a fair lock each on one that begins so. */
  channel(name: string): string;
  /** Looks at it. */
  look(client: Client, name: string): Promise<unknown>;
}

/** Thirty-two digits that name no permit. */
const NO_PERMIT = '0123456789abcdef0123456789abcdef';

const never = (): string => 'never';
const nothing = (): void => undefined;

function lockCalls(lock: Lock): (() => Promise<unknown>)[] {
  return [
    () => lock.acquire(),
    () => lock.acquire({ waitMs: 5_000, leaseMs: 1_000 }),
    () => lock.tryAcquire(),
    () => lock.tryAcquire({ waitMs: 0 }),
    () => lock.using(never),
    () => lock.isLocked(),
    () => lock.holders(),
    () => lock.remainingLeaseMs(),
    () => lock.forceRelease(),
  ];
}

async function take(lock: Lock): Promise<Taken> {
  const hold = await lock.acquire();
  const release = async (): Promise<void> => await hold.release();
  return { free: release, remove: release };
}

function kindOfLock(name: string, get: (client: Client, name: string) => Lock): Kind {
  return {
    name,
    layout: 'hash of holders',
    calls: (client, object) => lockCalls(get(client, object)),
    take: async (client, object) => await take(get(client, object)),
    wait: async (client, object, options) => await get(client, object).using(nothing, options),
    channel: (object) => `redisson_lock__channel:{${object}}`,
    look: async (client, object) => await get(client, object).isLocked(),
  };
}

const readWriteLock: Kind = {
  name: 'read-write-lock',
  layout: 'hash with a mode',
  calls(client, name) {
    const { readLock, writeLock } = client.getReadWriteLock(name);
    return [...lockCalls(readLock), ...lockCalls(writeLock)];
  },
  take: async (client, name) => await take(client.getReadWriteLock(name).writeLock),
  async wait(client, name, options) {
    const { readLock, writeLock } = client.getReadWriteLock(name);
    await Promise.all([readLock.using(nothing, options), writeLock.using(nothing, options)]);
  },
  channel: (name) => `redisson_rwlock:{${name}}`,
  look: async (client, name) => await client.getReadWriteLock(name).readLock.isLocked(),
};

const semaphore: Kind = {
  name: 'semaphore',
  layout: 'count',
  calls(client, name) {
    const one = client.getSemaphore(name);
    return [
      () => one.trySetPermits(1),
      () => one.addPermits(1),
      () => one.drainPermits(),
      () => one.availablePermits(),
      () => one.acquire(),
      () => one.acquire(2, { waitMs: 0 }),
      () => one.tryAcquire(),
      () => one.tryAcquire(1, { waitMs: 1_000 }),
      () => one.release(),
      () => one.using(never),
      () => one.delete(),
    ];
  },
  async take(client, name) {
    const one = client.getSemaphore(name);
    await one.trySetPermits(2);
    const permits = await one.acquire(2);
    return { free: () => permits.release(), remove: () => one.delete() };
  },
  wait: async (client, name, options) => await client.getSemaphore(name).using(nothing, options),
  channel: (name) => `redisson_sc:{${name}}`,
  look: async (client, name) => await client.getSemaphore(name).availablePermits(),
};

const permitExpirableSemaphore: Kind = {
  name: 'permit-expirable-semaphore',
  layout: 'count',
  calls(client, name) {
    const one = client.getPermitExpirableSemaphore(name);
    return [
      () => one.trySetPermits(1),
      () => one.setPermits(1),
      () => one.addPermits(1),
      () => one.totalPermits(),
      () => one.availablePermits(),
      () => one.acquiredPermits(),
      () => one.acquire(),
      () => one.acquire({ waitMs: 0, leaseMs: 1_000 }),
      () => one.tryAcquire(),
      () => one.acquireMany(2),
      () => one.tryAcquireMany(2),
      () => one.using(never),
      () => one.release(NO_PERMIT),
      () => one.tryRelease(NO_PERMIT),
      () => one.updateLease(NO_PERMIT, 1_000),
      () => one.delete(),
    ];
  },
  async take(client, name) {
    const one = client.getPermitExpirableSemaphore(name);
    await one.trySetPermits(1);
    const permit = await one.acquire();
    return { free: () => permit.release(), remove: () => one.delete() };
  },
  wait: async (client, name, options) =>
    await client.getPermitExpirableSemaphore(name).using(nothing, options),
  channel: (name) => `redisson_sc:{${name}}`,
  look: async (client, name) => await client.getPermitExpirableSemaphore(name).totalPermits(),
};

const countDownLatch: Kind = {
  name: 'count-down-latch',
  layout: 'count',
  calls(client, name) {
    const latch = client.getCountDownLatch(name);
    return [
      () => latch.trySetCount(1),
      () => latch.countDown(),
      () => latch.count(),
      () => latch.wait(),
      () => latch.wait({ waitMs: 0 }),
      () => latch.delete(),
    ];
  },
  async take(client, name) {
    const latch = client.getCountDownLatch(name);
    await latch.trySetCount(1);
    return { free: () => latch.countDown(), remove: () => latch.delete() };
  },
  wait: async (client, name, options) => await client.getCountDownLatch(name).wait(options),
  channel: latchChannel,
  look: async (client, name) => await client.getCountDownLatch(name).count(),
};

export const kinds: readonly Kind[] = [
  kindOfLock('lock', (client, name) => client.getLock(name)),
  kindOfLock('fair-lock', (client, name) => client.getFairLock(name)),
  kindOfLock('fenced-lock', (client, name) => client.getFencedLock(name)),
  readWriteLock,
  semaphore,
  permitExpirableSemaphore,
  countDownLatch,
];

/** Every two kinds that differ, in both orders. */
export const pairs: readonly { readonly is: Kind; readonly other: Kind }[] = kinds.flatMap((is) =>
  kinds.filter((other) => other !== is).map((other) => ({ is, other })),
);

/** Every two that the server can tell apart. */
export const toldApart: typeof pairs = pairs.filter(({ is, other }) => is.layout !== other.layout);
