// Every object that a name can stand for, with all its methods: readers and writers have one name.

import type { Client, Lock, WaitOptions } from '../../../src/index.js';
import { latchChannel } from '../latch-channel.js';
import type { ExclusiveLock } from './kind.js';
import { fairLock, fencedLock, lock, readLock, writeLock } from './locks.js';

/** What an object was taken for. */
interface Taken {
  /** Lets others in. */
  free(): Promise<unknown>;
  /** Leaves nothing of it. */
  remove(): Promise<unknown>;
}

export interface ObjectKind {
  /** As errors name it. */
  readonly id: string;
  /** What the server can tell from the name: kinds of one layout are the same to it. */
  readonly layout: 'hash of holders' | 'hash with a mode' | 'count';
  get(this: void, client: Client, name: string): { readonly name: string };
  /** Every method that asks the server. */
  calls(client: Client, name: string): (() => Promise<unknown>)[];
  /** Uses all of it. */
  take(this: void, client: Client, name: string): Promise<Taken>;
  /** Waits until it is free, and leaves it free. */
  wait(this: void, client: Client, name: string, options?: WaitOptions): Promise<unknown>;
  /** Where waiters listen; those of a fair lock each on one that begins so. */
  channel(name: string): string;
  /** Looks at it. */
  look(client: Client, name: string): Promise<unknown>;
}

/** Thirty-two digits that name no permit. */
export const NO_PERMIT = '0123456789abcdef0123456789abcdef';

const never = (): string => 'never';
const nothing = (): void => undefined;

function lockCalls(one: Lock): (() => Promise<unknown>)[] {
  return [
    () => one.acquire(),
    () => one.acquire({ waitMs: 5_000, leaseMs: 1_000 }),
    () => one.tryAcquire(),
    () => one.tryAcquire({ waitMs: 0 }),
    () => one.using(never),
    () => one.isLocked(),
    () => one.holders(),
    () => one.remainingLeaseMs(),
    () => one.forceRelease(),
  ];
}

async function take(one: Lock): Promise<Taken> {
  const hold = await one.acquire();
  const release = async (): Promise<void> => await hold.release();
  return { free: release, remove: release };
}

const ofLock = ({ id, get, channel }: ExclusiveLock): ObjectKind => ({
  id,
  layout: 'hash of holders',
  get,
  calls: (client, name) => lockCalls(get(client, name)),
  take: async (client, name) => await take(get(client, name)),
  wait: async (client, name, options) => await get(client, name).using(nothing, options),
  channel,
  look: async (client, name) => await get(client, name).isLocked(),
});

const readWriteLock: ObjectKind = {
  ...ofLock(writeLock),
  id: 'read-write-lock',
  layout: 'hash with a mode',
  get: (client, name) => client.getReadWriteLock(name),
  calls: (client, name) => [readLock, writeLock].flatMap(({ get }) => lockCalls(get(client, name))),
  wait: async (client, name, options) =>
    await Promise.all(
      [readLock, writeLock].map(async ({ get }) => await get(client, name).using(nothing, options)),
    ),
};

const semaphoreObject: ObjectKind = {
  id: 'semaphore',
  layout: 'count',
  get: (client, name) => client.getSemaphore(name),
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

const permitsObject: ObjectKind = {
  id: 'permit-expirable-semaphore',
  layout: 'count',
  get: (client, name) => client.getPermitExpirableSemaphore(name),
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

const latchObject: ObjectKind = {
  id: 'count-down-latch',
  layout: 'count',
  get: (client, name) => client.getCountDownLatch(name),
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

export const objectKinds: readonly ObjectKind[] = [
  ofLock(lock),
  ofLock(fairLock),
  ofLock(fencedLock),
  readWriteLock,
  semaphoreObject,
  permitsObject,
  latchObject,
];

/** Every two kinds that differ, in both orders. */
export const pairs: readonly { readonly is: ObjectKind; readonly other: ObjectKind }[] =
  objectKinds.flatMap((is) =>
    objectKinds.filter((other) => other !== is).map((other) => ({ is, other })),
  );

/** Every two that the server can tell apart. */
export const toldApart: typeof pairs = pairs.filter(({ is, other }) => is.layout !== other.layout);
