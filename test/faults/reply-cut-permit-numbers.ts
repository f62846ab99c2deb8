// What must hold of the numbers and terms of permits when the answer to a change is cut off.

import { expect } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { rawClient } from '../support/redis.js';
import { cutReply, take, type Case } from './world.js';
import { permit as permitKind, permitsHeld } from '../support/kinds/permits.js';

/** How many are left, and how many are taken. */
export async function pool(name: string): Promise<[number, number]> {
  return [Number(await rawClient().get(name)), (await permitsHeld(name)).length];
}

const resize: Case[] = [
  {
    fact: 'permits are added once',
    async run({ proxy, name, client, setPermits }) {
      await setPermits(1);
      const fault = cutReply(proxy, scripts.expirableSemaphoreResize);

      const adding = client.getPermitExpirableSemaphore(name).addPermits(3);
      await fault.ran();
      await fault.replay();
      await adding;

      expect(await pool(name)).toEqual([4, 0]);
    },
  },
  {
    fact: 'a number that was changed after it was set is not set again',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(1);
      const fault = cutReply(proxy, scripts.expirableSemaphoreResize);

      const setting = client.getPermitExpirableSemaphore(name).setPermits(5);
      await fault.ran();
      await other.getPermitExpirableSemaphore(name).addPermits(2);
      await fault.replay();
      await setting;

      expect(await pool(name)).toEqual([7, 0]);
    },
  },
];

const trySet: Case[] = [
  {
    fact: 'a semaphore that was deleted meanwhile is not set again, and the answer is true',
    async run({ proxy, name, client, other }) {
      const fault = cutReply(proxy, scripts.expirableSemaphoreTrySet);

      const setting = client.getPermitExpirableSemaphore(name).trySetPermits(3);
      await fault.ran();
      expect(await other.getPermitExpirableSemaphore(name).delete()).toBe(true);
      await fault.replay();

      expect(await setting).toBe(true);
      expect(await rawClient().exists(name)).toBe(0);
    },
  },
];

const updateLease: Case[] = [
  {
    fact: 'a lease that was set to something else since is left alone',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(1);
      const theirs = other.getPermitExpirableSemaphore(name);
      const permit = await take(theirs, { leaseMs: 5_000 });
      const fault = cutReply(proxy, scripts.expirableSemaphoreUpdateLease);

      const updating = client.getPermitExpirableSemaphore(name).updateLease(permit.id, 90_000);
      await fault.ran();
      expect(await permitKind.serverLeaseMs(name, permit)).toBeGreaterThan(80_000);
      await theirs.updateLease(permit.id, 30_000);
      await fault.replay();

      expect(await updating).toBe(true);
      expect(await permitKind.serverLeaseMs(name, permit)).toBeLessThanOrEqual(30_000);
    },
  },
];

const deletion: Case[] = [
  {
    fact: 'a semaphore that was set again meanwhile stays, with the permits taken of it',
    async run({ proxy, name, client, other, setPermits }) {
      await setPermits(1);
      const fault = cutReply(proxy, scripts.expirableSemaphoreDelete);

      const deleting = client.getPermitExpirableSemaphore(name).delete();
      await fault.ran();
      await other.getPermitExpirableSemaphore(name).trySetPermits(2);
      const taken = await take(other.getPermitExpirableSemaphore(name));
      await fault.replay();

      expect(await deleting).toBe(true);
      expect(await pool(name)).toEqual([1, 1]);
      await permitKind.expectIn(name, taken);
    },
  },
];

export const permitNumberCases: Readonly<Record<string, readonly Case[]>> = {
  'expirable-semaphore/resize': resize,
  'expirable-semaphore/try-set': trySet,
  'expirable-semaphore/update-lease': updateLease,
  'expirable-semaphore/delete': deletion,
};
