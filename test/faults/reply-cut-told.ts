// What must hold when the answer to the first call of a name is cut off, which sets the number of
// permits that the client was told.

import { expect } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { rawClient } from '../support/redis.js';
import { pool } from './reply-cut-permit-numbers.js';
import { left } from './reply-cut-semaphore.js';
import { cutReply, type Case } from './world.js';

const acquire: Case[] = [
  {
    fact: 'the number that the client was told is set once, though the semaphore is made anew then',
    async run({ proxy, name, client, other, setPermits }) {
      const semaphore = client.getSemaphore(name, { permits: 4 });
      const fault = cutReply(proxy, scripts.semaphoreAcquire);

      const acquiring = semaphore.acquire();
      await fault.ran();
      expect(await left(name)).toBe(3);
      await other.getSemaphore(name).delete();
      await setPermits(9);
      await fault.replay();
      await acquiring;

      expect(await left(name)).toBe(9);
    },
  },
  {
    fact: 'a first ask that got nothing sets no number again',
    async run({ proxy, name, client, other }) {
      const semaphore = client.getSemaphore(name, { permits: 4 });
      const fault = cutReply(proxy, scripts.semaphoreAcquire);

      const asking = semaphore.tryAcquire(5);
      await fault.ran();
      expect(await left(name)).toBe(4);
      await other.getSemaphore(name).delete();
      await fault.replay();

      expect(await asking).toBeNull();
      expect(await rawClient().exists(name)).toBe(0);
    },
  },
];

const configure: Case[] = [
  {
    fact: 'a semaphore that was deleted meanwhile is not made again, now or with the next call',
    async run({ proxy, name, client, other }) {
      const semaphore = client.getSemaphore(name, { permits: 4 });
      const fault = cutReply(proxy, scripts.semaphoreConfigure);

      const looking = semaphore.availablePermits();
      await fault.ran();
      expect(await other.getSemaphore(name).delete()).toBe(true);
      await fault.replay();

      expect(await looking).toBe(4);
      expect(await semaphore.tryAcquire()).toBeNull();
      expect(await rawClient().exists(name)).toBe(0);
    },
  },
];

const acquirePermits: Case[] = [
  {
    fact: 'the number that the client was told is set once, though the semaphore is deleted then',
    async run({ proxy, name, client, other }) {
      const semaphore = client.getPermitExpirableSemaphore(name, { permits: 4 });
      const fault = cutReply(proxy, scripts.expirableSemaphoreAcquire);

      const asking = semaphore.tryAcquireMany(5);
      await fault.ran();
      expect(await pool(name)).toEqual([4, 0]);
      await other.getPermitExpirableSemaphore(name).delete();
      await fault.replay();

      expect(await asking).toBeNull();
      expect(await rawClient().exists(name)).toBe(0);
    },
  },
];

const configurePermits: Case[] = [
  {
    fact: 'a semaphore that was deleted meanwhile is not made again, now or with the next call',
    async run({ proxy, name, client, other }) {
      const semaphore = client.getPermitExpirableSemaphore(name, { permits: 4 });
      const fault = cutReply(proxy, scripts.expirableSemaphoreConfigure);

      const looking = semaphore.totalPermits();
      await fault.ran();
      expect(await other.getPermitExpirableSemaphore(name).delete()).toBe(true);
      await fault.replay();

      expect(await looking).toBe(4);
      expect(await semaphore.tryAcquire()).toBeNull();
      expect(await rawClient().exists(name)).toBe(0);
    },
  },
  {
    fact: 'a number that was changed after it was set is not set again',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(1);
      const permits = { count: 4, onMismatch: 'set' } as const;
      const semaphore = client.getPermitExpirableSemaphore(name, { permits });
      const fault = cutReply(proxy, scripts.expirableSemaphoreConfigure);

      const looking = semaphore.totalPermits();
      await fault.ran();
      await other.getPermitExpirableSemaphore(name).addPermits(2);
      await fault.replay();

      expect(await looking).toBe(4);
      expect(await pool(name)).toEqual([6, 0]);
    },
  },
];

export const toldCases: Readonly<Record<string, readonly Case[]>> = {
  'semaphore/acquire': acquire,
  'semaphore/configure': configure,
  'expirable-semaphore/acquire': acquirePermits,
  'expirable-semaphore/configure': configurePermits,
};
