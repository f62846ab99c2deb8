import { ClosedError } from '../errors.js';
import type { KeepAlive, Clock, Timer } from './base/clock.js';
import { systemRandom, type RandomSource } from './base/random.js';
import type { CheckedReplicas } from './base/replicas-options.js';
import { Events } from './observe/events.js';
import { Leaks } from './observe/leaks.js';
import { Troubles } from './observe/troubles.js';
import { warnings } from './observe/warnings.js';
import { SlowWaits } from './observe/slow-wait.js';
import type { MaxWaiters } from './waiting/max-waiters.js';
import { WaitLimit, Waits, type Ending, type WaitLimits } from './waiting/wait-limit.js';

/** Settings of a client, checked. */
export interface Settings {
  readonly leaseMs: number;
  readonly commandTimeoutMs: number;
  /** Of acquisitions that name none; undefined: no limit. */
  readonly waitMs?: number | undefined;
  /** Of acquisitions that name none. */
  readonly maxWaiters?: MaxWaiters;
  readonly stalledAfterMs: number;
  /** Undefined for the servers of a quorum: nobody waits in a line there. */
  readonly handOff: HandOff | undefined;
  readonly reentry: (typeof REENTERING)[number];
  readonly replicas?: CheckedReplicas | undefined;
}

/** Which acquisitions re-enter a lock; see ClientOptions. */
export const REENTERING = ['scope', 'explicit'] as const;

/** How a lock goes from one waiter to the next; see ClientOptions. */
export type HandOff = (typeof HAND_OFFS)[number];
export const HAND_OFFS = ['direct', 'strict'] as const;

/** The parts that a client has once, whatever servers it works on: its id, its events, its waits,
 * and what keeps the process alive. */
export class ClientServices {
  readonly id: string;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly events: Events = new Events();
  readonly slowWaits: SlowWaits;
  readonly leaks: Leaks;
  readonly troubles: Troubles;
  /** Keeps the process alive from each `ref()` to its `unref()`. */
  readonly keepAlive: Pick<KeepAlive, 'ref' | 'unref'>;
  readonly #waits: Waits;
  readonly #keepAlive: KeepAlive;
  #refs = 0;
  #asyncIds = 0;
  #closed = false;

  constructor(id: string, settings: Settings, clock: Clock, random: RandomSource = systemRandom) {
    this.id = id;
    this.settings = settings;
    this.clock = clock;
    this.random = random;
    this.#keepAlive = clock.keepAlive();
    this.keepAlive = { ref: () => this.#ref(), unref: () => this.#unref() };
    this.#waits = new Waits(this.keepAlive);
    this.troubles = new Troubles(
      clock,
      warnings(
        () => this.events.wanted('error'),
        (error) => this.failed(error),
      ),
    );
    this.leaks = new Leaks(clock);
    const waitTerms = { afterMs: settings.stalledAfterMs, clientId: id };
    this.slowWaits = new SlowWaits(clock, this.events, waitTerms, (error) => this.failed(error));
  }

  /** A holder id that was never used before. */
  newHolderId(): string {
    this.#asyncIds += 1;
    return `${this.id}:${this.#asyncIds}`;
  }

  waitLimit(limits: WaitLimits): WaitLimit {
    return new WaitLimit(this.clock, this.#waits, limits);
  }

  /** Throws when the client was closed. */
  assertOpen(resource: string): void {
    if (this.#closed) {
      throw this.closedError(resource);
    }
  }

  closedError(resource: string): ClosedError {
    return new ClosedError('the client was closed', { resource });
  }

  /** The error of a caller whose wait has ended; `onTimeout` makes the one of a timeout. */
  errorOf(ending: Ending, resource: string, onTimeout: () => Error): unknown {
    switch (ending.why) {
      case 'aborted':
        return ending.reason;
      case 'lost':
        return ending.error;
      case 'closed':
        return this.closedError(resource);
      default:
        return onTimeout();
    }
  }

  /** Something failed in the background. */
  failed(error: Error): void {
    this.events.report('error', { error });
  }

  /** From now on nothing is granted, and all waits end. */
  stopGranting(): void {
    this.#closed = true;
    this.slowWaits.close();
    this.leaks.close();
    this.#waits.close();
    this.troubles.close();
  }

  /** Waits for `work`, which never rejects, but not longer than `limitMs`. */
  async inTime(work: Promise<unknown>, limitMs: number): Promise<void> {
    this.#ref();
    let timer: Timer | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = this.clock.after(limitMs, resolve);
    });
    await Promise.race([work, limit]);
    timer?.cancel();
    this.#unref();
  }

  /** Nothing keeps the process alive any more. */
  shutDown(): void {
    this.#keepAlive.cancel();
  }

  #ref(): void {
    this.#refs += 1;
    if (this.#refs === 1) {
      this.#keepAlive.ref();
    }
  }

  #unref(): void {
    this.#refs -= 1;
    if (this.#refs === 0) {
      this.#keepAlive.unref();
    }
  }
}
