import type { Sending } from './call.js';
import type { Chained } from './chain.js';
import type { Verdict } from './lock-protocol.js';

/** Who stands in a line on the server asks at least this often: 4 s of silence cost the place. */
export const BEAT_MS = 1_300;

/** How soon a hint is followed up that came together with a grant. */
export const SECOND_LOOK_MS = 50;

/** How an attempt that finds the lock busy leaves: without a trace, or standing in line. `front`:
 * it stood there before, first of its client, and has that place again if it was lost. */
export type Place = 'none' | 'line' | 'front';

/** Somebody who waits for a lock. */
export interface Waiter extends Chained {
  /** Under which it asks. */
  readonly holderId: string;
  /** The lease that it asks for. */
  readonly leaseMs: number;
  /** Asks the server once; the answer comes back through `granted`, `busy` or `leave`. */
  ask(place: Place): void;
  /** The answer to an ask that the queue has sent for several waiters together. */
  answered(verdict: Verdict, call: Sending): void;
  failed(error: Error, call: Sending): void;
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
  hint(): void;
}
