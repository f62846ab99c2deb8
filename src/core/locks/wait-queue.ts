import type { LocalQueue } from '../acquisition.js';
import type { Linked } from '../base/linked-list.js';
import type { Contention } from '../waiting/contention.js';
import type { Lease } from '../lease/lease.js';
import type { Acquiring } from '../lease/lease-parts.js';
import type { PendingCall } from '../wire/call.js';
import type { LineAnswer } from './line.js';

/** The server's answer to an acquisition. `gone`: the hold to re-enter is no longer there;
 * `cancelled`: this holder id has a tombstone. `rank`: server time since when it waits. */
export type Verdict =
  | { readonly is: 'granted'; readonly fencingToken?: bigint }
  | { readonly is: 'busy'; readonly busyMs: number; readonly rank?: number }
  | { readonly is: 'gone'; readonly reason: 'deleted' | 'taken' }
  | { readonly is: 'cancelled' };

/** The entry that an ask leaves in the server's wait queue when the lock is busy. `front`: the
 * first waiter of its client, which gets an entry at the front if its own was lost. */
export type Position = 'none' | 'queue' | 'front';

/** A ticket that was granted the lock. */
export interface GrantedTicket {
  readonly holderId: string;
  /** A copy of an ask under this holder id may still run. */
  readonly hasUnackedCopy: boolean;
}

/** The grant of a lock, which lasts for `leaseMs` from when `acquiring` was sent. */
export interface LockGrant {
  readonly acquiring: Acquiring;
  readonly leaseMs: number;
  readonly fencingToken: bigint | undefined;
  /** That is not all of the lease: it has to be confirmed. */
  readonly isWindow: boolean;
}

/** A ticket that stands in a line already: a call about several locks has put it there. */
export interface EnteredTicket {
  readonly holderId: string;
  readonly answer: LineAnswer;
  readonly call: PendingCall;
  /** Of the own channel of this client, when the call was sent. */
  readonly epoch: number;
  readonly wasListening: boolean;
}

/** A waiter for a lock. */
export interface LockWaiter extends Linked {
  /** Its ticket, where it has one before it joins a queue. */
  readonly entered?: EnteredTicket | undefined;
  /** The lease that it wants. */
  readonly leaseMs: number;
  /** The watchdog prolongs it. */
  readonly renewed: boolean;
  /** Replicas have to have its grant. */
  readonly wantsReplicas: boolean;
  /** It has a `maxHoldMs`. */
  readonly isBounded: boolean;
  /** When its wait began. */
  readonly startedAt: number;
  /** It waits behind others here, whether or not the server has been asked for it. */
  queued(): void;
  /** The server has answered that the lock is busy. */
  blocked(): void;
  /** The lock is busy, and it does not wait. */
  refused(): void;
  /** Returns its lease; undefined when the grant came too late to be of use. */
  granted(ticket: GrantedTicket, grant: LockGrant): Lease | undefined;
  /** A grant of the lock was over before it was known. */
  cameTooLate(asked: { readonly lastSentAt: number }, leaseMs: number): void;
  /** A hold of this client has ended, and its lease is passed on to this waiter. */
  passed(lease: Lease, fencingToken: bigint | undefined): void;
  /** The call that asked for it has failed: it leaves. */
  failed(error: Error): void;
}

/** The waiters of one client for one lock. */
export interface WaitQueue extends LocalQueue<LockWaiter> {
  readonly contention: Contention;
  /** Something may have changed. */
  wakeUp(): void;
  /** This client has freed the lock by force: a message under way may be about a grant that was ended
   * by that. */
  forced?(): void;
}
