// What must hold among readers and writers when the answer to a command is cut off.

import { expect } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { keysUnder, rawClient } from '../support/redis.js';
import {
  cutReply,
  expectHolder,
  listening,
  queues,
  rejection,
  settledRequests,
  take,
  type Case,
} from './world.js';
import { stored } from '../support/kinds/locks.js';

type Line = 'writers' | 'waiting';

/** Who stands in a line, with their ranks. */
async function inLine(name: string, line: Line): Promise<string[]> {
  return await rawClient().zrange(`redlatch_${line}:{${name}}`, '0', '-1', 'WITHSCORES');
}

async function lined(name: string, line: Line, count: number): Promise<string[]> {
  return await eventually(async () => {
    const members = await inLine(name, line);
    return members.length === 2 * count && members;
  });
}

/** Fails unless nobody holds it, waits for it, or has left a hold key. */
async function expectGone(name: string): Promise<void> {
  await eventually(async () => {
    const keys = await keysUnder(`{${name}}`);
    expect(keys.filter((key) => !/^redlatch_(?:cancelled|requests):/u.test(key))).toEqual([]);
    expect(await rawClient().exists(name)).toBe(0);
  });
}

const acquireRead: Case[] = [
  {
    fact: 'readers that were let in together are in once each',
    async run({ proxy, name, client, other }) {
      const writing = await take(other.getReadWriteLock(name).writeLock);
      const { readLock } = client.getReadWriteLock(name);
      const waits = [1, 2, 3].map(() => readLock.acquire());
      await listening(name);
      await settledRequests(proxy, name);
      const fault = cutReply(proxy, scripts.rwlockAcquireRead);

      await writing.release();
      await fault.ran();
      const admitted = await stored(name);
      await fault.replay();
      const holds = await Promise.all(waits);

      expect(Object.values(admitted)).toEqual(['1', '1', '1']);
      expect(await stored(name)).toEqual(admitted);
      expect(holds.map(({ holderId }) => holderId).toSorted()).toEqual(
        Object.keys(admitted).toSorted(),
      );
      await Promise.all(holds.map(async (hold) => await hold.release()));
      await expectGone(name);
    },
  },
  {
    fact: 'a waiting reader stands in line once, and nothing is left of that when it is in',
    async run({ proxy, name, client, other }) {
      const writing = await take(other.getReadWriteLock(name).writeLock);
      const fault = cutReply(proxy, scripts.rwlockAcquireRead, queues);

      const waiting = client.getReadWriteLock(name).readLock.acquire();
      await fault.ran();
      await lined(name, 'waiting', 1);
      await fault.replay();
      await settledRequests(proxy, name);
      await lined(name, 'waiting', 1);
      await writing.release();
      const hold = await waiting;

      await expectHolder(name, hold);
      expect(await inLine(name, 'waiting')).toEqual([]);
      await hold.release();
      await expectGone(name);
    },
  },
];

const releaseRead: Case[] = [
  {
    fact: 'a reader that leaves takes nobody along',
    async run({ proxy, name, client, other }) {
      const [mine, theirs] = await Promise.all(
        [client, other].map(async (each) => await take(each.getReadWriteLock(name).readLock)),
      );
      const fault = cutReply(proxy, scripts.rwlockReleaseRead);

      const releasing = mine!.release();
      await fault.ran();
      const late = await take(other.getReadWriteLock(name).readLock);
      await fault.replay();
      await releasing;

      expect(await stored(name)).toEqual({ [theirs!.holderId]: '1', [late.holderId]: '1' });
      await Promise.all([theirs!.release(), late.release()]);
      await expectGone(name);
    },
  },
];

const acquireWrite: Case[] = [
  {
    fact: 'a waiting writer stands in line once, and keeps its place',
    async run({ proxy, name, client, other }) {
      const reading = await take(other.getReadWriteLock(name).readLock);
      const fault = cutReply(proxy, scripts.rwlockAcquireWrite, queues);

      const waiting = client.getReadWriteLock(name).writeLock.acquire();
      await fault.ran();
      const line = await lined(name, 'writers', 1);
      await fault.replay();
      await settledRequests(proxy, name);

      expect(await inLine(name, 'writers')).toEqual(line);
      await reading.release();
      const hold = await waiting;
      await expectHolder(name, hold);
      expect(await inLine(name, 'writers')).toEqual([]);
      await hold.release();
      await expectGone(name);
    },
  },
];

const releaseWrite: Case[] = [
  {
    fact: 'a downgrade keeps the read hold, with whoever came to read meanwhile',
    async run({ proxy, name, client, other }) {
      const { readLock, writeLock } = client.getReadWriteLock(name);
      const writing = await take(writeLock);
      const reading = await take(readLock, { within: writing });
      const fault = cutReply(proxy, scripts.rwlockReleaseWrite);

      const releasing = writing.release();
      await fault.ran();
      const reader = await take(other.getReadWriteLock(name).readLock);
      await fault.replay();
      await releasing;

      expect(reading.isHeld).toBe(true);
      expect(await rawClient().hgetall(name)).toEqual({
        mode: 'read',
        [reading.holderId]: '1',
        [reader.holderId]: '1',
      });
      expect(await other.getReadWriteLock(name).writeLock.tryAcquire()).toBeNull();
      await Promise.all([reading.release(), reader.release()]);
      await expectGone(name);
    },
  },
  {
    fact: 'a writer that left is out of line, and the readers behind it are in',
    async run({ proxy, name, client, other }) {
      const reading = await take(other.getReadWriteLock(name).readLock);
      const abort = new AbortController();
      const leaving = rejection(
        client.getReadWriteLock(name).writeLock.acquire({ signal: abort.signal }),
      );
      await lined(name, 'writers', 1);
      const waiting = other.getReadWriteLock(name).readLock.acquire();
      await lined(name, 'waiting', 1);
      const fault = cutReply(proxy, scripts.rwlockReleaseWrite);

      abort.abort(new Error('left'));
      await leaving;
      await fault.ran();
      const reader = await waiting;
      await fault.replay();

      expect(await stored(name)).toEqual({ [reading.holderId]: '1', [reader.holderId]: '1' });
      await Promise.all([reading.release(), reader.release()]);
      await expectGone(name);
    },
  },
];

const leaveLine: Case[] = [
  {
    fact: 'readers that gave up are out of line, and their client can stand there anew',
    async run({ proxy, name, client, other }) {
      const { readLock } = client.getReadWriteLock(name);
      const writing = await take(other.getReadWriteLock(name).writeLock);
      const abort = new AbortController();
      const leaving = [1, 2].map(
        async () => await rejection(readLock.acquire({ signal: abort.signal })),
      );
      await lined(name, 'waiting', 1);
      await settledRequests(proxy, name);
      const fault = cutReply(proxy, scripts.rwlockLeaveQueue);

      abort.abort(new Error('left'));
      await Promise.all(leaving);
      await fault.ran();
      expect(await inLine(name, 'waiting')).toEqual([]);
      const anew = readLock.acquire();
      await fault.replay();

      await lined(name, 'waiting', 1);
      await writing.release();
      const hold = await anew;
      await expectHolder(name, hold);
      await hold.release();
      await expectGone(name);
    },
  },
];

export const readWriteCases: Readonly<Record<string, readonly Case[]>> = {
  'rwlock/acquire-read': acquireRead,
  'rwlock/release-read': releaseRead,
  'rwlock/acquire-write': acquireWrite,
  'rwlock/release-write': releaseWrite,
  'rwlock/leave-queue': leaveLine,
};
