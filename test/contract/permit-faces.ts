// The semaphores, each with one permit left, as the contract suites see them.

import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Client } from '../../src/index.js';
import type { Exclusive, Face, LeasedFace } from './face.js';

/** Semaphores stay as long as nobody deletes them, under their plain names. */
const lasting = [/^latchkey-test:/];

/** A counting semaphore of which each acquisition takes one permit. */
function singly(client: Client, name: string): Exclusive {
  const semaphore = client.getSemaphore(name);
  return {
    acquire: async (options) => await semaphore.acquire(1, options),
    tryAcquire: async (options) => await semaphore.tryAcquire(1, options),
    using: async (task, options) => await semaphore.using(task, options),
  };
}

const counting = {
  kind: 'semaphore',
  lasting,
  async expectWhole(this: void, raw: Redis, keys: readonly string[]): Promise<void> {
    const counts = await Promise.all(keys.map(async (key) => await raw.get(key)));
    expect(counts, 'permits left').toEqual(keys.map(() => '1'));
  },
  isTaken: async (raw: Redis, name: string): Promise<boolean> => (await raw.get(name)) === '0',
};

export const semaphoreOfOne: Face = {
  ...counting,
  name: 'semaphore of one',
  async create(client, name) {
    await client.getSemaphore(name).trySetPermits(1);
    return singly(client, name);
  },
};

export const lastPermit: Face = {
  ...counting,
  name: 'semaphore of five with four taken',
  async create(client, name) {
    const semaphore = client.getSemaphore(name);
    if (await semaphore.trySetPermits(5)) {
      await semaphore.acquire(4);
    }
    return singly(client, name);
  },
};

const timeoutsOf = (name: string): string => `{${name}}:timeout`;

async function serverNow(raw: Redis): Promise<number> {
  const [seconds, micros] = await raw.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

export const permitOfOne: LeasedFace = {
  name: 'permit of one',
  kind: 'permit-expirable-semaphore',
  lasting: [...lasting, /^\{latchkey-test:.*\}:timeout$/],
  // A permit of somebody else is another permit.
  usurped: 'deleted',
  async expectWhole(raw, keys) {
    const names = keys.filter((key) => !key.startsWith('{'));
    const totals = names.map(
      async (name) => Number(await raw.get(name)) + (await raw.zcard(timeoutsOf(name))),
    );
    expect(await Promise.all(totals), 'permits in all').toEqual(names.map(() => 1));
  },
  async create(client, name) {
    const semaphore = client.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(1);
    return semaphore;
  },
  isTaken: async (raw, name) =>
    (await raw.zcount(timeoutsOf(name), String(await serverNow(raw)), '+inf')) === 1,
  async erase(raw, name) {
    await raw.multi().del(timeoutsOf(name)).set(name, 1).exec();
  },
  async usurp(raw, name, holderId, leaseMs) {
    const permit = createHash('md5').update(holderId).digest();
    const expiry = Math.round((await serverNow(raw)) + leaseMs);
    const timeouts = timeoutsOf(name);
    await raw.multi().del(timeouts).set(name, 0).zadd(timeouts, expiry, permit).exec();
  },
  async serverLeaseMs(raw, name) {
    const [, expiry] = await raw.zrange(timeoutsOf(name), -1, '-1', 'WITHSCORES');
    return expiry === undefined ? -2 : Number(expiry) - (await serverNow(raw));
  },
};
