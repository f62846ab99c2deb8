import { Contention } from '../core/waiting/contention.js';
import type { Timer } from '../core/base/clock.js';
import { fairAskOf, fairEnter, type FairKeys } from '../core/locks/fair-line.js';
import type { LineAnswer } from '../core/locks/line.js';
import type { LineGrant, LineQueue } from '../core/locks/line-queue.js';
import type { Proof } from '../core/locks/proof.js';
import { FairLeavers } from './fair-leavers.js';
import { FairTicket } from './fair-ticket.js';
import { FairTickets } from './fair-tickets.js';
import type { Lease } from '../core/lease/lease.js';
import { PassingQueue } from '../core/locks/passing-queue.js';
import { Run } from '../core/locks/run.js';
import type { Asks } from '../core/locks/ticket.js';
import type { LockWaiter, WaitQueue } from '../core/locks/wait-queue.js';
import type { Command, PendingCall } from '../core/wire/call.js';
import { ABSENT_MS } from '../core/base/constants.generated.js';
import { asError } from '../core/wire/replies.js';

/**
 * The waiters of one client for one fair lock that is handed on. Each has an entry in the server's wait
 * queue from its first ask on, with a ticket, and is told of its grant. Only the first of them is asked
 * for again, which is the heartbeat of all.
 */
export class FairHandOffQueue extends PassingQueue implements WaitQueue, LineQueue<FairTicket> {
  readonly contention: Contention = new Contention();
  readonly #keys: FairKeys;
  readonly #tickets = new FairTickets();
  readonly #leavers: FairLeavers;
  /** Of the latest answer. A waiter behind the first may have had its own long ago. */
  #proof: Proof | undefined;
  /** When the server has heard of this client last, as far as is known. */
  #heardAt = Number.POSITIVE_INFINITY;
  /** Waiters to whom the lock was passed on in this run: they are still in the queue on the server. */
  #served: string[] | undefined;
  #timer: Timer | undefined;
  #dueAt = 0;
  /** The server sees this client listen, and it does. */
  #isTold = true;
  #stopListening: (() => void) | undefined;

  constructor(asks: Asks, keys: FairKeys) {
    super(asks, keys.lock);
    this.#keys = keys;
    this.#leavers = new FairLeavers(asks);
  }

  join(waiter: LockWaiter): void {
    if (!this.#tickets.append(waiter)) {
      this.asks.locks.handOffs.channels.listen(this.#keys.lock);
      waiter.queued();
    }
    this.#askAnew(waiter);
  }

  askOf(waiter: LockWaiter): FairTicket | undefined {
    return this.#tickets.of(waiter);
  }

  /** Releases serve the queue, and the end of a lease is seen by the timer. */
  wakeUp(): void {}

  protected override get size(): number {
    return this.#tickets.size;
  }

  leave(waiter: LockWaiter): void {
    const ticket = this.#tickets.of(waiter);
    if (ticket !== undefined) {
      this.#remove(ticket);
      // It may be one of those that were counted right behind the holder.
      this.run?.endWithThisHold();
      this.#leavers.add(ticket.leaves(), this.isEmpty);
    }
  }

  enter(ticket: FairTicket): Command<LineAnswer> {
    this.#noteAbsence();
    ticket.isOld = false;
    const { holderId: holder, goesFirst, sent, wasPushed, terms, windowMs } = ticket;
    // Others of this client may be before it on the server, if its entry was lost. But a grant that has
    // lapsed before it was told was its turn.
    const isFirst = ticket === this.#tickets.head && (sent || goesFirst) && !wasPushed;
    const position = isFirst ? 'front' : 'queue';
    const ask = { holder, count: 1, leaseMs: terms.leaseMs, position, windowMs } as const;
    return fairAskOf(fairEnter, this.asks.locks.services.router, this.#keys, ask);
  }

  recheck(ticket: FairTicket): void {
    ticket.ask();
  }

  reconnected(ticket: FairTicket): void {
    // An ask that is under way is answered by the new one.
    ticket.isOld = ticket.isWaiting;
    this.missed(ticket);
  }

  /** The answer to the first of this client says which one of it has the lock, if any has. */
  missed(ticket: FairTicket): void {
    if (ticket === this.#tickets.head) {
      ticket.recheck();
    }
  }

  forced(): void {
    for (const ticket of this.#tickets.all()) {
      ticket.isDoubtful = true;
    }
  }

  proofFor(): Proof | undefined {
    return this.#proof;
  }

  lapsed({ waiter }: FairTicket, call: PendingCall, windowMs: number): void {
    waiter.cameTooLate(call, windowMs);
  }

  waits(ticket: FairTicket, answer: LineAnswer & { is: 'waiting' }): void {
    const { busyMs, isOurs, isSeen, ownHolder } = answer;
    const { handOffs } = this.asks.locks;
    this.#proof = ticket.proof;
    this.#heardAt = ticket.proof?.sentAt ?? this.#heardAt;
    this.isContended = true;
    ticket.waiter.blocked();
    ticket.isAfterOurs = isOurs;
    ticket.dueMs = busyMs >= 0 ? busyMs + 1 : Infinity;
    handOffs.channels.listen(ticket.key);
    handOffs.seen(ticket, isSeen !== false);
    if (ticket !== this.#tickets.head) {
      return;
    }
    if (!isOurs) {
      this.#listen(ticket);
    }
    if (ownHolder !== undefined) {
      // A waiter here has the lock, unless it is a hold: it was granted, and the message was lost.
      this.#tickets.withId(ownHolder)?.recheck();
    }
    this.#isTold = isSeen === true && handOffs.channels.isListening(ticket.key);
    this.#sleep(ticket.pauseMs(this.#isTold));
  }

  granted(ticket: FairTicket, grant: LineGrant): void {
    this.#tickets.giveToFirst(ticket);
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
      // It came too late, and was its turn all the same.
      this.#replace(ticket, false);
      return;
    }
    const { handOffs, services } = this.asks.locks;
    // Among the entries right behind it the server may have counted those of waiters that had given up.
    const holdsMax = this.#leavers.entriesUntil >= grant.acquiring.sentAt ? 1 : grant.holdsMax;
    // All who wait behind those of this client may be others.
    const terms = { othersWait: true, holdsMax, fencingToken: undefined };
    // It may have been lost while its hold was made.
    this.run = lease.active ? new Run(lease, services.clock, terms) : undefined;
    this.#served = undefined;
    this.isContended = true;
    this.#remove(ticket);
    if (this.run === undefined) {
      handOffs.forget(ticket.holderId, ticket.key);
    } else {
      handOffs.granted(ticket.holderId, ticket.key, this.run);
    }
  }

  /** Its grant was ended by force before it was told, which was nobody's turn. */
  isVoid(ticket: FairTicket): void {
    this.#replace(ticket, true);
  }

  failed(ticket: FairTicket, error: Error): void {
    ticket.waiter.failed(error);
  }

  override ended(lease: Lease): Run | undefined {
    const run = super.ended(lease);
    if (run !== undefined && this.#tickets.head === undefined) {
      this.asks.emptied(this);
    }
    return run;
  }

  override servedIn(lease: Lease): readonly string[] | undefined {
    return this.run?.lease === lease ? this.#served : undefined;
  }

  /** Of the first waiter nothing may be under way that could take the lock once more. */
  protected override get nextWaiter(): LockWaiter | undefined {
    const head = this.#tickets.head;
    return head?.isWaiting === true && !head.hasUnackedCopy ? head.waiter : undefined;
  }

  protected override servedHere(waiter: LockWaiter): void {
    const ticket = this.#tickets.of(waiter);
    if (ticket !== undefined) {
      this.#served ??= [];
      this.#served.push(ticket.holderId);
      this.asks.locks.handOffs.forget(ticket.holderId, ticket.key);
      this.#remove(ticket);
    }
  }

  /** Gives another ticket to the waiter of one that is no good any more. It keeps its place, or goes on
   * behind all others here, as its new entry is on the server. */
  #replace(ticket: FairTicket, keepsPlace: boolean): void {
    const { waiter } = ticket;
    const wasHead = ticket === this.#tickets.head;
    if (!keepsPlace) {
      this.#tickets.moveBack(waiter);
    }
    ticket.hasUnackedCopy ||= keepsPlace;
    ticket.cancel();
    this.#askAnew(waiter, keepsPlace && wasHead);
    if (wasHead) {
      this.#headChanged();
    }
  }

