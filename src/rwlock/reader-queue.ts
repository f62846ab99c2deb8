import type { Call, Command, PendingCall } from '../core/wire/call.js';
import type { Timer } from '../core/base/clock.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import type { Verdict, WaitQueue, Waiter } from '../core/locks/wait-queue.js';
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

/** An ask that is under way for several waiters. */
interface Asking {
  readonly waiters: readonly Waiter[];
  readonly wakeUps: number;
  call: Call<Verdict[]> | undefined;
  /** A copy of it may still be granted. */
  mayRun: boolean;
}

/**
 * The waiting readers of one client: all of them can get in together, so one ask is made for all.
 * A reader that comes while no other waits asks for itself.
 */
export class ReaderQueue implements WaitQueue {
  contended = false;
  readonly #services: EndpointServices;
  readonly #commands: ReaderCommands;
  readonly #emptied: () => void;
  /** The waiters whose own first ask is under way, and the number of wake-ups before it. */
  readonly #entering = new Map<Waiter, number>();
  /** The waiters that found the lock busy, and those that came after them, with their ranks. */
  readonly #waiting = new Map<Waiter, number>();
  #wakeUps = 0;
  /** A waiter has left, and this client may have an entry in the wait queue on the server. */
  #mayBeQueued = false;
  #asking: Asking | undefined;
  #recheck: Timer | undefined;
  #stopListening: (() => void) | undefined;

  constructor(services: EndpointServices, commands: ReaderCommands, emptied: () => void) {
    this.#services = services;
    this.#commands = commands;
    this.#emptied = emptied;
    if (services.hub.knows(commands.channel)) {
      this.#listen();
    }
  }

  join(waiter: Waiter): boolean {
    if (this.#waiting.size > 0) {
      // It cannot be granted before the readers that wait already.
      this.#waiting.set(waiter, 0);
      return false;
    }
    this.#entering.set(waiter, this.#wakeUps);
    waiter.ask('queue');
    return true;
  }

  granted(waiter: Waiter): void {
    this.#forget(waiter);
    if (this.#isEmpty) {
      this.#end();
    }
  }

  busy(waiter: Waiter, { busyMs, rank = 0 }: Verdict & { is: 'busy' }): void {
    this.contended = true;
    const known = this.#waiting.get(waiter) ?? 0;
    this.#waiting.set(waiter, known === 0 ? rank : known);
    const wakeUps = this.#entering.get(waiter);
    this.#entering.delete(waiter);
    this.#listen();
    if (wakeUps !== undefined && wakeUps !== this.#wakeUps) {
      // Something has changed since it asked.
      this.wakeUp();
    } else if (this.#asking === undefined) {
      this.#sleep(busyMs);
    }
  }

  leave(waiter: Waiter): void {
    // An ask that was not answered yet may have made an entry.
    this.#mayBeQueued ||= this.contended || this.#entering.has(waiter);
    this.#forget(waiter);
    if (this.#isEmpty) {
      this.#end();
    }
  }

  isAskingFor(waiter: Waiter): boolean {
    return this.#asking?.mayRun === true && this.#asking.waiters.includes(waiter);
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
    const waiters: Waiter[] = [];
    const claims: ReadAttempt[] = [];
    for (const [waiter, rank] of this.#waiting) {
      if (waiters.length === READERS_PER_COMMAND) {
        break;
      }
      const { holderId, leaseMs } = waiter;
      waiters.push(waiter);
      claims.push({ holderId, count: 1, leaseMs, rank });
    }
    const asking: Asking = {
      waiters,
      wakeUps: this.#wakeUps,
      call: undefined,
      mayRun: true,
    };
    this.#asking = asking;
    asking.call = this.#services.delivery.start(this.#commands.acquireMany(claims), {
      answered: (verdicts, call) => this.#answered(asking, verdicts, call),
      failed: (error, call) => {
        asking.call = undefined;
        asking.mayRun = call.unackedCopies > 0;
        this.#tell(asking, (waiter) => waiter.failed(error, call));
        this.#goOn(asking, 0);
      },
    });
  }

  #answered(asking: Asking, verdicts: readonly Verdict[], call: PendingCall): void {
    asking.call = undefined;
    this.#tell(asking, (waiter, i) => {
      waiter.answered(verdicts[i] ?? { is: 'busy', busyMs: 0 }, call);
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

  /** Tells the waiters that are still here the outcome of their ask. */
  #tell(asking: Asking, tell: (waiter: Waiter, i: number) => void): void {
    asking.waiters.forEach((waiter, i) => {
      if (this.#waiting.has(waiter)) {
        tell(waiter, i);
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
      this.#recheck = this.#services.clock.after(delayMs, () => this.wakeUp());
    }
  }

  #listen(): void {
    const { hub } = this.#services;
    this.#stopListening ??= hub.listen(this.#commands.channel, () => this.wakeUp());
  }

  #forget(waiter: Waiter): void {
    this.#entering.delete(waiter);
    this.#waiting.delete(waiter);
  }

  get #isEmpty(): boolean {
    return this.#waiting.size + this.#entering.size === 0;
  }

  #end(): void {
    const { delivery } = this.#services;
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
    this.#emptied();
  }
}
