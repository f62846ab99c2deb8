// What the tests know of a kind of object: how to get in, and how the server shows who is in.

import type { Clock } from '../../../src/core/base/clock.js';
import type {
  AcquireOptions,
  Client,
  ClientOptions,
  Hold,
  Lock,
  Permit,
} from '../../../src/index.js';

/** Somebody who is no client of ours. */
export const FOREIGNER = '6e0a3c1e-44d1-4a51-9d1f-0c5c8a9b7a11:42';

/** What a compiled script is recognised by on the wire. */
export interface WireScript {
  readonly name: string;
  readonly sha1: string;
  readonly source: string;
}

/** What an acquisition yields. */
export interface Grant extends AsyncDisposable {
  release(): Promise<void>;
}

/** A grant that lives on a lease. */
export type LeasedGrant = Grant & Omit<Permit, 'id'>;

/** An object that lets somebody in. A counting semaphore passes nothing to a task. */
export interface Entrance<G extends Grant = Grant> {
  readonly name: string;
  acquire(options?: AcquireOptions): Promise<G>;
  tryAcquire(options?: AcquireOptions): Promise<G | null>;
  using<T>(options: AcquireOptions | undefined, task: () => T | Promise<T>): Promise<T>;
  using<T>(task: () => T | Promise<T>, options?: AcquireOptions): Promise<T>;
}

/** The same, with grants that live on leases. */
export interface LeasedEntrance<G extends LeasedGrant = LeasedGrant> extends Entrance<G> {
  using<T>(options: AcquireOptions | undefined, task: (grant: G) => T | Promise<T>): Promise<T>;
  using<T>(task: (grant: G) => T | Promise<T>, options?: AcquireOptions): Promise<T>;
}

/** One kind of object under test. The server is the shared one where no `url` is given. */
export interface Kind<G extends Grant = Grant> {
  readonly what: string;
  /** As events and errors name it. */
  readonly id: string;
  /** It needs permits before anybody can get in. */
  readonly isSemaphore: boolean;
  /** Its waiters ask again every 2 s or sooner, and need no message. */
  readonly hasHeartbeat: boolean;
  /** Keys that stay by design and have no TTL. */
  readonly lasting: readonly RegExp[];
  readonly scripts: { readonly acquire: WireScript; readonly release: WireScript };
  /** What an acquisition that waits sends, where that is another script. */
  readonly enter?: WireScript;
  /** What a re-entry sends, where that is another script. */
  readonly reenter?: WireScript;
  /** Its release gives it to the next one in its line: nobody asks after it. */
  readonly isHandedOn?: boolean;
  /** Makes its client, where that is not one of the shared server. */
  connect?(this: void, options: ClientOptions, clock?: Clock): Client;
  /** The object as it is. */
  get(this: void, client: Client, name: string): Entrance<G>;
  /** The object, after making sure that somebody can get in. */
  create(this: void, client: Client, name: string): Entrance<G> | Promise<Entrance<G>>;
  /** Whoever is in here keeps everybody else out. */
  rival(this: void, client: Client, name: string): Entrance;
  /** The server says that somebody is in. */
  isTaken(name: string): Promise<boolean>;
  /** Nobody is in, and all of it can be had. */
  isFree(name: string, url?: string): Promise<boolean>;
  /** Fails unless this grant is in, and no other. */
  expectIn(name: string, grant: G, url?: string): Promise<void>;
  /** Fails unless keys of objects that nobody is in any more say so. */
  expectWhole?(this: void, keys: readonly string[]): Promise<void>;
}

/** Its grants live on leases. */
export interface LeasedKind<G extends LeasedGrant = LeasedGrant> extends Kind<G> {
  readonly scripts: Kind['scripts'] & { readonly renew: WireScript };
  /** What a holder is told when somebody else has got what it held. */
  readonly usurped: 'taken' | 'deleted';
  get(this: void, client: Client, name: string): LeasedEntrance<G>;
  create(this: void, client: Client, name: string): LeasedEntrance<G> | Promise<LeasedEntrance<G>>;
  rival(this: void, client: Client, name: string): LeasedEntrance;
  /** How events and the server name a grant. */
  idOf(this: void, grant: G): string;
  /** Who is in, as the server has it: holders or permits. */
  inside(this: void, name: string): Promise<string[]>;
  /** Removes the grant from the server, as an eviction would. */
  erase(name: string): Promise<void>;
  /** Gives the object to somebody else. */
  usurp(name: string, holderId: string, leaseMs: number): Promise<void>;
  /** Milliseconds that the server still gives the grant, or whoever is in; not above 0 when it is
   * gone. */
  serverLeaseMs(name: string, grant?: G): Promise<number>;
}

/** A lock: its holds can be looked at, forced and re-entered. */
export interface LockKind extends LeasedKind<Hold> {
  readonly scripts: LeasedKind['scripts'] & { readonly forceRelease: WireScript };
  get(this: void, client: Client, name: string): Lock;
  create(this: void, client: Client, name: string): Lock;
  rival(this: void, client: Client, name: string): Lock;
  /** The field of the hash that counts the holds of a holder. */
  field(this: void, holderId: string): string;
  /** Its re-entries take no hold on the server: others see one, however deep it is. */
  readonly isHeldOnce?: boolean;
  /** The private record that keeps a holder id from being granted again. */
  tombstone(name: string, holderId: string): string;
}

/** A lock with one holder, on one hash that Redisson shares. */
export interface ExclusiveLock extends LockKind {
  /** The whole hash of a lock with one holder. */
  hash(holderId: string, holds: number): Record<string, string>;
  /** Where Redisson publishes its messages. */
  channel(this: void, name: string): string;
  /** What is published there when it becomes free and nobody waits. */
  readonly freed: readonly string[];
  /** Somebody waits for it, and would hear of its release. */
  isAwaited(name: string): Promise<boolean>;
  /** What its holder, a client of Redisson, does to release it. */
  vacate(name: string): Promise<void>;
}

/** For `describe.each`: what each kind is called, and the kind. */
export function titled<K extends { readonly what: string }>(those: readonly K[]): [string, K][] {
  return those.map((kind) => [kind.what, kind]);
}
