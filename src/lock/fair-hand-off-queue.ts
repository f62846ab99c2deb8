import { LinkedList } from '../core/base/linked-list.js';
import type { Timer } from '../core/base/clock.js';
import { fairAskOf, fairEnter, fairLineKeys, type FairKeys } from '../core/locks/fair-line.js';
import { windowOf, type LineAnswer, type LineTerms } from '../core/locks/line.js';
import {
  LineTicket,
  type LineGrant,
  type LineQueue,
  type Proof,
} from '../core/locks/line-ticket.js';
import type { Lease } from '../core/lease/lease.js';
import type { Asks } from '../core/locks/ticket.js';
import type { LockWaiter, WaitQueue } from '../core/locks/wait-queue.js';
import { HEARTBEAT_MS, UNSEEN_RECHECK_MS } from '../core/waiting/timing.js';
import type { Command } from '../core/wire/call.js';
import { ABSENT_MS } from '../core/wire/constants.generated.js';
import { asError } from '../core/wire/replies.js';

/** The ticket of a waiter. */
class FairTicket extends LineTicket {
  declare waiter: LockWaiter;
  /** Whoever has the lock just before it hands it on, as far as is known. */
  declare isAfterOurs: boolean;
  /** It takes the place of another one, which was the first of its client. */
  declare goesFirst: boolean;
  /** Its entry may have been lost since its last ask. */
  declare isOld: boolean;

  /** Assigned, not initialised where they are declared: see `Linked`. */
  constructor(asks: Asks, terms: LineTerms, queue: LineQueue, waiter: LockWaiter) {
    super(asks, terms, queue);
    this.waiter = waiter;
    this.isAfterOurs = true;
    this.goesFirst = false;
    this.isOld = false;
  }
}

/** A grant without a run has nothing to do when others wait. */
const NO_RUN = { othersWait(): void {} };

/**
 * The waiters of one client for one fair lock that is handed on. Each has an entry in the server's wait
 * queue from its first ask on, with a ticket, and is told of its grant. Only the first of them is asked
 * for again, which is the heartbeat of all.
 */
