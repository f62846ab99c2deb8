// What must hold of several names when the answer that some of them were taken is cut off.

import { expect } from 'vitest';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { multiLockAcquire } from '../../src/core/wire/scripts.generated.js';
import type { Client } from '../../src/index.js';
import type { Proxy } from '../support/proxy.js';
import { cutReply, rejection, type Case } from './world.js';

const line = async (name = ''): Promise<number> =>
  await rawClient().llen(`redlatch_line:{${name}}`);

/** It listens to its own channel from its first wait on. */
async function waitOnce(client: Client, other: Client, name: string): Promise<void> {
  const before = await other.getLock(name).acquire();
  const waiting = client.getLock(name).acquire();
  await eventually(async () => (await line(name)) === 1);
  await before.release();
  await (await waiting).release();
}

/** Returns when the client has heard what was published before, and the server what it has sent about that:
 * `key` is that of a grant for which nobody waits, which it gives back then. */
async function heardAll(proxy: Proxy, client: Client, key: string): Promise<void> {
  await rawClient().publish(`redlatch:${client.id}`, `g${client.id}:0 0 1000 0 ${key}`);
  await eventually(() => proxy.requests().some((command) => command.includes(key)));
  await client.getLock(key).isLocked();
}

export const severalNames: Case[] = [
  {
    fact: 'what was taken is held once, the next one has one ticket, and all get in',
    async run({ proxy, name, client, other }) {
      const lock = client.getMultiLock([`${name}-a`, `${name}-b`, `${name}-c`]);
      const busy = await other.getLock(lock.names[1]!).acquire();
      const fault = cutReply(proxy, multiLockAcquire);

      const acquiring = lock.acquire();
      await fault.ran();
      const before = await rawClient().hgetall(lock.names[0]!);
      await fault.replay();
      await eventually(async () => (await line(lock.names[1])) === 1);
      const after = await rawClient().hgetall(lock.names[0]!);
      await busy.release();
      const hold = await acquiring;

      expect(after).toEqual(before);
      expect(Object.values(after)).toEqual(['1']);
      expect(hold.isHeld).toBe(true);
      await hold.release();
      expect(await rawClient().exists(...lock.names)).toBe(0);
    },
  },
  {
    fact: 'a message that grants what the next copy of the call finds held gives nothing back',
    async run({ proxy, name, client, other }) {
      const lock = client.getMultiLock([`${name}-a`, `${name}-b`]);
      const [first = ''] = lock.names;
      await waitOnce(client, other, first);
      const busy = await other.getLock(first).acquire();
      const lost: unknown[] = [];
      client.on('lost', ({ error }) => lost.push(error));
      const subscriber = proxy.connections().find(({ isSubscriber }) => isSubscriber);
      const fault = cutReply(proxy, multiLockAcquire);

      const acquiring = lock.acquire();
      await fault.ran();
      subscriber?.down.stop('paused');
      await busy.release();
      await fault.replay();
      const hold = await acquiring;
      subscriber?.down.go('paused');
      await heardAll(proxy, client, `${name}-c`);

      expect(lost).toEqual([]);
      expect(await rawClient().hkeys(first)).toEqual([hold.holderId]);
      await hold.release();
    },
  },
  {
    fact: 'the next copy waits where what was taken was freed by force, and held by another',
    async run({ proxy, name, client, other }) {
      const lock = client.getMultiLock([`${name}-a`, `${name}-b`]);
      const [first = ''] = lock.names;
      const fault = cutReply(proxy, multiLockAcquire);

      const acquiring = lock.acquire();
      await fault.ran();
      await other.getLock(first).forceRelease();
      const busy = await other.getLock(first).acquire();
      await fault.replay();
      await eventually(async () => (await line(first)) === 1);
      await busy.release();
      const hold = await acquiring;

      expect(hold.isHeld).toBe(true);
      await hold.release();
    },
  },
  {
    fact: 'all that was taken comes back when it was given up meanwhile',
    async run({ proxy, name, client, other }) {
      const lock = client.getMultiLock([`${name}-a`, `${name}-b`, `${name}-c`]);
      const busy = await other.getLock(lock.names[1]!).acquire();
      const fault = cutReply(proxy, multiLockAcquire);
      const abort = new AbortController();

      const acquiring = rejection(lock.acquire({ signal: abort.signal }));
      await fault.ran();
      abort.abort(new Error('enough'));
      const { error } = await acquiring;

      expect(String(error)).toContain('enough');
      await eventually(async () => (await rawClient().exists(lock.names[0]!)) === 0);
      expect(await line(lock.names[1])).toBe(0);
      await busy.release();
      expect(await other.getMultiLock([...lock.names]).tryAcquire()).not.toBeNull();
    },
  },
];
