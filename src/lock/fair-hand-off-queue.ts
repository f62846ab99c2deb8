import type { Timer } from '../core/base/clock.js';
import { fairAskOf, fairEnter, type FairKeys } from '../core/locks/fair-line.js';
import { windowOf, type LineAnswer } from '../core/locks/line.js';
import type { LineGrant, LineQueue, Proof } from '../core/locks/line-queue.js';
import { FairTicket } from './fair-ticket.js';
import { FairTickets } from './fair-tickets.js';
import type { Lease } from '../core/lease/lease.js';
import { PassingQueue } from '../core/locks/passing-queue.js';
import { Run } from '../core/locks/run.js';
import type { Asks } from '../core/locks/ticket.js';
import type { LockWaiter, WaitQueue } from '../core/locks/wait-queue.js';
import { HEARTBEAT_MS, UNSEEN_RECHECK_MS } from '../core/waiting/timing.js';
import type { Command } from '../core/wire/call.js';
import { ABSENT_MS } from '../core/base/constants.generated.js';
import { asError } from '../core/wire/replies.js';

/**
 * The waiters of one client for one fair lock that is handed on. Each has an entry in the server's wait
 * queue from its first ask on, with a ticket, and is told of its grant. Only the first of them is asked
 * for again, which is the heartbeat of all.
 */
export class FairHandOffQueue extends PassingQueue implements WaitQueue, LineQueue<FairTicket> {
  contended = false;
  readonly #keys: FairKeys;
  readonly #tickets = new FairTickets();
  /** Of the latest answer. A waiter behind the first may have had its own long ago. */
  #proof: Proof | undefined;
  /** When the server has heard of this client last, as far as is known. */
  #heardAt = Number.POSITIVE_INFINITY;
  /** Waiters to whom the lock was passed on in this run: they are still in the queue on the server. */
  #served: string[] | undefined;
  #timer: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(asks: Asks, keys: FairKeys) {
    super(asks, keys.lock);
    this.#keys = keys;
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

  override get isEmpty(): boolean {
    return this.#tickets.isEmpty;
  }

  leave(waiter: LockWaiter): void {
    const ticket = this.#tickets.of(waiter);
    if (ticket !== undefined) {
      this.#remove(ticket);
      ticket.cancel();
      // It may be one of those that were counted right behind the holder.
      this.run?.endWithThisHold();
    }
  }

  enter(ticket: FairTicket): Command<LineAnswer> {
    this.#noteAbsence();
    ticket.isOld = false;
    const { holderId: holder, goesFirst, sent, wasPushed, terms } = ticket;
    // Others of this client may be before it on the server, if its entry was lost. But a grant that has
    // lapsed before it was told was its turn.
    const isFirst = ticket === this.#tickets.head && (sent || goesFirst) && !wasPushed;
    const position = isFirst ? 'front' : 'queue';
    const { leaseMs } = terms;
    const ask = { holder, count: 1, leaseMs, position, windowMs: windowOf(terms) } as const;
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

  waits(ticket: FairTicket, answer: LineAnswer & { is: 'waiting' }): void {
    const { busyMs, isOurs, isSeen, ownHolder } = answer;
    const { handOffs } = this.asks.locks;
    this.contended = true;
    this.#proof = ticket.proof;
    this.#heardAt = ticket.proof?.sentAt ?? this.#heardAt;
    ticket.waiter.blocked();
    ticket.isAfterOurs = isOurs;
    handOffs.channels.listen(ticket.key);
    handOffs.seen(ticket, isSeen !== false);
    if (ticket !== this.#tickets.head) {
      return;
    }
    if (!isOurs) {
      this.#listen(ticket);
    }
    if (ownHolder !== undefined) {
      this.#untold(ownHolder);
    }
    const isToldOfGrants = isSeen === true && handOffs.channels.isListening(ticket.key);
    const dueMs = isToldOfGrants ? HEARTBEAT_MS : UNSEEN_RECHECK_MS;
    this.#sleep(busyMs >= 0 ? Math.min(dueMs, busyMs + 1) : dueMs);
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
    this.contended = true;
    const { handOffs, services } = this.asks.locks;
    // All who wait behind those of this client may be others.
    const terms = { othersWait: true, holdsMax: grant.holdsMax, fencingToken: undefined };
    // It may have been lost while its hold was made.
    this.run = lease.active ? new Run(lease, services.clock, terms) : undefined;
    this.#served = undefined;
    this.#remove(ticket);
    if (this.run === undefined) {
      handOffs.forget(ticket.holderId);
    } else {
      handOffs.granted(ticket.holderId, this.run);
    }
  }

  /** A waiter here has the lock, unless it is a hold: it was granted, and the message was lost. */
  #untold(holderId: string): void {
    for (const ticket of this.#tickets.all()) {
      if (ticket.holderId === holderId) {
        ticket.recheck();
      }
    }
  }

  /** Its grant was ended by force before it was told, which was nobody's turn. */
  isVoid(ticket: FairTicket): void {
    this.contended = true;
    this.#replace(ticket, true);
  }

  /** Its waiter leaves. */
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
      this.asks.locks.handOffs.forget(ticket.holderId);
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
    ticket.cancelForGood();
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
    if (this.#timer === undefined) {
      this.#sleep(HEARTBEAT_MS);
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
    this.#timer?.cancel();
    this.#timer = this.asks.locks.services.clock.after(sleepMs, () => {
      this.#timer = undefined;
      const head = this.#tickets.head;
      if (head?.isWaiting === true) {
        head.ask();
      }
    });
  }
}