export class FairHandOffQueue implements WaitQueue, LineQueue {
  contended = false;
  readonly #asks: Asks;
  readonly #keys: FairKeys;
  /** The prefix of each waiter's channel. */
  readonly #channel: string;
  readonly #waiters = new LinkedList<LockWaiter>();
  readonly #tickets = new Map<LockWaiter, FairTicket>();
  /** Of the latest answer. A waiter behind the first may have had its own long ago. */
  #proof: Proof | undefined;
  /** When the server has heard of this client last, as far as is known. */
  #heardAt = Number.POSITIVE_INFINITY;
  #timer: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(asks: Asks, keys: FairKeys, channel: string) {
    this.#asks = asks;
    this.#keys = keys;
    this.#channel = channel;
  }

  join(waiter: LockWaiter): void {
    this.#waiters.push(waiter);
    if (this.#waiters.first !== waiter) {
      this.#asks.locks.handOffs.listen();
      waiter.queued();
    }
    this.#askAnew(waiter);
  }

  askOf(waiter: LockWaiter): FairTicket | undefined {
    return this.#tickets.get(waiter);
  }

  /** Releases serve the queue, and the end of a lease is seen by the timer. */
  wakeUp(): void {}

  leave(waiter: LockWaiter): void {
    const ticket = this.#tickets.get(waiter);
    if (ticket !== undefined) {
      this.#remove(ticket);
      ticket.cancel();
    }
  }

  enter(ticket: FairTicket): Command<LineAnswer> {
    this.#noteAbsence();
    ticket.isOld = false;
    const { holderId: holder, goesFirst, sent, wasPushed, terms } = ticket;
    // Others of this client may be before it on the server, if its entry was lost. But a grant that has
    // lapsed before it was told was its turn.
    const isFirst = ticket === this.#head && (sent || goesFirst) && !wasPushed;
    const position = isFirst ? 'front' : 'queue';
    const { leaseMs } = terms;
    const ask = { holder, count: 1, leaseMs, position, windowMs: windowOf(terms) } as const;
    return fairAskOf(fairEnter, this.#asks.locks.services.router, this.#keys, ask);
  }

  recheck(ticket: FairTicket): void {
    ticket.ask();
  }

  reconnected(ticket: FairTicket): void {
    ticket.isOld = true;
    if (ticket === this.#head) {
      ticket.recheck();
    }
  }

  forced(): void {
    for (const ticket of this.#tickets.values()) {
      ticket.isDoubtful = true;
    }
  }

  proofFor(): Proof | undefined {
    return this.#proof;
  }

  waits(ticket: FairTicket, { busyMs, isOurs, isSeen }: LineAnswer & { is: 'waiting' }): void {
    const { handOffs } = this.#asks.locks;
    this.contended = true;
    this.#proof = ticket.proof;
    this.#heardAt = ticket.proof?.sentAt ?? this.#heardAt;
    ticket.waiter.blocked();
    ticket.isAfterOurs = isOurs;
    handOffs.listen();
    handOffs.seen(isSeen !== false, ticket.wasListening);
    if (ticket !== this.#head) {
      return;
    }
    if (!isOurs) {
      this.#listen(ticket);
    }
    const isToldOfGrants = isSeen === true && handOffs.isListening;
    const dueMs = isToldOfGrants ? HEARTBEAT_MS : UNSEEN_RECHECK_MS;
    this.#sleep(busyMs >= 0 ? Math.min(dueMs, busyMs + 1) : dueMs);
  }

  granted(ticket: FairTicket, grant: LineGrant): void {
    this.contended = true;
    this.#serveFirst(ticket);
    const { waiter } = ticket;
    let lease: Lease | undefined;
    try {
      lease = waiter.granted(ticket, grant);
    } catch (error) {
      ticket.hasUnackedCopy = true;
      waiter.failed(asError(error));
      return;
    }
    if (lease === undefined) {
      this.#cameTooLate(ticket);
      return;
    }
    this.#remove(ticket);
    const { handOffs } = this.#asks.locks;
    if (lease.active) {
      handOffs.granted(ticket.holderId, NO_RUN);
    } else {
      // It was lost while its hold was made.
      handOffs.forget(ticket.holderId);
    }
  }

  /** Its grant was ended by force before it was told, which was nobody's turn. */
  isVoid(ticket: FairTicket): void {
    const wasHead = ticket === this.#head;
    this.contended = true;
    ticket.cancelForGood();
    this.#askAnew(ticket.waiter, wasHead);
    if (wasHead) {
      this.#headChanged();
    }
  }

  /** Its waiter leaves. */
  failed(ticket: FairTicket, error: Error): void {
    ticket.waiter.failed(error);
  }

  get #head(): FairTicket | undefined {
    const { first } = this.#waiters;
    return first && this.#tickets.get(first);
  }

  /** A grant that came too late was its turn all the same: the waiter goes on behind all others here,
   * as its new entry is on the server. */
  #cameTooLate(ticket: FairTicket): void {
    const { waiter } = ticket;
    const wasHead = ticket === this.#head;
    this.#waiters.delete(waiter);
    this.#waiters.push(waiter);
    ticket.cancelForGood();
    this.#askAnew(waiter);
    if (wasHead) {
      this.#headChanged();
    }
  }

  #askAnew(waiter: LockWaiter, goesFirst = false): void {
    const { leaseMs, renewed } = waiter;
    const keys = fairLineKeys(this.#keys);
    const terms = { keys, channel: this.#channel, leaseMs, renewed, tokens: 1 };
    const ticket = new FairTicket(this.#asks, terms, this, waiter);
    ticket.goesFirst = goesFirst;
    this.#tickets.set(waiter, ticket);
    ticket.ask();
  }

  /** The first waiter here goes first, also where the server has them in another order, since entries
   * were lost: it gets the ticket that was granted. */
  #serveFirst(ticket: FairTicket): void {
    const head = this.#head;
    const { leaseMs, renewed } = ticket.terms;
    if (head?.terms.leaseMs === leaseMs && head.terms.renewed === renewed) {
      const { waiter } = ticket;
      ticket.waiter = head.waiter;
      head.waiter = waiter;
      this.#tickets.set(head.waiter, head);
      this.#tickets.set(ticket.waiter, ticket);
    }
  }

  #remove(ticket: FairTicket): void {
    const wasHead = ticket === this.#head;
    ticket.over();
    this.#tickets.delete(ticket.waiter);
    this.#waiters.delete(ticket.waiter);
    if (wasHead) {
      this.#headChanged();
    }
  }

  #headChanged(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    const head = this.#head;
    if (head === undefined) {
      this.#timer?.cancel();
      this.#asks.emptied(this);
      return;
    }
    this.#noteAbsence();
    if (!head.isAfterOurs) {
      // It asks as soon as it listens.
      this.#listen(head);
    } else if (head.isOld && head.isWaiting) {
      head.ask();
    }
    if (this.#timer === undefined) {
      this.#sleep(HEARTBEAT_MS);
    }
  }

  /** After a pause as long as that the server takes the entries of this client for those of a dead one. */
  #noteAbsence(): void {
    if (this.#asks.locks.services.clock.now() - this.#heardAt >= ABSENT_MS) {
      for (const ticket of this.#tickets.values()) {
        ticket.isOld = true;
      }
    }
  }

  /** The release of somebody else may only notify, on a channel of each waiter. The confirmation of the
   * subscription is a message too. */
  #listen(ticket: FairTicket): void {
    const channel = `${this.#channel}:${ticket.holderId}`;
    this.#stopListening ??= this.#asks.locks.services.hub.listen(channel, () => ticket.recheck());
  }

  #sleep(sleepMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#asks.locks.services.clock.after(sleepMs, () => {
      this.#timer = undefined;
      const head = this.#head;
      if (head?.isWaiting === true) {
        head.ask();
      }
    });
  }
}
