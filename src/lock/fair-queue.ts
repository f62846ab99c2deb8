import { LinkedList } from '../core/base/linked-list.js';
import type { Timer } from '../core/base/clock.js';
import { Ticket, type Asks } from '../core/locks/ticket.js';
import type { LockWaiter, Position, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import { HEARTBEAT_MS } from '../core/waiting/timing.js';

/** The ticket of a waiter, who has a channel of its own. */
class RacingTicket extends Ticket {
  /** Its subscription has been confirmed: it hears the message about its turn. */
  isListening = false;
  isAsking = false;
  /** Something may have changed since it was asked for last. */
  isWokenUp = false;
  stopListening: (() => void) | undefined;

  override ask(position: Position): void {
    this.isAsking = true;
    this.isWokenUp = false;
    super.ask(position);
  }
}

/**
 * The waiters of one client for one fair lock. Each is asked for at once, and has its own entry in
 * the server's wait queue from then on; only the first of them is asked for again, which is the
 * heartbeat of all.
 */
export class FairQueue implements WaitQueue {
  contended = false;
  readonly #asks: Asks;
  /** The prefix of each waiter's channel. */
  readonly #channel: string;
  readonly #queue = new LinkedList<LockWaiter>();
  readonly #tickets = new Map<LockWaiter, RacingTicket>();
  /** A waiter here was granted the lock, and nothing has happened since. */
  #isHeldHere = false;
  #timer: Timer | undefined;

  constructor(asks: Asks, channel: string) {
    this.#asks = asks;
    this.#channel = channel;
  }

  join(waiter: LockWaiter): void {
    const ticket = new RacingTicket(this.#asks, waiter, this);
    const isFirst = this.#queue.first === undefined;
    this.#tickets.set(waiter, ticket);
    this.#queue.push(waiter);
    ticket.ask('queue');
    if (!isFirst) {
      this.#listen(ticket);
      waiter.queued();
    }
  }

  askOf(waiter: LockWaiter): RacingTicket | undefined {
    return this.#tickets.get(waiter);
  }

  wakeUp(): void {
    this.#isHeldHere = false;
    const head = this.#head;
    if (head?.isAsking === true) {
      // The answer may be older than the wake-up.
      head.isWokenUp = true;
    } else if (head !== undefined) {
      this.#timer?.cancel();
      // If its entry was lost, others of this client may be before it on the server: it goes first.
      head.ask('front');
    }
  }

  granted(ticket: RacingTicket): void {
    this.contended = true;
    this.#isHeldHere = true;
    if (this.#remove(ticket)) {
      // Its release brings the next wake-up, unless the new head has already got one.
      this.#sleep(this.#head?.isWokenUp === true ? 0 : ticket.waiter.leaseMs);
    }
  }

  busy(ticket: RacingTicket, { busyMs }: Verdict & { is: 'busy' }): void {
    ticket.isAsking = false;
    this.contended = true;
    if (ticket.stopListening === undefined) {
      this.#listen(ticket);
    }
    if (ticket !== this.#head) {
      return;
    }
    if (ticket.isWokenUp) {
      this.wakeUp();
    } else {
      this.#sleep(busyMs);
    }
  }

  /** A grant that came too late was its turn all the same: the waiter goes on behind all others
   * here, as its new entry is on the server. */
  renewed(ticket: RacingTicket): void {
    const { waiter } = ticket;
    const wasHead = ticket === this.#head;
    ticket.stopListening?.();
    ticket.isListening = false;
    this.#queue.delete(waiter);
    this.#queue.push(waiter);
    ticket.ask('queue');
    this.#listen(ticket);
    if (wasHead) {
      // The clean-up of that grant wakes the new head.
      this.#sleep(HEARTBEAT_MS);
    }
  }

  leave(waiter: LockWaiter): void {
    const ticket = this.#tickets.get(waiter);
    ticket?.cancel();
    if (ticket !== undefined && this.#remove(ticket) && ticket.isAsking) {
      // Its wake-up passes to the new head, only once even if many leave together.
      this.#sleep(0);
    }
  }

  get #head(): RacingTicket | undefined {
    const { first } = this.#queue;
    return first && this.#tickets.get(first);
  }

  /** True when it was the ticket of the head. */
  #remove(ticket: RacingTicket): boolean {
    const wasHead = ticket === this.#head;
    this.#tickets.delete(ticket.waiter);
    this.#queue.delete(ticket.waiter);
    ticket.stopListening?.();
    if (this.#queue.first === undefined) {
      this.#timer?.cancel();
      this.#asks.emptied();
    }
    return wasHead;
  }

  /**
   * The entry is older than the subscription, and may have missed its only message: once that is
   * confirmed, the head asks again. Any other waiter is notified after it has become the head. A
   * head that follows a holder of this client is woken by the release here.
   */
  #listen(ticket: RacingTicket): void {
    const channel = `${this.#channel}:${ticket.holderId}`;
    ticket.stopListening = this.#asks.locks.services.hub.listen(channel, () => {
      const isFollowing = ticket !== this.#head || this.#isHeldHere;
      if (ticket.isListening || !isFollowing) {
        ticket.isWokenUp = true;
        this.wakeUp();
      }
      ticket.isListening = true;
    });
  }

  #sleep(busyMs: number): void {
    if (this.#queue.first === undefined) {
      return;
    }
    this.#timer?.cancel();
    const isSoon = busyMs >= 0 && busyMs < HEARTBEAT_MS;
    const sleepMs = isSoon ? busyMs + 1 : HEARTBEAT_MS;
    this.#timer = this.#asks.locks.services.clock.after(sleepMs, () => this.wakeUp());
  }
}
