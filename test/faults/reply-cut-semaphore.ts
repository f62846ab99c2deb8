// What must hold when the answer to a counting semaphore's command is cut off.

import { expect } from 'vitest';
import { CommandTimeoutError, OutcomeUnknownError } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import type { WireScript } from '../support/kinds/kind.js';
import { rawClient } from '../support/redis.js';
import {
  cutReply,
  keepUnderWay,
  listening,
  rejection,
  runs,
  sendsCommands,
  settledRequests,
  take,
  type Case,
  type World,
} from './world.js';

export async function left(name: string): Promise<number> {
  return Number(await rawClient().get(name));
}

const acquire: Case[] = [
  {
    fact: 'permits are taken once',
    async run({ proxy, name, client, setPermits }) {
      await setPermits(3);
      const fault = cutReply(proxy, scripts.semaphoreAcquire);

      const acquiring = client.getSemaphore(name).acquire(2);
      await fault.ran();
      expect(await left(name)).toBe(1);
      await fault.replay();
      const permits = await acquiring;

      expect(await left(name)).toBe(1);
      await permits.release();
      expect(await left(name)).toBe(3);
    },
  },
  {
    fact: 'waiters that were served together are in once each',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(0);
      const waits = [1, 2, 3].map((count) => client.getSemaphore(name).acquire(count));
      await listening(name);
      await settledRequests(proxy, name);
      const fault = cutReply(proxy, scripts.semaphoreAcquire);

      await other.getSemaphore(name).addPermits(7);
      await fault.ran();
      expect(await left(name)).toBe(1);
      await fault.replay();
      const granted = await Promise.all(waits);

      expect(granted.map(({ count }) => count)).toEqual([1, 2, 3]);
      expect(await left(name)).toBe(1);
    },
  },
  {
    fact: 'permits of an acquisition that was given up meanwhile come back, once',
    async run({ proxy, name, open, setPermits }) {
      await setPermits(3);
      const client = open({ commandTimeoutMs: 300 });
      // A busy machine may take longer than the time of one call to connect.
      await eventually(async () => await client.getSemaphore(name).availablePermits());
      const fault = cutReply(proxy, scripts.semaphoreAcquire);

      const acquiring = rejection(client.getSemaphore(name).tryAcquire(2));
      await fault.ran();
      const { error } = await acquiring;
      await fault.replay();

      expect(error).toBeInstanceOf(CommandTimeoutError);
      await eventually(async () => (await left(name)) === 3);
      const permits = await take({
        name,
        tryAcquire: () => client.getSemaphore(name).tryAcquire(3),
      });
      await permits.release();
      expect(await left(name)).toBe(3);
    },
  },
];

/** The two permits of a semaphore, which `make` makes: the script that returns them depends on that. */
export const comesBackOnce = (
  script: WireScript,
  make: (world: World) => Promise<unknown>,
): Case => ({
  fact: 'permits come back once, though others took them meanwhile',
  async run(world) {
    const { proxy, name, client, other } = world;
    await make(world);
    const permits = await client.getSemaphore(name).acquire(2);
    const fault = cutReply(proxy, script);

    const releasing = permits.release();
    await fault.ran();
    await other.getSemaphore(name).acquire(2);
    await fault.replay();
    await releasing;

    expect(await left(name)).toBe(0);
  },
});

const release: Case[] = [
  comesBackOnce(scripts.semaphoreRelease, async ({ setPermits }) => await setPermits(2)),
  {
    fact: 'a waiter that it served in the same step is in, once',
    async run({ proxy, name, client, setPermits }) {
      await setPermits(1);
      const semaphore = client.getSemaphore(name);
      const permits = await semaphore.acquire();
      const waiting = semaphore.acquire();
      await listening(name);
      await settledRequests(proxy, name);
      const fault = cutReply(proxy, scripts.semaphoreRelease);

      const releasing = permits.release();
      await fault.ran();
      expect(await left(name)).toBe(0);
      await fault.replay();
      await releasing;
      const served = await waiting;

      expect(await left(name)).toBe(0);
      await served.release();
      expect(await left(name)).toBe(1);
    },
  },
  {
    fact: 'a waiter that it served and that left meanwhile gives its permit back, once',
    async run({ proxy, name, client, setPermits }) {
      await setPermits(1);
      const semaphore = client.getSemaphore(name);
      const permits = await semaphore.acquire();
      const abort = new AbortController();
      const waiting = rejection(semaphore.acquire(1, { signal: abort.signal }));
      await listening(name);
      await settledRequests(proxy, name);
      const fault = cutReply(proxy, scripts.semaphoreRelease);

      const releasing = permits.release();
      await fault.ran();
      abort.abort(new Error('left'));
      await waiting;
      await fault.replay();
      await releasing;

      await eventually(async () => (await left(name)) === 1);
      await settledRequests(proxy, name);
      expect(await left(name)).toBe(1);
    },
  },
];

