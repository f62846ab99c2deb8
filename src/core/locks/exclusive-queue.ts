import { LinkedList } from '../base/linked-list.js';
import type { Clock, Timer } from '../base/clock.js';
import { Sleeper, type Rechecks } from '../waiting/rechecks.js';
import type { Fairness } from './fairness.js';
import type { ChannelHub } from '../waiting/channel-hub.js';
import type { Verdict, WaitQueue, Waiter } from './wait-queue.js';
import { RECHECK_MAX_MS, SECOND_POLL_MS } from '../waiting/timing.js';

/** What a queue needs of its client. */
export interface QueueServices {
  readonly hub: ChannelHub;
  readonly clock: Clock;
  readonly rechecks: Rechecks;
  /** Says when to leave the lock to other clients, where they race for it. */
  readonly fairness?: Pick<Fairness, 'delayMs'>;
}

/** What a queue waits for. */
export interface Awaited {
  /** The lock is free when this key is gone. */
  readonly key: string;
  /** Where its releases are told. */
  readonly channel: string;
  /** The head stands in a line on the server, and asks at least this often to keep its place. */
  readonly heartbeatMs?: number;
}

/**
 * The waiters of one client for one exclusive lock, first come first served. Only the head can
 * profit from asking, so only the head asks: a thousand waiters cost what one costs.
 */
export class ExclusiveQueue extends Sleeper implements WaitQueue {
  /** True once the server has said "busy", or has granted the lock to one of ours. */
  contended = false;
  readonly key: string;
  readonly #services: QueueServices;
  readonly #awaited: Awaited;
  readonly #emptied: () => void;
  #head: Waiter | undefined;
  /** Those behind the head; most locks never have any. */
  #others: LinkedList<Waiter> | undefined;
  #asking = false;
  /** A hint came while the head was asking: its answer may be older than the hint. */
  #wokenUp = false;
  /** Wakes the head when the lease that it saw should have ended, or its turn has come. */
  #leaseEnd: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(services: QueueServices, awaited: Awaited, emptied: () => void) {
    super();
    this.#services = services;
    this.key = awaited.key;
    this.#awaited = awaited;
    this.#emptied = emptied;
    if (services.hub.knows(awaited.channel)) {
      // Still subscribed from before: listening before the first attempt saves the second.
      this.#listen();
    }
  }

  get holderId(): string {
    return this.#head?.holderId ?? '';
  }

  /** True when the waiter is the head, and so has asked at once. */
  join(waiter: Waiter): boolean {
    if (this.#head === undefined) {
      this.#head = waiter;
      this.#ask();
      return true;
    }
    this.#others ??= new LinkedList();
    this.#others.push(waiter);
    this.#listen();
    return false;
  }

  /** Something may have changed: the head looks. */
  wakeUp(): void {
    if (this.#asking) {
      this.#wokenUp = true;
    } else {
      this.#ask();
    }
  }

  /** The head got the lock, for `leaseMs`. Its release wakes the next head; messages and a timer
   * catch whatever else ends it. */
  granted(_waiter: Waiter, leaseMs: number): void {
    this.#asking = false;
    this.contended = true;
    this.#advance();
    // A hint that came meanwhile was most likely our own release's message; if it was another's,
    // about the hold that was just granted, the next head finds out soon.
    this.#sleep(this.#wokenUp ? Math.min(leaseMs, SECOND_POLL_MS) : leaseMs);
  }

  /** The head was told that the lock is busy for so many ms; -1: nobody knows. */
  busy(_waiter: Waiter, { busyMs }: Verdict & { is: 'busy' }): void {
    this.#asking = false;
    this.contended = true;
    this.#listen();
    if (this.#wokenUp) {
      this.#ask();
    } else {
      this.#sleep(busyMs);
    }
  }

  /** A re-check found that the lock lives so many ms more; -2: it is worth asking. */
  polled(ttlMs: number): void {
    if (this.#asking) {
      return;
    }
    if (ttlMs === -2) {
      this.#ask();
    } else {
      this.#sleep(ttlMs);
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

  /** Every ask here is the waiter's own. */
  isAskingFor(): boolean {
    return false;
  }

  #ask(): void {
    if (this.#head !== undefined) {
      this.#stopSleeping();
      const { clock, fairness } = this.#services;
      const delayMs = fairness?.delayMs(this.#awaited.channel) ?? 0;
      if (delayMs > 0) {
        // Others have it, or are let go first.
        this.contended = true;
        this.#listen();
        this.#leaseEnd = clock.after(delayMs, () => this.wakeUp());
        return;
      }
      this.#asking = true;
      this.#wokenUp = false;
      this.#head.ask(this.#awaited.heartbeatMs === undefined ? 'none' : 'queue');
    }
  }

  #advance(): void {
    const next = this.#others?.first;
    this.#head = next;
    if (next === undefined) {
      this.#stopSleeping();
      this.#stopListening?.();
      this.#stopListening = undefined;
      this.#emptied();
    } else {
      this.#others?.delete(next);
    }
  }

  #sleep(busyMs: number): void {
    if (this.#head === undefined) {
      return;
    }
    this.#stopSleeping();
    const { heartbeatMs } = this.#awaited;
    const soon = heartbeatMs ?? RECHECK_MAX_MS;
    if (busyMs >= 0 && busyMs < soon) {
      this.#leaseEnd = this.#services.clock.after(busyMs + 1, () => this.wakeUp());
    } else if (heartbeatMs !== undefined) {
      this.#leaseEnd = this.#services.clock.after(heartbeatMs, () => this.wakeUp());
    } else {
      this.#services.rechecks.add(this);
    }
  }

  #stopSleeping(): void {
    this.#leaseEnd?.cancel();
    this.#services.rechecks.delete(this);
  }

  #listen(): void {
    // Any message is a hint, and so is the confirmation of the subscription.
    this.#stopListening ??= this.#services.hub.listen(this.#awaited.channel, () => this.wakeUp());
  }
}
