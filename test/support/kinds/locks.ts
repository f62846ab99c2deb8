// The five locks.

import { expect } from 'vitest';
import type { Hold } from '../../../src/index.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { keysUnder } from '../redis.js';
import { toldOf } from '../told.js';
import { ask, prefixed } from './connection.js';
import type { ExclusiveLock, LockKind } from './kind.js';

/** The holders of a lock of any kind and their hold counts, as stored. */
export async function stored(name: string, url?: string): Promise<Record<string, string>> {
  const { mode: _, ...fields } = await ask(url).hgetall(name);
  return Object.fromEntries(
    Object.entries(fields).map(([holder, count]) => [holder.replace(/:write$/u, ''), count]),
  );
}

const channel = (name: string): string => prefixed('redisson_lock__channel', name);

const plainScripts = {
  acquire: scripts.lockAcquire,
  release: scripts.lockRelease,
  renew: scripts.lockRenew,
  forceRelease: scripts.lockForceRelease,
};

/** What all locks have in common. */
const onHash = {
  isSemaphore: false,
  hasHeartbeat: false,
  lasting: [],
  scripts: plainScripts,
  usurped: 'taken' as const,
  field: (holderId: string): string => holderId,
  tombstone: (name: string, holderId: string): string =>
    prefixed('redlatch_cancelled', name) + `:${holderId}`,
  idOf: ({ holderId }: Hold): string => holderId,
  inside: async (name: string): Promise<string[]> => Object.keys(await stored(name)).toSorted(),
  isTaken: async (name: string): Promise<boolean> => (await ask().exists(name)) === 1,
  isFree: async (name: string, url?: string): Promise<boolean> =>
    (await ask(url).exists(name)) === 0,
  async expectIn(name: string, { holderId, depth }: Hold, url?: string): Promise<void> {
    expect(await stored(name, url)).toEqual({ [holderId]: String(depth) });
  },
};

/** What locks with one hash of holders have in common. */
const onOneHash = {
  ...onHash,
  freed: ['0'],
  channel,
  hash: (holderId: string, holds: number): Record<string, string> => ({
    [holderId]: String(holds),
  }),
  isAwaited: async (name: string): Promise<boolean> => (await toldOf(name, ask())) > 0,
  async erase(name: string): Promise<void> {
    await ask().del(name);
  },
  async usurp(name: string, holderId: string, leaseMs: number): Promise<void> {
    await ask().multi().del(name).hset(name, holderId, 1).pexpire(name, leaseMs).exec();
  },
  async vacate(name: string): Promise<void> {
    await ask().multi().del(name).publish(channel(name), '0').exec();
  },
  serverLeaseMs: async (name: string): Promise<number> => await ask().pttl(name),
};

/** The object is the same before anybody has used it. */
const got = <G extends LockKind['get']>(get: G): Record<'get' | 'create' | 'rival', G> => ({
  get,
  create: get,
  rival: get,
});

/** What locks have in common that are handed on. */
const handedOn = { isHandedOn: true, hasHeartbeat: true, enter: scripts.lockEnter };

export const lock: ExclusiveLock = {
  ...onOneHash,
  ...got((client, name) => client.getLock(name)),
  ...handedOn,
  what: 'lock',
  id: 'lock',
};

export const fencedLock: ExclusiveLock = {
  ...onOneHash,
  ...got((client, name) => client.getFencedLock(name)),
  ...handedOn,
  what: 'fenced lock',
  id: 'fenced-lock',
  lasting: [/^redisson_lock_token:/],
  scripts: { ...plainScripts, acquire: scripts.lockAcquireFenced },
};

export const multiLock: ExclusiveLock = {
  ...onOneHash,
  ...got((client, name) => client.getMultiLock([name])),
  ...handedOn,
  what: 'multi-lock',
  id: 'multi-lock',
  enter: scripts.multiLockAcquire,
  reenter: scripts.lockAcquire,
  scripts: {
    ...plainScripts,
    acquire: scripts.multiLockAcquire,
    release: scripts.multiLockRelease,
  },
};

