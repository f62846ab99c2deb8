// The semaphores, each with one permit left.

import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { AcquireOptions, Client, Permit, Permits, WaitOptions } from '../../../src/index.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import { ask } from './connection.js';
import type { Entrance, Kind, LeasedEntrance, LeasedKind } from './kind.js';

/** Semaphores stay as long as nobody deletes them, under their plain names. */
const lasting = [/^redlatch-test:/];

/** The options of any kind of entrance as far as a counting semaphore has them: it has no lease. */
function withoutLease(options: AcquireOptions | undefined): WaitOptions | undefined {
  if (options === undefined) {
    return undefined;
  }
  const { leaseMs: _none, ...rest } = options;
  return rest;
}

/** A counting semaphore of which each acquisition takes one permit. */
function singly(client: Client, name: string): Entrance<Permits> {
  const one = client.getSemaphore(name);
  return {
    name,
    acquire: async (options) => await one.acquire(1, withoutLease(options)),
    tryAcquire: async (options) => await one.tryAcquire(1, withoutLease(options)),
    using: one.using.bind(one),
  };
}

export const semaphore: Kind = {
  what: 'semaphore',
  id: 'semaphore',
  isSemaphore: true,
  hasHeartbeat: false,
  lasting,
  scripts: { acquire: scripts.semaphoreAcquire, release: scripts.semaphoreRelease },
  get: singly,
  async create(client, name) {
    await client.getSemaphore(name).trySetPermits(1);
    return singly(client, name);
  },
  rival: singly,
  isTaken: async (name) => (await ask().get(name)) === '0',
  isFree: async (name, url) => (await ask(url).get(name)) === '1',
  async expectIn(name, _grant, url) {
    expect(await ask(url).get(name)).toBe('0');
  },
  async expectWhole(keys) {
    const counts = await Promise.all(keys.map(async (key) => await ask().get(key)));
    expect(counts, 'permits left').toEqual(keys.map(() => '1'));
  },
};

export const lastPermit: Kind = {
  ...semaphore,
  what: 'semaphore of five with four taken',
  async create(client, name) {
    const five = client.getSemaphore(name);
    if (await five.trySetPermits(5)) {
      await five.acquire(4);
    }
    return singly(client, name);
  },
};

const timeoutsOf = (name: string): string => `{${name}}:timeout`;

/** The server's time in milliseconds. */
async function serverNow(raw: Redis): Promise<number> {
  const [seconds, micros] = await raw.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** The permits of a permit-expirable semaphore that have not expired, in hex. */
export async function permitsHeld(name: string, raw: Redis = ask()): Promise<string[]> {
  const now = await serverNow(raw);
  const entries = await raw.zrangebyscoreBuffer(timeoutsOf(name), `(${now}`, '+inf');
  return entries.map((entry) => entry.toString('hex')).toSorted();
}

const toPermits = (client: Client, name: string): LeasedEntrance<Permit> =>
  client.getPermitExpirableSemaphore(name);

/** A permit-expirable semaphore with one permit. */
export const permit: LeasedKind<Permit> = {
  what: 'permit',
  id: 'permit-expirable-semaphore',
  isSemaphore: true,
  hasHeartbeat: false,
  lasting: [...lasting, /^\{redlatch-test:.*\}:timeout$/, /^redlatch_leases:/],
  scripts: {
    acquire: scripts.expirableSemaphoreAcquire,
    release: scripts.expirableSemaphoreRelease,
    renew: scripts.expirableSemaphoreRenew,
  },
  // A permit of somebody else is another permit.
  usurped: 'deleted',
  get: toPermits,
  async create(client, name) {
    await client.getPermitExpirableSemaphore(name).trySetPermits(1);
    return toPermits(client, name);
  },
  rival: toPermits,
  isTaken: async (name) => (await permitsHeld(name)).length === 1,
  async isFree(name, url) {
    const raw = ask(url);
    return (await raw.get(name)) === '1' && (await permitsHeld(name, raw)).length === 0;
  },
  async expectIn(name, { id }, url) {
    expect(await permitsHeld(name, ask(url))).toEqual([id]);
  },
  async expectWhole(keys) {
    const names = keys.filter((key) => !key.startsWith('{') && !key.startsWith('redlatch_'));
    const totals = names.map(
      async (name) => Number(await ask().get(name)) + (await ask().zcard(timeoutsOf(name))),
    );
    expect(await Promise.all(totals), 'permits in all').toEqual(names.map(() => 1));
  },
  idOf: ({ id }) => id,
  inside: async (name) => await permitsHeld(name),
  async erase(name) {
    await ask().multi().del(timeoutsOf(name)).set(name, 1).exec();
  },
  async usurp(name, holderId, leaseMs) {
    const id = createHash('md5').update(holderId).digest();
    const expiry = (await serverNow(ask())) + leaseMs;
    const timeouts = timeoutsOf(name);
    await ask().multi().del(timeouts).set(name, 0).zadd(timeouts, expiry, id).exec();
  },
  async serverLeaseMs(name, grant) {
    const timeouts = timeoutsOf(name);
    const expiry =
      grant === undefined
        ? (await ask().zrange(timeouts, -1, '-1', 'WITHSCORES'))[1]
        : await ask().zscore(timeouts, Buffer.from(grant.id, 'hex'));
    return typeof expiry === 'string' ? Number(expiry) - (await serverNow(ask())) : -2;
  },
};
