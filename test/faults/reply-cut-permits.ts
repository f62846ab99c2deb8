// What must hold when the answer to a permit-expirable semaphore's command is cut off.

import { expect } from 'vitest';
import { CommandTimeoutError, LeaseLostError } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { pool } from './reply-cut-permit-numbers.js';
import { cutReply, listening, rejection, runs, settledRequests, take, type Case } from './world.js';
import { permit as permitKind, permitsHeld } from '../support/kinds/permits.js';

const acquire: Case[] = [
  {
    fact: 'many permits are taken once, under the ids that the caller gets',
    async run({ proxy, name, client, setPermits }) {
      await setPermits(5);
      const fault = cutReply(proxy, scripts.expirableSemaphoreAcquire);

      const acquiring = client.getPermitExpirableSemaphore(name).acquireMany(3);
      await fault.ran();
      expect(await pool(name)).toEqual([2, 3]);
      await fault.replay();
      const permits = await acquiring;

      expect(await pool(name)).toEqual([2, 3]);
      expect(permits.map(({ id }) => id).toSorted()).toEqual(await permitsHeld(name));
      await Promise.all(permits.map(async (each) => await each.release()));
      expect(await pool(name)).toEqual([5, 0]);
    },
  },
  {
    fact: 'waiters that were served together are in once each',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(0);
      const waits = [1, 2].map((count) =>
        client.getPermitExpirableSemaphore(name).acquireMany(count),
      );
      await listening(name);
      await settledRequests(proxy, name);
      const fault = cutReply(proxy, scripts.expirableSemaphoreAcquire);

      await other.getPermitExpirableSemaphore(name).addPermits(4);
      await fault.ran();
      await fault.replay();
      const granted = (await Promise.all(waits)).flat();

      expect(await pool(name)).toEqual([1, 3]);
      expect(granted.map(({ id }) => id).toSorted()).toEqual(await permitsHeld(name));
    },
  },
  {
    fact: 'permits of an acquisition that was given up meanwhile come back, once',
    async run({ proxy, name, open, setPermits }) {
      await setPermits(3);
      const semaphore = open({ commandTimeoutMs: 300 }).getPermitExpirableSemaphore(name);
      // A busy machine may take longer than the time of one call to connect.
      await eventually(async () => await semaphore.availablePermits());
      const fault = cutReply(proxy, scripts.expirableSemaphoreAcquire);

      const acquiring = rejection(semaphore.tryAcquireMany(2));
      await fault.ran();
      const { error } = await acquiring;
      await fault.replay();

      expect(error).toBeInstanceOf(CommandTimeoutError);
      await eventually(async () => expect(await pool(name)).toEqual([3, 0]));
    },
  },
  {
    fact: 'a permit is proven no longer than the server keeps it, which counts from the first copy',
    async run({ proxy, name, client, setPermits, down, up }) {
      await setPermits(1);
      const fault = cutReply(proxy, scripts.expirableSemaphoreAcquire);
      const [leaseMs, laterMs] = [5_000, 500];

      const acquiring = client.getPermitExpirableSemaphore(name).acquire({ leaseMs });
      await fault.ran();
      const ranAt = performance.now();
      down();
      await eventually(() => performance.now() - ranAt > laterMs);
      await up();
      await fault.replay();
      const permit = await acquiring;

      expect(permit.remainingMs).toBeGreaterThan(0);
      expect(permit.remainingMs).toBeLessThan(leaseMs - laterMs);
      await permit.release();
    },
  },
  {
    fact: 'a permit that was taken away meanwhile is found lost',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(1);
      const fault = cutReply(proxy, scripts.expirableSemaphoreAcquire);

      const acquiring = client.getPermitExpirableSemaphore(name).acquire();
      await fault.ran();
      const [id = ''] = await permitsHeld(name);
      await other.getPermitExpirableSemaphore(name).release(id);
      const taken = await take(other.getPermitExpirableSemaphore(name));
      await fault.replay();
      const permit = await acquiring;

      await expect(permit.release()).rejects.toBeInstanceOf(LeaseLostError);
      await permitKind.expectIn(name, taken);
    },
  },
];