const queueOf = (name: string): string => prefixed('redisson_lock_queue', name);

export const fairLock: ExclusiveLock = {
  ...onOneHash,
  ...got((client, name) => client.getFairLock(name)),
  what: 'fair lock',
  id: 'fair-lock',
  isHandedOn: true,
  hasHeartbeat: true,
  scripts: {
    acquire: scripts.fairLockAcquire,
    release: scripts.fairLockRelease,
    renew: scripts.lockRenew,
    forceRelease: scripts.fairLockForceRelease,
  },
  // Only the head of the queue is notified.
  freed: [],
  isAwaited: async (name) => (await ask().llen(queueOf(name))) > 0,
  async vacate(name) {
    const head = await ask().lindex(queueOf(name), 0);
    await ask()
      .multi()
      .del(name)
      .publish(`${channel(name)}:${head}`, '0')
      .exec();
  },
};

const rwChannel = (name: string): string => prefixed('redisson_rwlock', name);

/** @param gone what else goes in the same step: nobody finds the lock free between */
async function usurpByWriter(
  name: string,
  holderId: string,
  leaseMs: number,
  gone: readonly string[] = [],
): Promise<void> {
  const fields = { mode: 'write', [`${holderId}:write`]: '1' };
  await ask()
    .multi()
    .del(name, ...gone)
    .hset(name, fields)
    .pexpire(name, leaseMs)
    .exec();
}

export const writeLock: ExclusiveLock = {
  ...onOneHash,
  ...got((client, name) => client.getReadWriteLock(name).writeLock),
  what: 'write lock',
  id: 'write-lock',
  isHandedOn: true,
  enter: scripts.rwlockAcquireWrite,
  hasHeartbeat: true,
  scripts: {
    acquire: scripts.rwlockAcquireWrite,
    release: scripts.rwlockReleaseWrite,
    renew: scripts.lockRenew,
    forceRelease: scripts.rwlockForceRelease,
  },
  freed: ['1'],
  channel: rwChannel,
  field: (holderId) => `${holderId}:write`,
  tombstone: (name, holderId) => onHash.tombstone(name, `${holderId}:write`),
  hash: (holderId, holds) => ({ mode: 'write', [`${holderId}:write`]: String(holds) }),
  usurp: async (name, holderId, leaseMs) => await usurpByWriter(name, holderId, leaseMs),
  async vacate(name) {
    await ask().multi().del(name).publish(rwChannel(name), '1').exec();
  },
};

async function holdKeys(name: string): Promise<string[]> {
  return (await keysUnder(name, ask())).filter((key) => key.includes(':rwlock_timeout:'));
}

async function readersKeys(name: string): Promise<string[]> {
  return [prefixed('redlatch_readers', name), ...(await holdKeys(name))];
}

export const readLock: LockKind = {
  ...onHash,
  what: 'read lock',
  id: 'read-lock',
  hasHeartbeat: true,
  scripts: {
    acquire: scripts.rwlockAcquireRead,
    release: scripts.rwlockReleaseRead,
    renew: scripts.rwlockRenewRead,
    forceRelease: scripts.rwlockForceRelease,
  },
  ...got((client, name) => client.getReadWriteLock(name).readLock),
  rival: writeLock.rival,
  isTaken: async (name) => (await ask().hget(name, 'mode')) === 'read',
  async erase(name) {
    await ask().del(name, ...(await readersKeys(name)));
  },
  async usurp(name, holderId, leaseMs) {
    await usurpByWriter(name, holderId, leaseMs, await readersKeys(name));
  },
  async serverLeaseMs(name) {
    const lockMs = await ask().pttl(name);
    if ((await ask().hget(name, 'mode')) === 'write') {
      return lockMs;
    }
    // A reader lives as long as both its lock and one of its hold keys.
    const holds = await holdKeys(name);
    const holdsMs = await Promise.all(holds.map(async (key) => await ask().pttl(key)));
    return Math.min(lockMs, Math.max(-2, ...holdsMs));
  },
};
