import type { PendingCall } from '../wire/call.js';
import type { Linked } from '../base/linked-list.js';

/** The server's answer to an acquisition. `gone`: the hold to re-enter is no longer there;
 * `cancelled`: this holder id has a tombstone. `rank`: server time since when it waits. */
export type Verdict =
  | { readonly is: 'granted'; readonly fencingToken?: bigint }
  | { readonly is: 'busy'; readonly busyMs: number; readonly rank?: number }
  | { readonly is: 'gone'; readonly reason: 'deleted' | 'taken' }
  | { readonly is: 'cancelled' };

/** The entry that an attempt leaves in the server's wait queue when the lock is busy. `front`: the
 * first waiter of its client, which gets an entry at the front if its own was lost. */
export type Position = 'none' | 'queue' | 'front';

/** A waiter for a lock. */
export interface Waiter extends Linked {
  /** The holder id under which it asks. */
  readonly holderId: string;
  /** The lease that it asks for. */
  readonly leaseMs: number;
  /** Asks the server once; the answer comes back through `granted`, `busy` or `leave`. */
  ask(position: Position): void;
  /** The answer to an ask that the queue has sent for several waiters together. */
  answered(verdict: Verdict, call: PendingCall): void;
  failed(error: Error, call: PendingCall): void;
}

/** The waiters of one client for one lock. */
export interface WaitQueue {
  /** True once the server has answered "busy", or has granted the lock to a waiter here. */
  readonly contended: boolean;
  /** True when no other waiter here is before it: it has asked, and may not have to wait. */
  join(waiter: Waiter): boolean;
  /** The waiter was granted the lock for `leaseMs`. */
  granted(waiter: Waiter, leaseMs: number): void;
  /** The server answered the waiter that the lock is busy. */
  busy(waiter: Waiter, verdict: Verdict & { is: 'busy' }): void;
  /** The waiter gives up. */
  leave(waiter: Waiter): void;
  /** True while an ask that the queue has sent for the waiter may still be granted. */
  isAskingFor(waiter: Waiter): boolean;
  /** Something may have changed. */
  wakeUp(): void;
}
