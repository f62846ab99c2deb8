// The locks, as the contract suites see them.

import type { Redis } from 'ioredis';
import { channelsUnder, keysUnder } from '../support/redis.js';
import type { ExclusiveLock, LockUnderTest } from './face.js';

/** Redisson's rule for what goes in front of a name. */
function prefixed(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}

const channel = (name: string): string => prefixed('redisson_lock__channel', name);

/** What locks with one hash of holders have in common. */
const onOneHash = {
  lasting: [],
  usurped: 'taken' as const,
  freed: ['0'],
  channel,
  field: (holderId: string): string => holderId,
  hash: (holderId: string, holds: number): Record<string, string> => ({
    [holderId]: String(holds),
  }),
  isTaken: async (raw: Redis, name: string): Promise<boolean> => (await raw.exists(name)) === 1,
  isAwaited: async (raw: Redis, name: string): Promise<boolean> =>
    (await channelsUnder(name, raw)).length > 0,
  async erase(raw: Redis, name: string): Promise<void> {
    await raw.del(name);
  },
  async usurp(raw: Redis, name: string, holderId: string, leaseMs: number): Promise<void> {
    await raw.multi().del(name).hset(name, holderId, 1).pexpire(name, leaseMs).exec();
  },
  async vacate(raw: Redis, name: string): Promise<void> {
    await raw.multi().del(name).publish(channel(name), '0').exec();
  },
  serverLeaseMs: async (raw: Redis, name: string): Promise<number> => await raw.pttl(name),
};

export const lock: ExclusiveLock = {
  ...onOneHash,
  name: 'lock',
  kind: 'lock',
  create: (client, name) => client.getLock(name),
};

export const fencedLock: ExclusiveLock = {
  ...onOneHash,
  name: 'fenced lock',
  kind: 'fenced-lock',
  lasting: [/^redisson_lock_token:/],
  create: (client, name) => client.getFencedLock(name),
};

const queueOf = (name: string): string => prefixed('redisson_lock_queue', name);

export const fairLock: ExclusiveLock = {
  ...onOneHash,
  name: 'fair lock',
  kind: 'fair-lock',
  // Only the head of the queue is told.
  freed: [],
  create: (client, name) => client.getFairLock(name),
  isAwaited: async (raw, name) => (await raw.llen(queueOf(name))) > 0,
  async vacate(raw, name) {
    const head = await raw.lindex(queueOf(name), 0);
    await raw
      .multi()
      .del(name)
      .publish(`${channel(name)}:${head}`, '0')
      .exec();
  },
};

const rwChannel = (name: string): string => prefixed('redisson_rwlock', name);

async function usurpByWriter(
  raw: Redis,
  name: string,
  holderId: string,
  leaseMs: number,
): Promise<void> {
  const fields = { mode: 'write', [`${holderId}:write`]: '1' };
  await raw.multi().del(name).hset(name, fields).pexpire(name, leaseMs).exec();
}

export const writeSide: ExclusiveLock = {
  ...onOneHash,
  name: 'write lock',
  kind: 'write-lock',
  freed: ['1'],
  channel: rwChannel,
  field: (holderId) => `${holderId}:write`,
  hash: (holderId, holds) => ({ mode: 'write', [`${holderId}:write`]: String(holds) }),
  create: (client, name) => client.getReadWriteLock(name).writeLock,
  usurp: usurpByWriter,
  async vacate(raw, name) {
    await raw.multi().del(name).publish(rwChannel(name), '1').exec();
  },
};

async function holdKeys(raw: Redis, name: string): Promise<string[]> {
  return (await keysUnder(name, raw)).filter((key) => key.includes(':rwlock_timeout:'));
}

async function eraseReaders(raw: Redis, name: string): Promise<void> {
  await raw.del(name, prefixed('latchkey_readers', name), ...(await holdKeys(raw, name)));
}

export const readSide: LockUnderTest = {
  name: 'read lock',
  kind: 'read-lock',
  lasting: [],
  usurped: 'taken',
  field: (holderId) => holderId,
  create: (client, name) => client.getReadWriteLock(name).readLock,
  isTaken: async (raw, name) => (await raw.hget(name, 'mode')) === 'read',
  erase: eraseReaders,
  async usurp(raw, name, holderId, leaseMs) {
    await eraseReaders(raw, name);
    await usurpByWriter(raw, name, holderId, leaseMs);
  },
  async serverLeaseMs(raw, name) {
    const lockMs = await raw.pttl(name);
    if ((await raw.hget(name, 'mode')) === 'write') {
      return lockMs;
    }
    // A reader lives as long as both its lock and one of its hold keys.
    const holds = await holdKeys(raw, name);
    const holdsMs = await Promise.all(holds.map(async (key) => await raw.pttl(key)));
    return Math.min(lockMs, Math.max(-2, ...holdsMs));
  },
};
