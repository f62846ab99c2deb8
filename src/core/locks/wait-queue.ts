import type { LocalQueue } from '../acquisition.js';
import type { Linked } from '../base/linked-list.js';
import type { Acquiring, Lease } from '../lease/lease.js';

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

/** A waiter for a lock. */
export interface LockWaiter extends Linked {
  /** The lease that it wants. */
  readonly leaseMs: number;
  /** The watchdog prolongs it. */
  readonly renewed: boolean;
  /** It waits behind others here, whether or not the server has been asked for it. */
  queued(): void;
  /** The server has answered that the lock is busy. */
  blocked(): void;
  /** The lock is busy, and it does not wait. */
  refused(): void;
  /** Returns its lease; undefined when the grant came too late to be of use. */
  granted(ticket: GrantedTicket, grant: LockGrant): Lease | undefined;
  /** A hold of this client has ended, and its lease is passed on to this waiter. */
  passed(lease: Lease, fencingToken: bigint | undefined): void;
  /** The call that asked for it has failed: it leaves. */
  failed(error: Error): void;
}

/** The waiters of one client for one lock. */
export interface WaitQueue extends LocalQueue<LockWaiter> {
  /** True once the server has answered "busy", or has granted the lock to a waiter here. */
  readonly contended: boolean;
  /** Something may have changed. */
  wakeUp(): void;
  /** This client has freed the lock by force: a message under way may be about a grant that was ended
   * by that. */
  forced?(): void;
}
