import type { PendingCall } from '../wire/call.js';
import type { Linked } from '../base/linked-list.js';

/** What the server says to an acquisition. `gone`: the hold to re-enter is no longer there;
 * `cancelled`: this holder id was given up before. `rank`: since when it stands in line. */
export type Verdict =
  | { readonly is: 'granted'; readonly fencingToken?: bigint }
  | { readonly is: 'busy'; readonly busyMs: number; readonly rank?: number }
  | { readonly is: 'gone'; readonly reason: 'deleted' | 'taken' }
  | { readonly is: 'cancelled' };

/** How an attempt that finds the lock busy leaves: without a trace, or standing in line. `front`:
 * it stood there before, first of its client, and has that place again if it was lost. */
export type Position = 'none' | 'queue' | 'front';

/** Somebody who waits for a lock. */
export interface Waiter extends Linked {
  /** Under which it asks. */
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
  /** True once the server has said "busy", or has granted the lock to one of ours. */
  readonly contended: boolean;
  /** True when the waiter has asked at once. */
  join(waiter: Waiter): boolean;
  /** The waiter got the lock, for `leaseMs`. */
  granted(waiter: Waiter, leaseMs: number): void;
  /** The waiter was told to wait. */
  busy(waiter: Waiter, verdict: Verdict & { is: 'busy' }): void;
  /** The waiter gives up. */
  leave(waiter: Waiter): void;
  /** True while an ask that the queue has sent for the waiter may still be granted. */
  isAskingFor(waiter: Waiter): boolean;
  /** Something may have changed. */
  wakeUp(): void;
}
