import { LINE_HEARTBEAT_MS } from './hand-offs.js';
import type { Timer } from '../base/clock.js';
import { EndOfTurn } from '../base/end-of-turn.js';
import { LinkedList } from '../base/linked-list.js';
import type { Command, PendingCall } from '../wire/call.js';
import { asError } from '../wire/replies.js';
import type { LineAnswer, LineTerms, TakenPlace } from './line.js';
import { TOKEN_BLOCK } from '../base/constants.generated.js';
import type { HandedOn } from './handed-on.js';
import type { LineGrant, LineQueue } from './line-queue.js';
import type { Proof } from './proof.js';
import { LineTicket } from './line-ticket.js';
import { PassingQueue } from './passing-queue.js';
import { Run } from './run.js';
import { UNSEEN_RECHECK_MS } from '../waiting/timing.js';
import { Contention } from '../waiting/contention.js';
import type { Asks } from './ticket.js';
import type { EnteredTicket, LockWaiter, WaitQueue } from './wait-queue.js';

/**
 * The waiters of one client for a lock that is handed on, first come, first served. It has one ticket
 * in the line of the lock, whichever waiter that is for, and none while the client has the lock: a
 * grant under another holder id would end the hold.
 */
export class HandOffQueue extends PassingQueue implements WaitQueue, LineQueue<LineTicket> {
  readonly contention: Contention = new Contention();
  readonly #lock: HandedOn;
  readonly #waiters = new LinkedList<LockWaiter>();
  #ticket: LineTicket | undefined;
  /** The waiter whose lease and place its ticket has. */
  #ticketOf: LockWaiter | undefined;
  #headLeft: EndOfTurn | undefined;
  #isGranting = false;
  #timer: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(asks: Asks, lock: HandedOn) {
    super(asks, lock.lineKeys.lock);
    this.#lock = lock;
  }

  join(waiter: LockWaiter): void {
    const { entered } = waiter;
    if (entered !== undefined) {
      this.#bring(waiter, entered);
      return;
    }
    this.#waiters.push(waiter);
    if (this.#waiters.first !== waiter || this.run !== undefined) {
      // Others may wait soon, and say so.
      this.asks.locks.handOffs.channels.listen(this.#lock.lineKeys.lock);
      waiter.queued();
    }
    this.wakeUp();
  }

  /** Asks for the first waiter, unless that was done, or this client has the lock. */
  wakeUp(): void {
    if (this.#ticket !== undefined || this.run !== undefined || this.#isGranting) {
      return;
    }
    const head = this.#waiters.first;
    if (head === undefined) {
      this.#leaveChannel();
      this.asks.emptied(this);
      return;
    }
    this.#ask(head, undefined);
  }

  #ask(head: LockWaiter, place: TakenPlace | undefined): void {
    // A hold that nobody waits for needs one token, and leaves no gap in the counter.
    const isWanted = this.isContended || head.next !== undefined;
    const isRun = this.asks.locks.passesOn && !head.isBounded && isWanted;
    this.#makeTicket(head, isRun ? TOKEN_BLOCK : 1, place).ask();
  }

  #makeTicket(head: LockWaiter, tokens: number, place?: TakenPlace, holderId?: string): LineTicket {
    const { leaseMs, renewed } = head;
    const terms: LineTerms = { keys: this.#lock.lineKeys, leaseMs, renewed, tokens };
    this.#ticketOf = head;
    this.#ticket = new LineTicket(this.asks, terms, this, place, holderId);
    return this.#ticket;
  }

  /** A waiter joins that has asked before all others here: its ticket stands before theirs. */
  #bring(waiter: LockWaiter, entered: EnteredTicket): void {
    this.#waiters.unshift(waiter);
    if (this.run !== undefined || this.#isGranting) {
      const hasUnackedCopy = entered.call.unackedCopies > 0;
      this.asks.cancel({ holderId: entered.holderId, hasUnackedCopy });
      waiter.queued();
      return;
    }
    this.#dropTicket()?.cancel();
    this.#makeTicket(waiter, 1, undefined, entered.holderId).entered(entered);
  }

  /** A waiter gives up. Its ticket goes on for the next one; where that wants another lease, or may come
   * behind others, a new ticket takes its place. */
  leave(waiter: LockWaiter): void {
    const wasHead = waiter === this.#waiters.first;
    this.#waiters.delete(waiter);
    if (this.isEmpty) {
      this.#dropTicket()?.cancel();
      this.wakeUp();
    } else if (wasHead) {
      // Many may leave together: only the last head of them is asked for.
      this.#headLeft ??= new EndOfTurn(this.asks.locks.services.clock, () => this.#askForHead());
      this.#headLeft.request();
    }
  }

  #askForHead(): void {
    if (this.#ticket?.isWaiting === true && !this.#isForHead) {
      this.#takePlace();
    } else {
      this.wakeUp();
    }
  }

  /** Whether its ticket has the terms of the first waiter. A ticket that is asked for just now keeps those of
   * a waiter that has left, until it is answered. */
  get #isForHead(): boolean {
    const head = this.#waiters.first;
    const terms = this.#ticket?.terms;
    const isSame = head?.leaseMs === terms?.leaseMs && head?.renewed === terms?.renewed;
    return isSame && (head === this.#ticketOf || this.#lock.isSharedWithOthers !== true);
  }

  /** Asks for the first waiter in the place of the ticket of one that has left. */
  #takePlace(): void {
    const [head, ticket] = [this.#waiters.first, this.#dropTicket()];
    if (head !== undefined && ticket !== undefined) {
      this.#ask(head, ticket.placeFor(head.startedAt));
      ticket.replaced();
    }
  }

  enter(ticket: LineTicket): Command<LineAnswer> {
    return this.#lock.enter(ticket);
  }

  recheck(ticket: LineTicket): void {
    if (this.#lock.heartbeatMs === undefined) {
      this.asks.locks.handOffs.recheck(ticket);
    } else {
      ticket.ask();
    }
  }

  reconnected(ticket: LineTicket): void {
    ticket.recheck();
  }

  missed(ticket: LineTicket): void {
    ticket.recheck();
  }

  forced(): void {
    if (this.#ticket !== undefined) {
      this.#ticket.isDoubtful = true;
    }
  }

  proofFor({ proof }: LineTicket): Proof | undefined {
    return proof;
  }

  granted(_ticket: LineTicket, grant: LineGrant): void {
    if (!this.isEmpty && !this.#isForHead) {
      // It is the grant of a waiter that has left, and becomes that of the next one on the server.
      this.#takePlace();
      return;
    }
    const ticket = this.#dropTicket();
    const waiter = this.#waiters.first;
    if (ticket === undefined || waiter === undefined) {
      ticket?.cancel();
      return;
    }
    // An older hold of this client may be lost by that, and wake this queue.
    this.#isGranting = true;
    let lease;
    try {
      lease = waiter.granted(ticket, grant);
    } catch (error) {
      this.#isGranting = false;
      ticket.cancelForGood();
      waiter.failed(asError(error));
      return;
    }
    this.#isGranting = false;
    if (lease === undefined) {
      // The grant came too late to be of use.
      ticket.cancel();
      this.wakeUp();
      return;
    }
    this.isContended = true;
    this.#waiters.delete(waiter);
    if (!lease.active) {
      // It was lost while its hold was made.
      this.asks.locks.handOffs.forget(ticket.holderId, ticket.key);
      this.wakeUp();
      return;
    }
    const { handOffs, services } = this.asks.locks;
    const othersWait = grant.others || !handOffs.channels.isListening(ticket.key);
    const { fencingToken } = grant;
    const holdsMax = fencingToken === undefined ? grant.holdsMax : ticket.terms.tokens;
    this.run = new Run(lease, services.clock, { othersWait, holdsMax, fencingToken });
    handOffs.granted(ticket.holderId, ticket.key, this.run);
  }

  lapsed(_ticket: LineTicket, call: PendingCall, windowMs: number): void {
    if (this.#isForHead) {
      this.#waiters.first?.cameTooLate(call, windowMs);
    }
  }

  waits(_ticket: LineTicket, { busyMs, isOurs, isSeen }: LineAnswer & { is: 'waiting' }): void {
    const ticket = this.#ticket;
    if (ticket === undefined) {
      return;
    }
    if (!this.#isForHead) {
      this.#takePlace();
      return;
    }
    const { handOffs, services } = this.asks.locks;
    this.isContended = true;
    this.#waiters.first?.blocked();
    handOffs.channels.listen(ticket.key);
    if (isOurs) {
      this.#leaveChannel();
    } else {
      // The release of somebody else serves no line: it notifies on the channel of the lock.
      this.#listen();
    }
    handOffs.seen(ticket, isSeen !== false);
    const isToldOfGrants = isSeen === true && handOffs.channels.isListening(ticket.key);
    const { heartbeatMs = Infinity } = this.#lock;
    let dueMs = Math.min(ticket.windowMs / 2, heartbeatMs);
    dueMs = isToldOfGrants ? dueMs : Math.min(dueMs, UNSEEN_RECHECK_MS);
    if (busyMs >= 0) {
      dueMs = Math.min(dueMs, busyMs + 1);
    }
    const again = isSeen === undefined ? () => ticket.ask() : () => ticket.recheck();
    this.#timer?.cancel();
    const isSooner = dueMs < LINE_HEARTBEAT_MS || isSeen === undefined;
    this.#timer = isSooner ? services.clock.after(dueMs, again) : undefined;
    if (heartbeatMs === Infinity) {
      handOffs.recheckLater(ticket);
    }
  }

  isVoid(): void {
    this.#dropTicket()?.cancelForGood();
    this.wakeUp();
  }

  failed(_ticket: LineTicket, error: Error): void {
    this.#dropTicket()?.cancel();
    this.#waiters.first?.failed(error);
  }

  protected override get size(): number {
    return this.#waiters.size;
  }

  protected override get nextWaiter(): LockWaiter | undefined {
    const mayPass = this.#lock.mayPass?.(this.asks.locks.queues) ?? true;
    return mayPass ? this.#waiters.first : undefined;
  }

  protected override servedHere(waiter: LockWaiter): void {
    this.#waiters.delete(waiter);
  }

  #dropTicket(): LineTicket | undefined {
    const ticket = this.#ticket;
    this.#ticket = undefined;
    this.#ticketOf = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    ticket?.over();
    return ticket;
  }

  #listen(): void {
    const { hub } = this.asks.locks.services;
    this.#stopListening ??= hub.listen(this.#lock.lineKeys.channel, () => this.#ticket?.recheck());
  }

  #leaveChannel(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
  }
}
