// What must hold in the queue of a fair lock when the answer to a command is cut off.

import { randomUUID } from 'node:crypto';
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
  {
    fact: 'a waiter whose turn has come is granted the lock once, and leaves the queue',
    async run({ proxy, name, open, other }) {
      const client = open({ handOff: 'race' });
      const held = await take(other.getFairLock(name));
      const waiting = client.getFairLock(name).acquire();
      await queued(name, 1);
      await settledRequests(proxy, name);
      const fault = cutReply(proxy, scripts.fairLockAcquire);

      await held.release();
      await fault.ran();
      const behind = other.getFairLock(name).acquire();
      const queue = await queued(name, 1);
      await fault.replay();
      const hold = await waiting;

      await expectHolder(name, hold);
      expect(await queued(name, 1)).toEqual(queue);
      await hold.release();
      await expectHolder(name, await behind);
    },
  },
  {
    fact: 'a waiter whose grant went to another owner meanwhile waits on, and gets in',
    async run({ proxy, name, open, other }) {
      const client = open({ handOff: 'race' });
      const held = await take(other.getFairLock(name));
      const waiting = client.getFairLock(name).acquire();
      await queued(name, 1);
      await settledRequests(proxy, name);
      const fault = cutReply(proxy, scripts.fairLockAcquire);

      await held.release();
      await fault.ran();
      await other.getFairLock(name).forceRelease();
      const taken = await take(other.getFairLock(name));
      await fault.replay();
      await queued(name, 1);

      await expectHolder(name, taken);
      await taken.release();
      await expectHolder(name, await waiting);
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

const followUp: Case[] = [
  {
    fact: 'whoever stands behind a dead waiter is told, and keeps its place',
    async run({ proxy, name, client, other }) {
      const raw = rawClient();
      const [queue, timeouts, beats] = [
        'redisson_lock_queue',
        'redisson_lock_timeout',
        'redlatch_beats',
      ].map((key) => `${key}:{${name}}`) as [string, string, string];
      const [dead, java] = [`${randomUUID()}:1`, `${randomUUID()}:1`];
      const hold = await take(client.getFairLock(name));
      // Heard of until just before the release, and of Java, who only hears of its turn.
      await raw
        .multi()
        .rpush(queue, dead, java)
        .zadd(timeouts, Date.now() + 5_000, dead, Date.now() + 60_000, java)
        .zadd(beats, Date.now(), dead.slice(0, 36))
        .exec();
      const listener = rawClient();
      const told: string[] = [];
      listener.on('message', (_channel, message: string) => told.push(message));
      await listener.subscribe(`redisson_lock__channel:{${name}}:${java}`);
      const fault = cutReply(proxy, scripts.fairLockFollowUp);

      await hold.release();
      // As soon as the dead one counts as such.
      await eventually(() => told.length > 0, { withinMs: 20_000 });
      await fault.ran();
      const tellings = told.length;
      await fault.replay();
      await eventually(() => told.length > tellings);

      expect(await queued(name, 1)).toEqual([java]);
      expect(await other.getFairLock(name).tryAcquire()).toBeNull();
      await raw.del(queue, timeouts, beats);
      listener.disconnect();
    },
  },
];

export const fairCases: Readonly<Record<string, readonly Case[]>> = {
  'fair-lock/acquire': acquire,
  'fair-lock/release': release,
  'fair-lock/force-release': forceRelease,
  'fair-lock/follow-up': followUp,
};
