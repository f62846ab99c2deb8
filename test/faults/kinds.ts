// Every kind of object that lets somebody in, and what the server knows of whom it let in.

import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { AcquireOptions, Client, Lock, Permit } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { keysUnder, rawClient } from '../support/redis.js';
import { stored, type WireScript, type World } from './world.js';

/** What an acquisition yields. */
export interface Grant extends AsyncDisposable {
  release(): Promise<void>;
}

/** A grant that lives on a lease. */
export type LeasedGrant = Grant & Omit<Permit, 'id'>;

/** Something that one can be in, by itself or together with others. */
interface Entrance<G extends Grant = Grant> {
  readonly name: string;
  acquire(options?: AcquireOptions): Promise<G>;
  tryAcquire(options?: AcquireOptions): Promise<G | null>;
}

export interface Kind<G extends Grant = Grant> {
  readonly what: string;
  /** It needs permits before anybody can get in. */
  readonly isSemaphore: boolean;
  /** Who waits asks again every 1.3 s, and does not need a message. */
  readonly beats: boolean;
  readonly scripts: { readonly acquire: WireScript; readonly release: WireScript };
  create(this: void, client: Client, name: string): Entrance<G>;
  /** Whoever is in here keeps everybody else out. */
  rival(client: Client, name: string): Entrance;
  /** Fails unless this one is in, and nobody else. */
  expectIn(name: string, grant: G, url?: string): Promise<void>;
  /** Nobody is in. */
  isFree(name: string, url?: string): Promise<boolean>;
}

/** Its grants live on leases. */
export interface LeasedKind<G extends LeasedGrant = LeasedGrant> extends Kind<G> {
  readonly scripts: Kind['scripts'] & { readonly renew: WireScript };
  create(this: void, client: Client, name: string): Entrance<G>;
  rival(client: Client, name: string): Entrance<LeasedGrant>;
  /** How events and the server name a grant. */
  idOf(grant: G): string;
  /** Whether the server knows it, and for how many ms more. */
  serverMs(name: string, grant: G): Promise<number>;
  /** Removes the grant, as an eviction would; its loss is then told as `erased`. */
  erase(name: string): Promise<void>;
}

/** A lock of any kind. */
export interface LockKind extends LeasedKind<HoldLike> {
  readonly scripts: LeasedKind['scripts'] & { readonly forceRelease: WireScript };
  create(this: void, client: Client, name: string): Lock;
  rival(client: Client, name: string): Lock;
  /** The private record that keeps a holder id from being granted again. */
  burntKey(name: string, holderId: string): string;
}

type HoldLike = Awaited<ReturnType<Lock['acquire']>>;

const onHash = {
  isSemaphore: false,
  beats: false,
  async expectIn(name: string, { holderId, depth }: HoldLike, url?: string): Promise<void> {
    expect(await stored(name, url)).toEqual({ [holderId]: String(depth) });
  },
  isFree: async (name: string, url?: string): Promise<boolean> =>
    (await rawClient(url).exists(name)) === 0,
  idOf: ({ holderId }: HoldLike): string => holderId,
  serverMs: async (name: string): Promise<number> => await rawClient().pttl(name),
  async erase(name: string): Promise<void> {
    await rawClient().del(name);
  },
  burntKey: (name: string, holderId: string): string => `latchkey_cancelled:{${name}}:${holderId}`,
};

const plainScripts = {
  acquire: scripts.lockAcquire,
  release: scripts.lockRelease,
  renew: scripts.lockRenew,
  forceRelease: scripts.lockForceRelease,
};

const toLock = (client: Client, name: string): Lock => client.getLock(name);
const toFenced = (client: Client, name: string): Lock => client.getFencedLock(name);
const toFair = (client: Client, name: string): Lock => client.getFairLock(name);
const toReader = (client: Client, name: string): Lock => client.getReadWriteLock(name).readLock;
const toWriter = (client: Client, name: string): Lock => client.getReadWriteLock(name).writeLock;

export const lock: LockKind = {
  ...onHash,
  what: 'lock',
  scripts: plainScripts,
  create: toLock,
  rival: toLock,
};

export const fencedLock: LockKind = {
  ...onHash,
  what: 'fenced lock',
  scripts: { ...plainScripts, acquire: scripts.lockAcquireFenced },
  create: toFenced,
  rival: toFenced,
};

export const fairLock: LockKind = {
  ...onHash,
  what: 'fair lock',
  beats: true,
  scripts: {
    acquire: scripts.fairLockAcquire,
    release: scripts.fairLockRelease,
    renew: scripts.lockRenew,
    forceRelease: scripts.fairLockForceRelease,
  },
  create: toFair,
  rival: toFair,
};

