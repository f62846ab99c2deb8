import { Contention } from '../core/waiting/contention.js';
import type { Call, Command, PendingCall } from '../core/wire/call.js';
import type { Timer } from '../core/base/clock.js';
import { rankAt, type Shown } from '../core/locks/proof.js';
import { Ticket, type Asks } from '../core/locks/ticket.js';
import type { LockWaiter, Verdict, WaitQueue } from '../core/locks/wait-queue.js';
import { HEARTBEAT_MS } from '../core/waiting/timing.js';

/** The most readers that one command asks for: the server is never busy with it for long. */
const READERS_PER_COMMAND = 250;

export interface ReadAttempt {
  readonly holderId: string;
  readonly count: number;
  readonly leaseMs: number;
  /** Server time in microseconds since when it waits; 0: not known yet. */
  readonly rank: number;
  /** The writer under whose hold it reads. */
  readonly beside?: string;
}

/** The part of a read lock that the queue needs. */
export interface ReaderCommands {
  readonly channel: string;
  /** Asks for several readers; they have one entry, which dates from the first of them. `rest`: the rank of
   * the first reader that waits and is not among them; 0: there is none, or its rank is not known. */
  acquireMany(claims: readonly ReadAttempt[], rest: number): Command<Verdict[]>;
  /** Removes the entry of this client, of which no reader waits any more. */
  leaveQueue(): Command<number>;
}

/** The ticket of a reader. */
class ReadTicket extends Ticket {
  /** Server time in microseconds since when it waits; 0: not known yet. */
  rank = 0;
  /** Its own first ask is under way. */
  isEntering = false;
  /** The number of wake-ups before that. */
  wakeUps = 0;
  readonly #readers: ReaderQueue;

  constructor(asks: Asks, waiter: LockWaiter, readers: ReaderQueue) {
    super(asks, waiter, readers);
    this.#readers = readers;
  }

  override answered(verdict: Verdict, call: PendingCall): void {
    this.#readers.note(verdict, call);
    super.answered(verdict, call);
  }
}

/** An ask that is under way for several readers. */
interface Asking {
  readonly tickets: readonly ReadTicket[];
  readonly wakeUps: number;
  /** Undefined once it is answered. */
  call: Call<Verdict[]> | undefined;
}

/**
 * The waiting readers of one client: all of them can get in together, so one ask is made for all.
 * A reader that comes while no other waits is asked for alone.
 */
