// What the contract suites run against: every object that lets one holder in at a time.

import type { Redis } from 'ioredis';
import type { AcquireOptions, Client, Lock, WaitOptions } from '../../src/index.js';

/** What an acquisition yields. */
interface Grant extends AsyncDisposable {
  release(): Promise<void>;
}

/** A grant that lives on a lease. */
interface LeasedGrant extends Grant {
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  readonly signal: AbortSignal;
  readonly isHeld: boolean;
  readonly remainingMs: number;
  assertHeld(): void;
  extend(leaseMs: number): Promise<void>;
}

/** An object that lets one holder in at a time. */
interface Exclusive<G extends Grant = Grant, O extends WaitOptions = WaitOptions> {
  acquire(options?: O): Promise<G>;
  tryAcquire(options?: O): Promise<G | null>;
  using<T>(task: (grant: G) => T | Promise<T>, options?: O): Promise<T>;
}

/** One kind of object under test; a kind joins the suites by joining the lists below. */
export interface Face {
  readonly name: string;
  /** Inside its own scope an acquisition re-enters. */
  readonly reentrant: boolean;
  /** Keys that stay by design and have no TTL. */
  readonly lasting: readonly RegExp[];
  create(client: Client, name: string): Exclusive | Promise<Exclusive>;
  /** The server says that somebody is in. */
  isTaken(raw: Redis, name: string): Promise<boolean>;
}

/** Its grants live on a lease. */
export interface LeasedFace extends Face {
  create(
    client: Client,
    name: string,
  ): Exclusive<LeasedGrant, AcquireOptions> | Promise<Exclusive<LeasedGrant, AcquireOptions>>;
  /** Removes the grant from the server, as an eviction would. */
  erase(raw: Redis, name: string): Promise<void>;
  /** Gives the object to somebody else. */
  usurp(raw: Redis, name: string, holderId: string, leaseMs: number): Promise<void>;
  /** Milliseconds that the server still gives the grant; not above 0 when it is gone. */
  serverLeaseMs(raw: Redis, name: string): Promise<number>;
}

/** A lock: its holds can be looked at, forced and re-entered. */
export interface LockUnderTest extends LeasedFace {
  /** As events tell it. */
  readonly kind: string;
  create(client: Client, name: string): Lock;
}

/** Somebody who is no client of ours. */
export const FOREIGNER = '6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11:42';

/** What locks with one hash of holders have in common. */
const onOneHash = {
  reentrant: true,
  isTaken: async (raw: Redis, name: string): Promise<boolean> => (await raw.exists(name)) === 1,
  async erase(raw: Redis, name: string): Promise<void> {
    await raw.del(name);
  },
  async usurp(raw: Redis, name: string, holderId: string, leaseMs: number): Promise<void> {
    await raw.multi().del(name).hset(name, holderId, 1).pexpire(name, leaseMs).exec();
  },
  serverLeaseMs: async (raw: Redis, name: string): Promise<number> => await raw.pttl(name),
};

const lock: LockUnderTest = {
  ...onOneHash,
  name: 'lock',
  kind: 'lock',
  lasting: [],
  create: (client, name) => client.getLock(name),
};

const fencedLock: LockUnderTest = {
  ...onOneHash,
  name: 'fenced lock',
  kind: 'fenced-lock',
  lasting: [/^redisson_lock_token:/],
  create: (client, name) => client.getFencedLock(name),
};

/** Locks whose key is one hash, holder -> count, as Redisson's RLock. */
export const hashFaces: readonly LockUnderTest[] = [lock, fencedLock];

/** Every lock. */
export const lockFaces: readonly LockUnderTest[] = [...hashFaces];

/** Every object whose grants live on a lease. */
export const leasedFaces: readonly LeasedFace[] = [...lockFaces];

/** Every object that lets one holder in at a time. */
export const exclusiveFaces: readonly Face[] = [...leasedFaces];
