import { LINE_HEARTBEAT_MS } from './hand-offs.js';
import type { Timer } from '../base/clock.js';
import { LinkedList } from '../base/linked-list.js';
import type { AskState } from '../acquisition.js';
import type { Command } from '../wire/call.js';
import { asError } from '../wire/replies.js';
import type { Lease } from '../lease/lease.js';
import { windowOf, type LineAnswer, type LineKeys, type LineTerms } from './line.js';
import { TOKEN_BLOCK } from '../base/constants.generated.js';
import type { LineGrant, LineQueue, Proof } from './line-queue.js';
import { LineTicket } from './line-ticket.js';
import { PassingQueue } from './passing-queue.js';
import { Run } from './run.js';
import { UNSEEN_RECHECK_MS } from '../waiting/timing.js';
import type { Asks } from './ticket.js';
import type { LockWaiter, WaitQueue } from './wait-queue.js';

/** The part of a lock that its queue needs. */
export interface HandedOn {
  readonly lineKeys: LineKeys;
  /** The command that asks for a ticket. */
  enter(ticket: LineTicket): Command<LineAnswer>;
  /** Its tickets share no re-checks: each asks anew at least this often. */
  readonly heartbeatMs?: number;
  /** Others than those in its line wait by the order of asking: whoever comes next here has to ask behind
   * them. */
  readonly isSharedWithOthers?: boolean;
  /** Whether nobody of this client comes before the next waiter of this queue. */
  mayPass?(queues: ReadonlyMap<string, WaitQueue>): boolean;
}

/**
 * The waiters of one client for a lock that is handed on, first come, first served. It has one ticket
 * in the line of the lock, whichever waiter that is for, and none while the client has the lock: a
 * grant under another holder id would end the hold.
 */
export class HandOffQueue extends PassingQueue implements WaitQueue, LineQueue<LineTicket> {
  contended = false;
  readonly #lock: HandedOn;
  readonly #waiters = new LinkedList<LockWaiter>();
  #ticket: LineTicket | undefined;
  #isGranting = false;
  #timer: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(asks: Asks, lock: HandedOn) {
    super(asks, lock.lineKeys.lock);
    this.#lock = lock;
  }

  join(waiter: LockWaiter): void {
    this.#waiters.push(waiter);
    if (this.#waiters.first !== waiter || this.run !== undefined) {
      // Others may wait soon, and say so.
      this.asks.locks.handOffs.channels.listen(this.#lock.lineKeys.lock);
      waiter.queued();
    }
    this.wakeUp();
  }

  askOf(waiter: LockWaiter): AskState | undefined {
    return waiter === this.#waiters.first ? this.#ticket : undefined;
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
    const { leaseMs, renewed } = head;
    // A hold that nobody waits for needs one token, and leaves no gap in the counter.
    const isRun = this.asks.locks.passesOn && (this.contended || head.next !== undefined);
    const tokens = isRun ? TOKEN_BLOCK : 1;
    const terms: LineTerms = { keys: this.#lock.lineKeys, leaseMs, renewed, tokens };
    this.#ticket = new LineTicket(this.asks, terms, this);
    this.#ticket.ask();
  }

  /** A waiter gives up. Its ticket goes on for the next one, unless that wants another lease, or would
   * pass others by it. */
  leave(waiter: LockWaiter): void {
    const wasHead = waiter === this.#waiters.first;
    this.#waiters.delete(waiter);
    const head = this.#waiters.first;
    const terms = this.#ticket?.terms;
    const isSame = head?.leaseMs === terms?.leaseMs && head?.renewed === terms?.renewed;
    if (wasHead && (!isSame || this.#lock.isSharedWithOthers === true)) {
      this.#dropTicket()?.cancel();
    }
    this.wakeUp();
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
    const ticket = this.#dropTicket();
    const waiter = this.#waiters.first;
    if (ticket === undefined || waiter === undefined) {
      ticket?.cancel();
      return;
    }
    // An older hold of this client may be lost by that, and wake this queue.
    this.#isGranting = true;
    let lease: Lease | undefined;
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
      ticket.cancelForGood();
      this.wakeUp();
      return;
    }
    this.contended = true;
    this.#waiters.delete(waiter);
    if (!lease.active) {
      // It was lost while its hold was made.
      this.asks.locks.handOffs.forget(ticket.holderId);
      this.wakeUp();
      return;
    }
    const { handOffs, services } = this.asks.locks;
    const othersWait = grant.others || !handOffs.channels.isListening(ticket.key);
    const { fencingToken } = grant;
    const holdsMax = fencingToken === undefined ? grant.holdsMax : ticket.terms.tokens;
    this.run = new Run(lease, services.clock, { othersWait, holdsMax, fencingToken });
    handOffs.granted(ticket.holderId, this.run);
  }

  waits(_ticket: LineTicket, { busyMs, isOurs, isSeen }: LineAnswer & { is: 'waiting' }): void {
    const ticket = this.#ticket;
    if (ticket === undefined) {
      return;
    }
    const { handOffs, services } = this.asks.locks;
    this.contended = true;
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
    let dueMs = Math.min(windowOf(ticket.terms) / 2, heartbeatMs);
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

  override get isEmpty(): boolean {
    return this.#waiters.first === undefined;
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
    this.#timer?.cancel();
    this.#timer = undefined;
    ticket?.over();
    return ticket;
  }

  #listen(): void {
    const { services } = this.asks.locks;
    this.#stopListening ??= services.hub.listen(this.#lock.lineKeys.channel, () => {
      this.#ticket?.recheck();
    });
  }

  #leaveChannel(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
  }
}