export const readLock: LockKind = {
  ...onHash,
  what: 'read lock',
  beats: true,
  scripts: {
    acquire: scripts.rwlockAcquireRead,
    release: scripts.rwlockReleaseRead,
    renew: scripts.rwlockRenewRead,
    forceRelease: scripts.rwlockForceRelease,
  },
  create: toReader,
  rival: toWriter,
  // With its hold keys, which are not the hash's.
  async erase(name) {
    await rawClient().del(name, ...(await keysUnder(`{${name}}`)));
  },
};

export const writeLock: LockKind = {
  ...onHash,
  what: 'write lock',
  beats: true,
  scripts: {
    acquire: scripts.rwlockAcquireWrite,
    release: scripts.rwlockReleaseWrite,
    renew: scripts.lockRenew,
    forceRelease: scripts.rwlockForceRelease,
  },
  create: toWriter,
  rival: toWriter,
  burntKey: (name, holderId) => `latchkey_cancelled:{${name}}:${holderId}:write`,
};

/** The server's time in milliseconds. */
async function serverTime(raw: Redis): Promise<number> {
  const [seconds = 0, micros = 0] = await raw.time();
  return seconds * 1_000 + Math.floor(micros / 1_000);
}

/** The permits of a permit-expirable semaphore that have not expired, in hex. */
export async function permitsHeld(name: string, raw: Redis = rawClient()): Promise<string[]> {
  const now = await serverTime(raw);
  const entries = await raw.zrangebyscoreBuffer(`{${name}}:timeout`, `(${now}`, '+inf');
  return entries.map((entry) => entry.toString('hex')).toSorted();
}

const toPermits = (client: Client, name: string): Entrance<Permit> =>
  client.getPermitExpirableSemaphore(name);

/** A permit-expirable semaphore with one permit. */
export const permit: LeasedKind<Permit> = {
  what: 'permit',
  isSemaphore: true,
  beats: false,
  scripts: {
    acquire: scripts.permitsAcquire,
    release: scripts.permitsRelease,
    renew: scripts.permitsRenew,
  },
  create: toPermits,
  rival: toPermits,
  async expectIn(name, { id }, url) {
    expect(await permitsHeld(name, rawClient(url))).toEqual([id]);
  },
  async isFree(name, url) {
    const raw = rawClient(url);
    return (await raw.get(name)) === '1' && (await permitsHeld(name, raw)).length === 0;
  },
  idOf: ({ id }) => id,
  async serverMs(name, { id }) {
    const raw = rawClient();
    const expiry = await raw.zscore(`{${name}}:timeout`, Buffer.from(id, 'hex'));
    return Number(expiry) - (await serverTime(raw));
  },
  async erase(name) {
    await rawClient().multi().incr(name).del(`{${name}}:timeout`).exec();
  },
};

/** A counting semaphore with one permit. */
export const semaphore: Kind = {
  what: 'semaphore',
  isSemaphore: true,
  beats: false,
  scripts: { acquire: scripts.semaphoreAcquire, release: scripts.semaphoreRelease },
  create: oneOfSemaphore,
  rival: oneOfSemaphore,
  async expectIn(name, _grant, url) {
    expect(await rawClient(url).get(name)).toBe('0');
  },
  isFree: async (name, url) => (await rawClient(url).get(name)) === '1',
};

/** Counted permits know no leases. */
function withoutLease(options: AcquireOptions = {}): AcquireOptions {
  const rest = { ...options };
  delete rest.leaseMs;
  return rest;
}

function oneOfSemaphore(client: Client, name: string): Entrance {
  const one = client.getSemaphore(name);
  return {
    name,
    acquire: async (options) => await one.acquire(1, withoutLease(options)),
    tryAcquire: async (options) => await one.tryAcquire(1, withoutLease(options)),
  };
}

export const lockKinds: readonly LockKind[] = [lock, fencedLock, fairLock, readLock, writeLock];
export const leasedKinds: readonly LeasedKind[] = [...lockKinds, permit];
export const kinds: readonly Kind[] = [...leasedKinds, semaphore];

/** For `describe.each`: what each kind is called, and the kind. */
export function titled<K extends Kind>(those: readonly K[]): [string, K][] {
  return those.map((kind) => [kind.what, kind]);
}

/** Makes sure that somebody can get in. */
export async function prepare(kind: Kind, world: World, name: string = world.name): Promise<void> {
  if (kind.isSemaphore) {
    await world.setPermits(1, name);
  }
}