const addPermits: Case[] = [
  {
    fact: 'permits are added once',
    async run({ proxy, name, client, setPermits }) {
      await setPermits(1);
      const fault = cutReply(proxy, scripts.semaphoreAddPermits);

      const adding = client.getSemaphore(name).addPermits(-5);
      await fault.ran();
      await fault.replay();
      await adding;

      expect(await left(name)).toBe(-4);
    },
  },
];

const drainPermits: Case[] = [
  {
    fact: 'what came back meanwhile stays, and the answer is the first one',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(4);
      const fault = cutReply(proxy, scripts.semaphoreDrainPermits);

      const draining = client.getSemaphore(name).drainPermits();
      await fault.ran();
      await other.getSemaphore(name).release(3);
      await fault.replay();

      expect(await draining).toBe(4);
      expect(await left(name)).toBe(3);
    },
  },
];

const trySetPermits: Case[] = [
  {
    fact: 'a semaphore that was drained and deleted meanwhile is not set again',
    async run({ proxy, name, client, other }) {
      const fault = cutReply(proxy, scripts.semaphoreTrySetPermits);

      const setting = client.getSemaphore(name).trySetPermits(4);
      await fault.ran();
      expect(await other.getSemaphore(name).drainPermits()).toBe(4);
      expect(await other.getSemaphore(name).delete()).toBe(true);
      await fault.replay();

      expect(await setting).toBe(true);
      expect(await rawClient().exists(name)).toBe(0);
    },
  },
];

const deletion: Case[] = [
  {
    fact: 'a semaphore that was set again meanwhile stays, and the answer is true',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(4);
      const fault = cutReply(proxy, scripts.semaphoreDelete);

      const deleting = client.getSemaphore(name).delete();
      await fault.ran();
      await other.getSemaphore(name).trySetPermits(2);
      await fault.replay();

      expect(await deleting).toBe(true);
      expect(await left(name)).toBe(2);
    },
  },
];

const giveBack: Case[] = [
  {
    fact: 'permits of an aborted acquisition come back once',
    async run({ proxy, name, client, setPermits, up }) {
      await setPermits(3);
      const abort = new AbortController();
      proxy.refuse();
      const { cut } = proxy.cutReplyAfter(runs(scripts.semaphoreAcquire));
      const fault = cutReply(proxy, scripts.semaphoreGiveBack);

      const leaving = rejection(client.getSemaphore(name).acquire(2, { signal: abort.signal }));
      await eventually(() => cut.length === 1);
      abort.abort(new Error('left'));
      await leaving;
      await up();
      await fault.ran();
      expect(await left(name)).toBe(3);
      await fault.replay();
      await client.getSemaphore(name).availablePermits();

      expect(await left(name)).toBe(3);
    },
  },
  {
    fact: 'a release that was given up before it ran is made good for, once',
    async run({ proxy, name, open, setPermits }) {
      await setPermits(2);
      const client = open({ commandTimeoutMs: 300 });
      const permits = await client.getSemaphore(name).acquire();
      const call = keepUnderWay(proxy, scripts.semaphoreRelease);
      const copies = proxy.holdRequests(runs(scripts.semaphoreRelease));
      const fault = cutReply(proxy, scripts.semaphoreGiveBack);

      const { error } = await rejection(permits.release());
      proxy.cutAll(sendsCommands);
      await fault.ran();
      expect(await left(name)).toBe(2);
      await fault.replay();
      await call.deliver();
      copies.release();
      await client.getSemaphore(name).availablePermits();

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(await left(name)).toBe(2);
    },
  },
];

export const semaphoreCases: Readonly<Record<string, readonly Case[]>> = {
  'semaphore/acquire': acquire,
  'semaphore/release': release,
  'semaphore/add-permits': addPermits,
  'semaphore/drain-permits': drainPermits,
  'semaphore/try-set-permits': trySetPermits,
  'semaphore/delete': deletion,
  'semaphore/give-back': giveBack,
};