export class ReaderQueue implements WaitQueue {
  readonly contention: Contention = new Contention();
  readonly #asks: Asks;
  readonly #commands: ReaderCommands;
  /** In the order in which they came. */
  readonly #tickets = new Map<LockWaiter, ReadTicket>();
  /** How many found the lock busy, or came after one that did; the own ask of the others is under way. */
  waiting = 0;
  #shown: Shown | undefined;
  #wakeUps = 0;
  /** A waiter has left, and this client may have an entry in the wait queue on the server. */
  #mayBeQueued = false;
  #asking: Asking | undefined;
  #recheck: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(asks: Asks, commands: ReaderCommands) {
    this.#asks = asks;
    this.#commands = commands;
    if (asks.locks.services.hub.knows(commands.channel)) {
      this.#listen();
    }
  }

  join(waiter: LockWaiter): void {
    const ticket = new ReadTicket(this.#asks, waiter, this);
    this.#tickets.set(waiter, ticket);
    if (this.waiting > 0) {
      // It cannot be granted before the readers that wait already.
      this.waiting += 1;
      ticket.rank = this.#rankOf(ticket);
      waiter.queued();
      return;
    }
    ticket.isEntering = true;
    ticket.wakeUps = this.#wakeUps;
    ticket.ask('queue');
  }

  askOf(waiter: LockWaiter): ReadTicket | undefined {
    return this.#tickets.get(waiter);
  }

  note(verdict: Verdict, { sentAt, lastSentAt }: PendingCall): void {
    const rank = verdict.is === 'busy' ? (verdict.rank ?? 0) : 0;
    if (rank > 0 && sentAt === lastSentAt && sentAt >= (this.#shown?.sentAt ?? 0)) {
      this.#shown = { sentAt, micros: rank, epoch: this.#asks.locks.services.epoch };
    }
  }

  /** The rank of a reader is a fact of when it came, not of when the server was asked for it. */
  #rankOf({ rank, waiter }: ReadTicket): number {
    const { clock, epoch } = this.#asks.locks.services;
    return rank || rankAt(this.#shown, waiter.startedAt, { clock, epoch });
  }

  granted({ waiter }: ReadTicket): void {
    this.#forget(waiter);
  }

  busy(ticket: ReadTicket, { busyMs, rank = 0 }: Verdict & { is: 'busy' }): void {
    this.#askAgain(ticket, busyMs, rank);
  }

  renewed(ticket: ReadTicket): void {
    this.#askAgain(ticket, 0, 0);
  }

  #askAgain(ticket: ReadTicket, inMs: number, rank: number): void {
    if (ticket.rank === 0) {
      // Its own ask may have run late: one that was sent later may show an earlier rank.
      const shown = this.#rankOf(ticket);
      ticket.rank = shown > 0 && rank > 0 ? Math.min(shown, rank) : shown || rank;
    }
    const wasEntering = ticket.isEntering;
    if (wasEntering) {
      ticket.isEntering = false;
      this.waiting += 1;
    }
    this.#listen();
    if (wasEntering && ticket.wakeUps !== this.#wakeUps) {
      // Something has changed since it was asked for.
      this.wakeUp();
    } else if (this.#asking === undefined) {
      this.#sleep(inMs);
    }
  }

  leave(waiter: LockWaiter): void {
    const ticket = this.askOf(waiter);
    if (ticket === undefined) {
      return;
    }
    // An ask that is under way for several goes on for the others. Its answer shows what this one has.
    ticket.cancel();
    // An ask that was not answered yet may have made an entry.
    this.#mayBeQueued = true;
    this.#forget(waiter);
  }

  wakeUp(): void {
    this.#wakeUps += 1;
    this.#ask();
  }

  #ask(): void {
    if (this.#asking !== undefined || this.waiting === 0) {
      return;
    }
    this.#recheck?.cancel();
    const tickets: ReadTicket[] = [];
    const claims: ReadAttempt[] = [];
    let rest = 0;
    for (const ticket of this.#tickets.values()) {
      if (ticket.isEntering) {
        continue;
      }
      ticket.rank = this.#rankOf(ticket);
      if (tickets.length === READERS_PER_COMMAND) {
        rest = ticket.rank;
        break;
      }
      const { holderId, waiter, rank } = ticket;
      tickets.push(ticket);
      claims.push({ holderId, count: 1, leaseMs: waiter.leaseMs, rank });
    }
    const asking: Asking = { tickets, wakeUps: this.#wakeUps, call: undefined };
    this.#asking = asking;
    const { clock, delivery } = this.#asks.locks.services;
    asking.call = delivery.start(this.#commands.acquireMany(claims, rest), {
      answered: (verdicts, call) => this.#answered(asking, verdicts, call),
      failed: (error, call) => {
        asking.call = undefined;
        const gone = this.#tell(asking, (ticket) => ticket.failed(error, call));
        this.#takeBack(gone, call.unackedCopies > 0);
        this.#goOn(asking, 0);
      },
    });
    this.contention.asked(clock.now(), asking.call);
  }

  #answered(asking: Asking, verdicts: readonly Verdict[], call: PendingCall): void {
    asking.call = undefined;
    const gone = this.#tell(asking, (ticket, i) => {
      ticket.answered(verdicts[i] ?? { is: 'busy', busyMs: 0 }, call);
    });
    const mayRun = call.unackedCopies > 0;
    if (mayRun || verdicts.some(({ is }) => is === 'granted')) {
      this.#takeBack(gone, mayRun);
    }
    let busyMs: number | undefined;
    for (const verdict of verdicts) {
      if (verdict.is === 'busy') {
        busyMs = Math.max(busyMs ?? -1, verdict.busyMs);
      }
    }
    // When all of them were granted, the next ones can be asked for.
    this.#goOn(asking, busyMs ?? 0);
  }

  /** Tells the readers that are still here the outcome of their ask. Returns those that have given up. */
  #tell(asking: Asking, tell: (ticket: ReadTicket, i: number) => void): ReadTicket[] {
    return asking.tickets.filter((ticket, i) => {
      const isHere = this.#tickets.has(ticket.waiter);
      if (isHere) {
        tell(ticket, i);
      }
      return !isHere;
    });
  }

  /** They have given up, and may have been granted the lock, or may be yet. `ask`: by a copy of that alone. */
  #takeBack(gone: readonly ReadTicket[], mayRun: boolean, ask?: PendingCall): void {
    const [holderId, ...others] = gone.map((ticket) => ticket.holderId);
    if (holderId !== undefined) {
      this.#asks.cancel({ holderId, hasUnackedCopy: mayRun, ask, others });
    }
  }

  #goOn(asking: Asking, busyMs: number): void {
    if (this.#asking !== asking) {
      return;
    }
    this.#asking = undefined;
    if (asking.wakeUps !== this.#wakeUps || busyMs === 0) {
      this.#ask();
    } else {
      this.#sleep(busyMs);
    }
  }

  /** Its asks are also the client's heartbeat, without which writers would pass its readers. */
  #sleep(busyMs: number): void {
    this.#recheck?.cancel();
    if (this.waiting > 0) {
      const delayMs = busyMs < 0 ? HEARTBEAT_MS : Math.min(busyMs + 1, HEARTBEAT_MS);
      const { clock } = this.#asks.locks.services;
      this.#recheck = clock.after(delayMs, () => this.wakeUp());
    }
  }

  #listen(): void {
    const { hub } = this.#asks.locks.services;
    this.#stopListening ??= hub.listen(this.#commands.channel, () => this.wakeUp());
  }

  #forget(waiter: LockWaiter): void {
    if (this.#tickets.get(waiter)?.isEntering === false) {
      this.waiting -= 1;
    }
    this.#tickets.delete(waiter);
    if (this.#tickets.size === 0) {
      this.#end();
    }
  }

  #end(): void {
    const { delivery } = this.#asks.locks.services;
    const { call, tickets = [] } = this.#asking ?? {};
    this.#asking = undefined;
    if (call !== undefined && delivery.abandon(call)) {
      this.#takeBack(tickets, true, call);
    }
    if (this.#mayBeQueued) {
      // No reader is left for which writers would have to wait.
      delivery.inBackground(this.#commands.leaveQueue());
    }
    this.#recheck?.cancel();
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#asks.emptied();
  }
}
