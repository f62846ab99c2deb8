// What must hold in the queue of a fair lock when the answer to a command is cut off.

import { expect } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { rawClient } from '../support/redis.js';
import { eventually } from '../support/eventually.js';
import {
  cutReply,
  expectHolder,
  isSubscriber,
  listening,
  queues,
  rejection,
  settledRequests,
  take,
  type Case,
} from './world.js';

/** Waits until so many stand in the queue, and says who. */
async function queued(name: string, count: number): Promise<string[]> {
  return await eventually(async () => {
    const queue = await rawClient().lrange(`redisson_lock_queue:{${name}}`, 0, -1);
    return queue.length === count && queue;
  });
}

const acquire: Case[] = [
  {
    fact: 'a waiter stands in the queue once, and keeps its place',
    async run({ proxy, name, client, other }) {
      const held = await take(other.getFairLock(name));
      const fault = cutReply(proxy, scripts.fairLockAcquire, queues);

      const waiting = client.getFairLock(name).acquire();
      await fault.ran();
      const behind = other.getFairLock(name).acquire();
      const queue = await queued(name, 2);
      await fault.replay();
      await settledRequests(proxy, name);

      expect(await queued(name, 2)).toEqual(queue);
      await held.release();
      const hold = await waiting;
      expect(hold.holderId).toBe(queue[0]);
      expect(await queued(name, 1)).toEqual([queue[1]]);
      await hold.release();
      await expectHolder(name, await behind);
    },
  },
  {
    fact: 'a waiter that finds by asking that it was handed the lock has it once',
    async run({ proxy, name, client, other }) {
      const held = await take(other.getFairLock(name));
      const waiting = client.getFairLock(name).acquire();
      await listening(name);
      await settledRequests(proxy, name);
      const messages = proxy.connections().find(isSubscriber);
      messages?.down.stop('paused');
      const fault = cutReply(proxy, scripts.fairLockAcquire);

      await held.release();
      await fault.ran();
      const behind = other.getFairLock(name).acquire();
      await queued(name, 1);
      await fault.replay();
      messages?.down.go('paused');
      const hold = await waiting;

      await expectHolder(name, hold);
      await hold.release();
      await expectHolder(name, await behind);
    },
  },
];

const release: Case[] = [
  {
    fact: 'the next in the queue gets the lock once, and keeps it',
    async run({ proxy, name, client, other }) {
      const hold = await take(client.getFairLock(name));
      const waits = [other.getFairLock(name).acquire(), other.getFairLock(name).acquire()];
      await queued(name, 2);
      const fault = cutReply(proxy, scripts.fairLockRelease);

      const releasing = hold.release();
      await fault.ran();
      const next = await Promise.race(waits);
      await fault.replay();
      await releasing;

      await expectHolder(name, next);
      expect(await queued(name, 1)).not.toEqual([next.holderId]);
      await next.release();
      await Promise.all(waits);
    },
  },
  {
    fact: 'a waiter that left is out of the queue, and nobody else is',
    async run({ proxy, name, client, other }) {
      const held = await take(other.getFairLock(name));
      const abort = new AbortController();
      const leaving = rejection(client.getFairLock(name).acquire({ signal: abort.signal }));
      await queued(name, 1);
      const behind = other.getFairLock(name).acquire();
      const [, second] = await queued(name, 2);
      const fault = cutReply(proxy, scripts.fairLockRelease);

      abort.abort(new Error('left'));
      await leaving;
      await fault.ran();
      expect(await queued(name, 1)).toEqual([second]);
      await fault.replay();
      await client.getFairLock(name).isLocked();

      expect(await queued(name, 1)).toEqual([second]);
      await held.release();
      expect((await behind).holderId).toBe(second);
    },
  },
];

const forceRelease: Case[] = [
  {
    fact: 'it lets the head of the queue in, and a copy of it spares that one',
    async run({ proxy, name, client, other }) {
      await take(other.getFairLock(name));
      const waiting = other.getFairLock(name).acquire();
      await queued(name, 1);
      const fault = cutReply(proxy, scripts.fairLockForceRelease);

      const forcing = client.getFairLock(name).forceRelease();
      await fault.ran();
      const hold = await waiting;
      await fault.replay();

      expect(await forcing).toBe(true);
      await expectHolder(name, hold);
    },
  },
];

export const fairCases: Readonly<Record<string, readonly Case[]>> = {
  'fair-lock/acquire': acquire,
  'fair-lock/release': release,
  'fair-lock/force-release': forceRelease,
};
