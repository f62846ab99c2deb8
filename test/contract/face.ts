// What the contract suites know of the objects that they run against.

import type { Redis } from 'ioredis';
import type { AcquireOptions, Client, Lock, WaitOptions } from '../../src/index.js';

/** Somebody who is no client of ours. */
export const FOREIGNER = '6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11:42';

/** What an acquisition yields. */
interface Grant extends AsyncDisposable {
  release(): Promise<void>;
}

/** A grant that lives on a lease. */
export interface LeasedGrant extends Grant {
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  readonly signal: AbortSignal;
  readonly isHeld: boolean;
  readonly remainingMs: number;
  assertHeld(): void;
  extend(leaseMs: number): Promise<void>;
}

/** An object that lets one holder in at a time. A counting semaphore passes nothing to a task. */
export interface Exclusive<O extends WaitOptions = WaitOptions> {
  acquire(options?: O): Promise<Grant>;
  tryAcquire(options?: O): Promise<Grant | null>;
  using<T>(task: () => T | Promise<T>, options?: O): Promise<T>;
}

/** The same, with grants that live on leases. */
interface Leased extends Exclusive<AcquireOptions> {
  acquire(options?: AcquireOptions): Promise<LeasedGrant>;
  tryAcquire(options?: AcquireOptions): Promise<LeasedGrant | null>;
  using<T>(task: (grant: LeasedGrant) => T | Promise<T>, options?: AcquireOptions): Promise<T>;
}

/** One kind of object under test. */
export interface Face {
  readonly name: string;
  /** As events tell it. */
  readonly kind: string;
  /** Keys that stay by design and have no TTL. */
  readonly lasting: readonly RegExp[];
  /** Fails unless keys of objects that nobody is in any more say so. */
  expectWhole?(this: void, raw: Redis, keys: readonly string[]): Promise<void>;
  create(client: Client, name: string): Exclusive | Promise<Exclusive>;
  /** The server says that somebody is in. */
  isTaken(raw: Redis, name: string): Promise<boolean>;
}

/** Its grants live on a lease. */
export interface LeasedFace extends Face {
  /** What a holder is told when somebody else has got what it held. */
  readonly usurped: 'taken' | 'deleted';
  create(client: Client, name: string): Leased | Promise<Leased>;
  /** Removes the grant from the server, as an eviction would. */
  erase(raw: Redis, name: string): Promise<void>;
  /** Gives the object to somebody else. */
  usurp(raw: Redis, name: string, holderId: string, leaseMs: number): Promise<void>;
  /** Milliseconds that the server still gives the grant; not above 0 when it is gone. */
  serverLeaseMs(raw: Redis, name: string): Promise<number>;
}

/** A lock: its holds can be looked at, forced and re-entered. */
export interface LockUnderTest extends LeasedFace {
  create(client: Client, name: string): Lock;
  /** The field of the hash that counts the holds of a holder. */
  field(holderId: string): string;
}

/** A lock with one holder, on one hash that Redisson shares. */
export interface ExclusiveLock extends LockUnderTest {
  /** The whole hash of a lock with one holder. */
  hash(holderId: string, holds: number): Record<string, string>;
  /** Where Redisson tells of it. */
  channel(name: string): string;
  /** What is told there when it becomes free and nobody waits. */
  readonly freed: readonly string[];
  /** Somebody waits for it, and would hear of its release. */
  isAwaited(raw: Redis, name: string): Promise<boolean>;
  /** What its holder, a client of Redisson, does to release it. */
  vacate(raw: Redis, name: string): Promise<void>;
}
