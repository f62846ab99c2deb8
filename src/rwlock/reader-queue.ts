import type { Call, Command, PendingCall } from '../core/wire/call.js';
import type { Timer } from '../core/base/clock.js';
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
  /** Asks for several readers; they have one entry, which dates from the first of them. */
  acquireMany(claims: readonly ReadAttempt[]): Command<Verdict[]>;
  /** Removes the entry of this client, of which no reader waits any more. */
  leaveQueue(): Command<number>;
}

/** The ticket of a reader. */
class ReadTicket extends Ticket {
  /** Server time in microseconds since when it waits; 0: not known yet. */
  rank = 0;
  /** The number of wake-ups before its own first ask. */
  wakeUps = 0;
}

/** An ask that is under way for several readers. */
interface Asking {
  readonly tickets: readonly ReadTicket[];
  readonly wakeUps: number;
  call: Call<Verdict[]> | undefined;
  /** A copy of it may still be granted. */
  mayRun: boolean;
}

/**
 * The waiting readers of one client: all of them can get in together, so one ask is made for all.
 * A reader that comes while no other waits is asked for alone.
 */
export class ReaderQueue implements WaitQueue {
  contended = false;
  readonly #asks: Asks;
  readonly #commands: ReaderCommands;
  /** The readers whose own first ask is under way. */
  readonly #entering = new Map<LockWaiter, ReadTicket>();
  /** The readers that found the lock busy, and those that came after them. */
  readonly #waiting = new Map<LockWaiter, ReadTicket>();
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
    if (this.#waiting.size > 0) {
      // It cannot be granted before the readers that wait already.
      this.#waiting.set(waiter, ticket);
      waiter.queued();
      return;
    }
    this.#entering.set(waiter, ticket);
    ticket.wakeUps = this.#wakeUps;
    ticket.ask('queue');
  }

  askOf(waiter: LockWaiter): ReadTicket | undefined {
    return this.#entering.get(waiter) ?? this.#waiting.get(waiter);
  }

  granted({ waiter }: ReadTicket): void {
    this.#forget(waiter);
  }

  busy(ticket: ReadTicket, { busyMs, rank = 0 }: Verdict & { is: 'busy' }): void {
    this.contended = true;
    this.#askAgain(ticket, busyMs, rank);
  }

  renewed(ticket: ReadTicket): void {
    this.#askAgain(ticket, 0, 0);
  }

  #askAgain(ticket: ReadTicket, inMs: number, rank: number): void {
    ticket.rank = ticket.rank === 0 ? rank : ticket.rank;
    const wasEntering = this.#entering.delete(ticket.waiter);
    this.#waiting.set(ticket.waiter, ticket);
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
    // An ask that is under way for several goes on for the others.
    const asking = this.#asking;
    ticket.hasUnackedCopy ||= asking?.mayRun === true && asking.tickets.includes(ticket);
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
    if (this.#asking !== undefined || this.#waiting.size === 0) {
      return;
    }
    this.#recheck?.cancel();
    const tickets: ReadTicket[] = [];
    const claims: ReadAttempt[] = [];
    for (const ticket of this.#waiting.values()) {
      if (tickets.length === READERS_PER_COMMAND) {
        break;
      }
      const { holderId, waiter, rank } = ticket;
      tickets.push(ticket);
      claims.push({ holderId, count: 1, leaseMs: waiter.leaseMs, rank });
    }
    const asking: Asking = { tickets, wakeUps: this.#wakeUps, call: undefined, mayRun: true };
    this.#asking = asking;
    const { delivery } = this.#asks.locks.services;
    asking.call = delivery.start(this.#commands.acquireMany(claims), {
      answered: (verdicts, call) => this.#answered(asking, verdicts, call),
      failed: (error, call) => {
        asking.call = undefined;
        asking.mayRun = call.unackedCopies > 0;
        this.#tell(asking, (ticket) => ticket.failed(error, call));
        this.#goOn(asking, 0);
      },
    });
  }

  #answered(asking: Asking, verdicts: readonly Verdict[], call: PendingCall): void {
    asking.call = undefined;
    this.#tell(asking, (ticket, i) => {
      ticket.answered(verdicts[i] ?? { is: 'busy', busyMs: 0 }, call);
    });
    let busyMs: number | undefined;
    for (const verdict of verdicts) {
      if (verdict.is === 'busy') {
        busyMs = Math.max(busyMs ?? -1, verdict.busyMs);
      }
    }
    // When all of them were granted, the next ones can be asked for.
    this.#goOn(asking, busyMs ?? 0);
  }

  /** Tells the readers that are still here the outcome of their ask. */
  #tell(asking: Asking, tell: (ticket: ReadTicket, i: number) => void): void {
    asking.tickets.forEach((ticket, i) => {
      if (this.#waiting.has(ticket.waiter)) {
        tell(ticket, i);
      }
    });
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
    if (this.#waiting.size > 0) {
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
    this.#entering.delete(waiter);
    this.#waiting.delete(waiter);
    if (this.#waiting.size + this.#entering.size === 0) {
      this.#end();
    }
  }

  #end(): void {
    const { delivery } = this.#asks.locks.services;
    if (this.#asking?.call !== undefined) {
      delivery.abandon(this.#asking.call);
    }
    this.#asking = undefined;
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