  #askAnew(waiter: LockWaiter, goesFirst = false): void {
    const { leaseMs, renewed } = waiter;
    const terms = { keys: this.#keys, leaseMs, renewed, tokens: 1 };
    const ticket = new FairTicket(this.asks, terms, this, waiter);
    ticket.goesFirst = goesFirst;
    this.#tickets.put(ticket);
    ticket.ask();
  }

  #remove(ticket: FairTicket): void {
    const wasHead = ticket === this.#tickets.head;
    ticket.over();
    this.#tickets.delete(ticket);
    if (wasHead) {
      this.#headChanged();
    }
  }

  #headChanged(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    const head = this.#tickets.head;
    if (head === undefined) {
      this.#timer?.cancel();
      this.#timer = undefined;
      if (this.run === undefined) {
        this.asks.emptied(this);
      }
      return;
    }
    this.#noteAbsence();
    if (!head.isAfterOurs) {
      // It asks as soon as it listens.
      this.#listen(head);
    } else if (head.isOld && head.isWaiting) {
      head.ask();
    }
    const { clock } = this.asks.locks.services;
    const pauseMs = head.pauseMs(this.#isTold);
    if (this.#timer === undefined || clock.now() + pauseMs < this.#dueAt) {
      this.#sleep(pauseMs);
    }
  }

  /** After a pause as long as that the server takes the entries of this client for those of a dead one. */
  #noteAbsence(): void {
    if (this.asks.locks.services.clock.now() - this.#heardAt >= ABSENT_MS) {
      for (const ticket of this.#tickets.all()) {
        ticket.isOld = true;
      }
    }
  }

  /** The release of somebody else may only notify, on a channel of each waiter. The confirmation of the
   * subscription is a message too. */
  #listen(ticket: FairTicket): void {
    const channel = `${this.#keys.channel}:${ticket.holderId}`;
    this.#stopListening ??= this.asks.locks.services.hub.listen(channel, () => ticket.recheck());
  }

  #sleep(sleepMs: number): void {
    const { clock } = this.asks.locks.services;
    this.#timer?.cancel();
    this.#dueAt = clock.now() + sleepMs;
    this.#timer = clock.after(sleepMs, () => {
      this.#timer = undefined;
      const head = this.#tickets.head;
      if (head?.isWaiting === true) {
        head.ask();
      }
    });
  }
}
