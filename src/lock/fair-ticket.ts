import type { LineTerms } from '../core/locks/line.js';
import type { LineQueue } from '../core/locks/line-queue.js';
import { LineTicket } from '../core/locks/line-ticket.js';
import type { Asks } from '../core/locks/ticket.js';
import { HEARTBEAT_MS, UNSEEN_RECHECK_MS } from '../core/waiting/timing.js';
import type { LockWaiter } from '../core/locks/wait-queue.js';

/** The ticket of a waiter for a fair lock. */
export class FairTicket extends LineTicket {
  declare waiter: LockWaiter;
  /** Whoever has the lock just before it hands it on, as far as is known. */
  declare isAfterOurs: boolean;
  /** After how many ms it was to ask again: whoever is before it may have let a lease run out by then. */
  declare dueMs: number;
  /** It takes the place of another one, which was the first of its client. */
  declare goesFirst: boolean;
  /** Its entry may have been lost since its last ask. */
  declare isOld: boolean;

  /** Assigned, not initialised where they are declared: see `Linked`. */
  constructor(asks: Asks, terms: LineTerms, queue: LineQueue<LineTicket>, waiter: LockWaiter) {
    super(asks, terms, queue);
    this.waiter = waiter;
    this.isAfterOurs = true;
    this.dueMs = Infinity;
    this.goesFirst = false;
    this.isOld = false;
  }
  /** After how many ms it asks again, as the first of its client. One that finds its grants by asking leaves half of its
   * window for the answer. */
  pauseMs(isTold: boolean): number {
    const unseenMs = Math.min(UNSEEN_RECHECK_MS, this.windowMs / 2);
    return Math.min(this.dueMs, isTold ? HEARTBEAT_MS : unseenMs);
  }
}
