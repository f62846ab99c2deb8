import { LinkedList } from '../base/linked-list.js';
import type { Clock, Timer } from '../base/clock.js';
import { Sleeper, type Rechecks } from '../waiting/rechecks.js';
import type { Fairness } from './fairness.js';
import type { ChannelHub } from '../waiting/channel-hub.js';
import type { Verdict, WaitQueue, Waiter } from './wait-queue.js';
import { RECHECK_MAX_MS, SECOND_POLL_MS } from '../waiting/timing.js';

/** The parts of a client that a queue needs. */
export interface QueueServices {
  readonly hub: ChannelHub;
  readonly clock: Clock;
  readonly rechecks: Rechecks;
  /** Says when to leave the lock to other clients, where they race for it. */
  readonly fairness?: Pick<Fairness, 'delayMs'>;
}

/** The lock that a queue waits for. */
export interface Awaited {
  /** The lock is free when this key is gone. */
  readonly key: string;
  /** The channel on which its releases notify. */
  readonly channel: string;
  /** The head has an entry in the server's wait queue, and asks at least this often to keep it. */
  readonly heartbeatMs?: number;
}

/**
 * The waiters of one client for one exclusive lock, first come, first served. Only the head asks,
 * since only the head can be granted: a thousand waiters cost the server what one costs.
 */
export class ExclusiveQueue extends Sleeper implements WaitQueue {
  /** True once the server has answered "busy", or has granted the lock to a waiter here. */
  contended = false;
  readonly key: string;
  readonly #services: QueueServices;
  readonly #awaited: Awaited;
  readonly #emptied: () => void;
  #head: Waiter | undefined;
  /** The waiters behind the head; most locks never have any. */
  #others: LinkedList<Waiter> | undefined;
  #asking = false;
  /** A wake-up came while the head was asking: the answer may be older than the wake-up. */
  #wokenUp = false;
  /** Wakes the head when the lease that it saw ends, for its heartbeat, or after a delay. */
  #leaseEnd: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(services: QueueServices, awaited: Awaited, emptied: () => void) {
    super();
    this.#services = services;
    this.key = awaited.key;
    this.#awaited = awaited;
    this.#emptied = emptied;
    if (services.hub.knows(awaited.channel)) {
      // Still subscribed from before: listening now saves a second attempt.
      this.#listen();
    }
  }

  get holderId(): string {
    return this.#head?.holderId ?? '';
  }

  /** True when the waiter is the head, which asks at once. */
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

  /** Something may have changed: the head asks. */
  wakeUp(): void {
    if (this.#asking) {
      this.#wokenUp = true;
    } else {
      this.#ask();
    }
  }

  /** The head was granted the lock for `leaseMs`. Its release wakes the next head; messages and a
   * timer cover every other end of the lease. */
  granted(_waiter: Waiter, leaseMs: number): void {
    this.#asking = false;
    this.contended = true;
    this.#advance();
    // A wake-up that came meanwhile was most likely the message of our own release. If it was about
    // the end of the hold that was just granted, the next head finds out by polling soon.
    this.#sleep(this.#wokenUp ? Math.min(leaseMs, SECOND_POLL_MS) : leaseMs);
  }

  /** The server answered the head that the lock is busy for so many ms; -1: unknown. */
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

  /** A poll found that the lease lasts so many ms more; -1: without limit, -2: worth asking. */
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

  /** A waiter gives up. If it was asking, it passes its wake-up on: the next one asks instead. */
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

  /** In this queue every waiter asks for itself. */
  isAskingFor(): boolean {
    return false;
  }

  #ask(): void {
    if (this.#head !== undefined) {
      this.#stopSleeping();
      const { clock, fairness } = this.#services;
      const delayMs = fairness?.delayMs(this.#awaited.channel) ?? 0;
      if (delayMs > 0) {
        // Other clients hold the lock, or get the chance to acquire it first.
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
    // Any message is a wake-up, and so is the confirmation of the subscription.
    this.#stopListening ??= this.#services.hub.listen(this.#awaited.channel, () => this.wakeUp());
  }
}
