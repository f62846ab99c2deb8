import type { Clock, Timer } from './clock.js';
import type { WaitHub } from './wait-hub.js';

/** A wait looks again at least this often, whatever messages say. */
export const RECHECK_MAX_MS = 5_000;

/** Somebody who waits for an exclusive lock. */
export interface Waiter {
  /** Asks the server once; the answer comes through `granted`, `busy` or `leave`. */
  ask(): void;
}

/**
 * The waiters of one client for one exclusive lock, first come first served. Only the head can
 * profit from asking, so only the head asks: a thousand waiters cost what one costs.
 */
export class ExclusiveQueue {
  /** True once the server has said "busy", or has granted the lock to one of ours. */
  contended = false;
  readonly #hub: WaitHub;
  readonly #clock: Clock;
  readonly #channel: string;
  readonly #emptied: () => void;
  #head: Waiter | undefined;
  /** Those behind the head; most locks never have any. */
  #others: Set<Waiter> | undefined;
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

  /** True when the waiter is the head, and so has asked at once. */
  join(waiter: Waiter): boolean {
    if (this.#head === undefined) {
      this.#head = waiter;
      this.#ask();
      return true;
    }
    this.#others ??= new Set();
    this.#others.add(waiter);
    this.#listen();
    return false;
  }

  /** Something may have changed: the head looks. */
  hint(): void {
    if (this.#asking) {
      this.#hinted = true;
    } else {
      this.#ask();
    }
  }

  /** The head got the lock, for `leaseMs`. Its release wakes the next head; messages and a timer
   * catch whatever else ends it. */
  granted(leaseMs: number): void {
    this.#asking = false;
    this.contended = true;
    this.#advance();
    this.#sleep(leaseMs);
  }

  /** The head was told that the lock is busy for so many ms; -1: nobody knows. */
  busy(busyMs: number): void {
    this.#asking = false;
    this.contended = true;
    this.#listen();
    if (this.#hinted) {
      this.#ask();
    } else {
      this.#sleep(busyMs);
    }
  }

  /** A waiter gives up. If it was asking, the next one asks instead: it passes its wake-up on. */
  leave(waiter: Waiter): void {
    if (waiter !== this.#head) {
      this.#others?.delete(waiter);
      return;
    }
    const wasAsking = this.#asking;
    this.#asking = false;
    this.#advance();
    if (wasAsking) {
      this.#ask();
    }
  }

  #ask(): void {
    if (this.#head !== undefined) {
      this.#recheck?.cancel();
      this.#asking = true;
      this.#hinted = false;
      this.#head.ask();
    }
  }

  #advance(): void {
    const [next] = this.#others ?? [];
    this.#head = next;
    if (next === undefined) {
      this.#recheck?.cancel();
      this.#stopListening?.();
      this.#stopListening = undefined;
      this.#emptied();
    } else {
      this.#others?.delete(next);
    }
  }

  #sleep(busyMs: number): void {
    if (this.#head !== undefined) {
      const delayMs = busyMs < 0 ? RECHECK_MAX_MS : Math.min(busyMs + 1, RECHECK_MAX_MS);
      this.#recheck?.cancel();
      this.#recheck = this.#clock.after(delayMs, () => this.hint());
    }
  }

  #listen(): void {
    // Any message is a hint, and so is the confirmation of the subscription.
    this.#stopListening ??= this.#hub.listen(this.#channel, () => this.hint());
  }
}
