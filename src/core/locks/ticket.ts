import { UnexpectedReplyError } from '../../server-errors.js';
import type { LocalQueue } from '../acquisition.js';
import type { Contention } from '../waiting/contention.js';
import type { Call, PendingCall, Receiver } from '../wire/call.js';
import type { LockServices } from './lock-services.js';
import type { LockWaiter, Position, Verdict, WaitQueue } from './wait-queue.js';

/** How a queue asks for its lock. */
export interface Asks {
  readonly locks: LockServices;
  /** True when a ticket that is given up has to remove its entry from the server's wait queue. */
  readonly keepsPosition: boolean;
  ask(
    holderId: string,
    leaseMs: number,
    position: Position,
    receiver: Receiver<Verdict>,
  ): Call<Verdict>;
  /** Takes back what a holder may have on the server. */
  cancel(left: Left): void;
  /** The queue has no waiter left; another one may have taken the place of this one. */
  emptied(queue?: WaitQueue): void;
}

/** A holder of which something may be left on the server. */
export interface Left {
  readonly holderId: string;
  /** It may be granted later, by a copy of an ask. */
  readonly hasUnackedCopy: boolean;
  /** The only call of which a copy may run, if it is known. */
  readonly ask?: PendingCall | undefined;
  /** More holders: readers, or waiters with an entry each, of which no copy may run. */
  readonly others?: readonly string[];
  /** Called when nothing is left of them, or they were given up. */
  readonly done?: () => void;
}

/** The queue of a ticket. */
export interface TicketQueue {
  readonly contention: Contention;
  /** The ticket's waiter has got the lock. */
  granted(ticket: Ticket): void;
  /** The lock is busy. */
  busy(ticket: Ticket, verdict: Verdict & { is: 'busy' }): void;
  /** The lock was granted, and that is over: the ticket has another holder id now. */
  renewed(ticket: Ticket): void;
}

/**
 * The holder id under which a queue asks for one of its waiters, and all that may be left of it on
 * the server: a grant, copies of asks that may be granted yet, an entry in the wait queue.
 */
export class Ticket implements Receiver<Verdict> {
  readonly waiter: LockWaiter;
  holderId: string;
  hasUnackedCopy = false;
  protected readonly asks: Asks;
  /** Without one it asks for a waiter that does not wait. */
  readonly #queue: TicketQueue | undefined;
  /** The ask for this ticket alone that is under way. */
  #call: Call<Verdict> | undefined;
  #wasSent = false;
  /** Once it was sent, it may have an entry in a wait queue on the server. */
  #asksForPosition = false;

  constructor(asks: Asks, waiter: LockWaiter, queue: TicketQueue | undefined) {
    this.asks = asks;
    this.waiter = waiter;
    this.#queue = queue;
    this.holderId = asks.locks.services.client.newHolderId();
  }

  get sent(): boolean {
    return this.#wasSent || this.#call?.sent === true;
  }

  /** Why the server has refused to run the ask under way, which is sent again. */
  get refusal(): Error | undefined {
    return this.#call?.refusal;
  }

  ask(position: Position): void {
    const { asks } = this;
    this.#asksForPosition ||= position === 'queue' && asks.keepsPosition;
    this.#call = asks.ask(this.holderId, this.waiter.leaseMs, position, this);
    this.#queue?.contention.asked(asks.locks.services.clock.now(), this.#call);
  }

  answered(verdict: Verdict, call: PendingCall): void {
    this.#settled(call);
    this.#queue?.contention.answered();
    switch (verdict.is) {
      case 'granted':
        this.#granted(call, verdict.fencingToken);
        break;
      case 'busy':
        if (this.#queue === undefined) {
          this.waiter.refused();
        } else {
          this.#queue.contention.busy(call, this.asks.locks.services.clock.now());
          this.waiter.blocked();
          this.#queue.busy(this, verdict);
        }
        break;
      case 'cancelled':
        // An earlier copy was granted, its answer was lost, and the hold has been ended by force.
        this.#renew();
        break;
      default:
        // A fresh holder id has no hold that could be gone.
        this.waiter.failed(
          new UnexpectedReplyError(`a fresh acquisition was answered "${verdict.is}"`),
        );
    }
  }

  failed(error: Error, call: PendingCall): void {
    this.#settled(call);
    this.#queue?.contention.failed(error);
    this.waiter.failed(error);
  }

  /** Its waiter gives up: nothing is left on the server. */
  cancel(): void {
    const left = this.leaves();
    if (left !== undefined) {
      this.asks.cancel(left);
    }
  }

  /** Its waiter gives up. Returns what may be left of it on the server. */
  leaves(): Left | undefined {
    const { asks, holderId } = this;
    const ask = this.hasUnackedCopy ? undefined : this.#call;
    if (this.#call !== undefined) {
      const mayRun = asks.locks.services.delivery.abandon(this.#call);
      this.hasUnackedCopy ||= mayRun;
    }
    const { hasUnackedCopy } = this;
    const isLeft = hasUnackedCopy || (this.#asksForPosition && this.#wasSent);
    return isLeft ? { holderId, hasUnackedCopy, ask } : undefined;
  }

  #granted(acquiring: PendingCall, fencingToken: bigint | undefined): void {
    const { leaseMs } = this.waiter;
    const grant = { acquiring, leaseMs, fencingToken, isWindow: false };
    if (this.waiter.granted(this, grant) === undefined) {
      this.#renew();
    } else {
      this.#queue?.granted(this);
    }
  }

  #settled(call: PendingCall): void {
    this.#call = undefined;
    this.#wasSent ||= call.sent;
    this.hasUnackedCopy ||= call.unackedCopies > 0;
  }

  /** A grant is over before anybody was told of it: takes it back, and goes on as another holder. */
  #renew(): void {
    const { asks } = this;
    const { holderId, hasUnackedCopy } = this;
    asks.cancel({ holderId, hasUnackedCopy });
    this.holderId = asks.locks.services.client.newHolderId();
    this.hasUnackedCopy = false;
    this.#asksForPosition = false;
    if (this.#queue === undefined) {
      this.ask('none');
    } else {
      this.#queue.renewed(this);
    }
  }
}

/** The ticket of a waiter that does not wait. It stands in no queue, so that it is refused or served
 * by its own answer alone. */
export class Attempt extends Ticket implements LocalQueue<LockWaiter> {
  constructor(asks: Asks, waiter: LockWaiter) {
    super(asks, waiter, undefined);
  }

  join(): void {
    this.ask('none');
  }

  leave(): void {
    this.cancel();
  }

  get waiting(): number {
    return 0;
  }

  get contention(): this {
    return this;
  }

  proves(): boolean {
    return false;
  }
}