const release: Case[] = [
  {
    fact: 'a release that ran resolves and leaves the permits of others alone',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(1);
      const permit = await take(client.getPermitExpirableSemaphore(name));
      const fault = cutReply(proxy, scripts.expirableSemaphoreRelease);

      const releasing = permit.release();
      await fault.ran();
      const taken = await take(other.getPermitExpirableSemaphore(name));
      await fault.replay();
      await releasing;

      expect(permit.state).toBe('released');
      expect(await pool(name)).toEqual([0, 1]);
      await permitKind.expectIn(name, taken);
    },
  },
];

const releaseAny: Case[] = [
  {
    fact: 'a permit of another client comes back once, and the call resolves',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(2);
      const theirs = other.getPermitExpirableSemaphore(name);
      const permit = await take(theirs);
      const fault = cutReply(proxy, scripts.expirableSemaphoreReleaseAny);

      const releasing = client.getPermitExpirableSemaphore(name).release(permit.id);
      await fault.ran();
      const taken = await take(theirs);
      await fault.replay();
      await releasing;

      expect(await pool(name)).toEqual([1, 1]);
      await permitKind.expectIn(name, taken);
      await expect(permit.release()).rejects.toBeInstanceOf(LeaseLostError);
    },
  },
];

const renew: Case[] = [
  {
    fact: 'a renewal by the watchdog leaves the permit held',
    async run({ proxy, name, open, setPermits }) {
      await setPermits(1);
      const client = open({ leaseMs: 900 });
      const permit = await take(client.getPermitExpirableSemaphore(name));
      const fault = cutReply(proxy, scripts.expirableSemaphoreRenew);

      await fault.ran();
      await eventually(() => permit.state === 'suspect');
      await fault.replay();
      await eventually(() => permit.state === 'held');

      expect(permit.remainingMs).toBeGreaterThan(600);
      await permitKind.expectIn(name, permit);
    },
  },
  {
    fact: 'a renewal does not bring back a permit that was released by its id meanwhile',
    async run({ proxy, name, open, other, setPermits }) {
      await setPermits(1);
      const client = open({ leaseMs: 1_200 });
      const permit = await take(client.getPermitExpirableSemaphore(name));
      const fault = cutReply(proxy, scripts.expirableSemaphoreRenew);

      await fault.ran();
      await other.getPermitExpirableSemaphore(name).release(permit.id);
      const taken = await take(other.getPermitExpirableSemaphore(name));
      await fault.replay();
      await eventually(() => permit.state === 'lost');

      expect((permit.signal.reason as LeaseLostError).reason).toBe('deleted');
      await permitKind.expectIn(name, taken);
    },
  },
  {
    fact: 'an extension lasts as long as it says',
    async run({ proxy, name, client, setPermits }) {
      await setPermits(1);
      const permit = await take(client.getPermitExpirableSemaphore(name), { leaseMs: 5_000 });
      const fault = cutReply(proxy, scripts.expirableSemaphoreRenew);

      const extending = permit.extend(60_000);
      await fault.ran();
      await fault.replay();
      await extending;

      expect(permit.remainingMs).toBeGreaterThan(50_000);
      expect(await permitKind.serverLeaseMs(name, permit)).toBeGreaterThan(permit.remainingMs);
    },
  },
];

const giveBack: Case[] = [
  {
    fact: 'permits of an aborted acquisition come back once, though others took them',
    async run({ proxy, name, client, other, setPermits, up }) {
      await setPermits(2);
      const abort = new AbortController();
      const semaphore = client.getPermitExpirableSemaphore(name);
      proxy.refuse();
      const { cut } = proxy.cutReplyAfter(runs(scripts.expirableSemaphoreAcquire));
      const fault = cutReply(proxy, scripts.expirableSemaphoreGiveBack);

      const leaving = rejection(semaphore.acquireMany(2, { signal: abort.signal }));
      await eventually(() => cut.length === 1);
      abort.abort(new Error('left'));
      await leaving;
      await up();
      await fault.ran();
      const taken = await other.getPermitExpirableSemaphore(name).acquireMany(2);
      await fault.replay();
      await semaphore.availablePermits();

      expect(await pool(name)).toEqual([0, 2]);
      expect(taken.map(({ id }) => id).toSorted()).toEqual(await permitsHeld(name));
    },
  },
];

export const permitCases: Readonly<Record<string, readonly Case[]>> = {
  'expirable-semaphore/acquire': acquire,
  'expirable-semaphore/release': release,
  'expirable-semaphore/release-any': releaseAny,
  'expirable-semaphore/renew': renew,
  'expirable-semaphore/give-back': giveBack,
};
