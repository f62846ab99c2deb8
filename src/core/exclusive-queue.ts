import type { Clock, Timer } from './clock.js';
import type { WaitHub } from './wait-hub.js';

/** A wait looks again at least this often, whatever messages say. */
export const RECHECK_MAX_MS = 5_000;

/** What an attempt came to: granted, still busy for so many ms (-1: nobody knows), or its waiter
 * has left the queue meanwhile. */
export type AttemptResult =
  { readonly granted: true; readonly leaseMs: number } | { readonly busyMs: number } | undefined;

/** Somebody who waits for an exclusive lock. */
export interface Waiter {
  /** Asks the server once; never rejects. */
  attempt(): Promise<AttemptResult>;
}

/**
 * The waiters of one client for one exclusive lock, first come first served. Only the head can
 * profit from asking, so only the head asks: a thousand waiters cost what one costs.
 */
export class ExclusiveQueue {
  /** True once the server has said "busy", or has granted the lock to one of ours. */
  contended = false;
  readonly #waiters = new Set<Waiter>();
  readonly #hub: WaitHub;
  readonly #clock: Clock;
  readonly #channel: string;
  readonly #emptied: () => void;
  #asking = false;
  /** A hint came while the head was asking: its answer may be older than the hint. */
  #hinted = false;
  #recheck: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(hub: WaitHub, clock: Clock, channel: string, emptied: () => void) {
    this.#hub = hub;
    this.#clock = clock;
    this.#channel = channel;
    this.#emptied = emptied;
    if (hub.isListening(channel)) {
      // Still subscribed from before: listening before the first attempt saves the second.
      this.#listen();
    }
  }

  get size(): number {
    return this.#waiters.size;
  }

  join(waiter: Waiter): void {
    this.#waiters.add(waiter);
    if (this.#waiters.size === 1) {
      this.hint();
    } else if (this.#asking === false && this.#stopListening === undefined) {
      this.#listen();
    }
  }

  /** The waiter gives up. If it was asking, or had been told to, the next one asks instead: it
   * passes its wake-up on. */
  leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    if (this.#waiters.size === 0 && !this.#asking) {
      this.#end();
    }
  }

  /** Something may have changed: the head looks. */
  hint(): void {
    if (this.#asking) {
      this.#hinted = true;
    } else if (this.#waiters.size > 0) {
      void this.#ask();
    }
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    this.#recheck?.cancel();
    for (const head of this.#waiters) {
      // Each turn asks for whoever is the head by then; `break` leaves the rest asleep.
      const again = await this.#askFor(head);
      if (!again) {
        break;
      }
    }
    this.#asking = false;
    if (this.#waiters.size === 0) {
      this.#end();
    }
  }

  /** True when the next head has to ask right away. */
  async #askFor(head: Waiter): Promise<boolean> {
    for (;;) {
      this.#hinted = false;
      const result = await head.attempt();
      if (result === undefined) {
        this.#waiters.delete(head);
        return true;
      }
      this.contended = true;
      if ('granted' in result) {
        this.#waiters.delete(head);
        // The lock is ours now: its release wakes the next head, its messages and this timer
        // catch whatever else ends it.
        this.#sleep(result.leaseMs);
        return false;
      }
      this.#listen();
      if (!this.#hinted) {
        this.#sleep(result.busyMs);
        return false;
      }
    }
  }

  #sleep(busyMs: number): void {
    if (this.#waiters.size > 0) {
      this.#listen();
      const delayMs = busyMs < 0 ? RECHECK_MAX_MS : Math.min(busyMs + 1, RECHECK_MAX_MS);
      this.#recheck = this.#clock.after(delayMs, () => this.hint());
    }
  }

  #listen(): void {
    // Any message is a hint, and so is the confirmation of the subscription.
    this.#stopListening ??= this.#hub.listen(this.#channel, () => this.hint());
  }

  #end(): void {
    this.#recheck?.cancel();
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#emptied();
  }
}
