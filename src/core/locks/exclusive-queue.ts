import { LinkedList } from '../base/linked-list.js';
import type { Timer } from '../base/clock.js';
import { Sleeper } from '../waiting/rechecks.js';
import { Ticket, type Asks, type TicketQueue } from './ticket.js';
import type { LockWaiter, Verdict, WaitQueue } from './wait-queue.js';
import { RECHECK_MAX_MS, SECOND_POLL_MS } from '../waiting/timing.js';

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
 * The waiters of one client for one exclusive lock, first come, first served. It asks for the head
 * alone, since only the head can be granted: a thousand waiters cost the server what one costs.
 */
export class ExclusiveQueue extends Sleeper implements WaitQueue, TicketQueue {
  /** True once the server has answered "busy", or has granted the lock to a waiter here. */
  contended = false;
  readonly key: string;
  readonly #asks: Asks;
  readonly #awaited: Awaited;
  /** The ticket of the first waiter. */
  #head: Ticket | undefined;
  /** The waiters behind the head; most locks never have any. */
  #others: LinkedList<LockWaiter> | undefined;
  #asking = false;
  /** A wake-up came during the ask: the answer may be older than the wake-up. */
  #wokenUp = false;
  /** Wakes the head when the lease that it saw ends, for its heartbeat, or after a delay. */
  #leaseEnd: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(asks: Asks, awaited: Awaited) {
    super();
    this.#asks = asks;
    this.key = awaited.key;
    this.#awaited = awaited;
    if (asks.locks.services.hub.knows(awaited.channel)) {
      // Still subscribed from before: listening now saves a second attempt.
      this.#listen();
    }
  }

  get holderId(): string {
    return this.#head?.holderId ?? '';
  }

  /** A waiter that is the head is asked for at once. */
  join(waiter: LockWaiter): void {
    if (this.#head === undefined) {
      this.#head = new Ticket(this.#asks, waiter, this);
      this.#ask();
      return;
    }
    this.#others ??= new LinkedList();
    this.#others.push(waiter);
    this.#listen();
    waiter.queued();
  }

  askOf(waiter: LockWaiter): Ticket | undefined {
    return waiter === this.#head?.waiter ? this.#head : undefined;
  }

  /** Something may have changed: asks for the head. */
  wakeUp(): void {
    if (this.#asking) {
      this.#wokenUp = true;
    } else {
      this.#ask();
    }
  }

  /** The release of the head wakes the next one; messages and a timer cover every other end of its
   * lease. */
  granted({ waiter: { leaseMs } }: Ticket): void {
    this.#asking = false;
    this.contended = true;
    this.#advance();
    // A wake-up that came meanwhile was most likely the message of our own release. If it was about
    // the end of the hold that was just granted, the next head finds out by polling soon.
    this.#sleep(this.#wokenUp ? Math.min(leaseMs, SECOND_POLL_MS) : leaseMs);
  }

  busy(_ticket: Ticket, { busyMs }: Verdict & { is: 'busy' }): void {
    this.contended = true;
    this.#askAgain(busyMs);
  }

  renewed(): void {
    this.#askAgain(0);
  }

  #askAgain(inMs: number): void {
    this.#asking = false;
    this.#listen();
    if (this.#wokenUp) {
      this.#ask();
    } else {
      this.#sleep(inMs);
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

  /** A waiter gives up. If it was being asked for, the queue asks for the next one instead. */
  leave(waiter: LockWaiter): void {
    const head = this.askOf(waiter);
    if (head === undefined) {
      this.#others?.delete(waiter);
      return;
    }
    head.cancel();
    const wasAsking = this.#asking;
    this.#asking = false;
    this.#advance();
    if (wasAsking) {
      this.#ask();
    }
  }

  #ask(): void {
    if (this.#head !== undefined) {
      this.#stopSleeping();
      const { services, fairness } = this.#asks.locks;
      const delayMs = fairness.delayMs(this.#awaited.channel);
      if (delayMs > 0) {
        // Other clients hold the lock, or get the chance to acquire it first.
        this.contended = true;
        this.#listen();
        this.#leaseEnd = services.clock.after(delayMs, () => this.wakeUp());
        return;
      }
      this.#asking = true;
      this.#wokenUp = false;
      this.#head.ask(this.#awaited.heartbeatMs === undefined ? 'none' : 'queue');
    }
  }

  #advance(): void {
    const next = this.#others?.first;
    if (next === undefined) {
      this.#head = undefined;
      this.#stopSleeping();
      this.#stopListening?.();
      this.#stopListening = undefined;
      this.#asks.emptied();
    } else {
      this.#others?.delete(next);
      this.#head = new Ticket(this.#asks, next, this);
    }
  }

  #sleep(busyMs: number): void {
    if (this.#head === undefined) {
      return;
    }
    this.#stopSleeping();
    const { heartbeatMs } = this.#awaited;
    const { clock, rechecks } = this.#asks.locks.services;
    const soon = heartbeatMs ?? RECHECK_MAX_MS;
    if (busyMs >= 0 && busyMs < soon) {
      this.#leaseEnd = clock.after(busyMs + 1, () => this.wakeUp());
    } else if (heartbeatMs !== undefined) {
      this.#leaseEnd = clock.after(heartbeatMs, () => this.wakeUp());
    } else {
      rechecks.add(this);
    }
  }

  #stopSleeping(): void {
    this.#leaseEnd?.cancel();
    this.#asks.locks.services.rechecks.delete(this);
  }

  #listen(): void {
    // Any message is a wake-up, and so is the confirmation of the subscription.
    const { hub } = this.#asks.locks.services;
    this.#stopListening ??= hub.listen(this.#awaited.channel, () => this.wakeUp());
  }
}
