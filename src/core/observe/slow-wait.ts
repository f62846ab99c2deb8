import type { Clock, Timer } from '../base/clock.js';
import { whenSettled } from '../base/async-context.js';
import type { Events, Holder, ObjectKind } from './events.js';

/** By default a wait is reported when it has lasted a third of the lease, but not before this. */
const STALL_MIN_MS = 3_000;

/** Waits that come due within this part of the first span are reported together. */
const TOGETHER = 0.1;

/** The default of `stalledAfterMs`. */
export function defaultStallMs(leaseMs: number): number {
  return Math.max(STALL_MIN_MS, Math.round(leaseMs / 3));
}

/** An object that is waited for, and how to find its holders. */
export interface Waited {
  /** The same for all waiters of the object in this client. */
  readonly id: string;
  readonly resource: string;
  readonly kind: ObjectKind;
  /** Finds the holders that are waited for, or the first of them; absent where none are known. */
  findHolders?(): Promise<readonly Holder[]>;
  /** Whether it is a semaphore whose number of permits nobody has set. */
  isUninitialised?(): boolean;
}

/** One wait. */
interface Wait {
  readonly startedAt: number;
  /** It is reported next when it has lasted so long. */
  spanMs: number;
  isOver: boolean;
}

/**
 * Emits `stalled`, while it has listeners, for each wait that has lasted `afterMs`, and again when
 * it has lasted two, four, eight times that. One timer and one poll serve all waits for an object.
 */
export class SlowWaits {
  readonly #afterMs: number;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #failed: (error: Error) => void;
  readonly #crowds = new Map<string, Crowd>();

  constructor(clock: Clock, events: Events, afterMs: number, failed: (error: Error) => void) {
    this.#clock = clock;
    this.#events = events;
    this.#failed = failed;
    this.#afterMs = afterMs;
  }

  /** Watches a wait that began at `startedAt`; returns the function that stops watching. */
  watch(waited: Waited, startedAt: number): () => void {
    const { id } = waited;
    let crowd = this.#crowds.get(id);
    if (crowd === undefined) {
      const joining = new Crowd(this.#clock, this.#afterMs, (due) =>
        this.#tellOf(waited, joining, due),
      );
      crowd = joining;
      this.#crowds.set(id, crowd);
    }
    const joined = crowd;
    const wait = { startedAt, spanMs: this.#afterMs, isOver: false };
    joined.add(wait);
    return () => {
      wait.isOver = true;
      if (joined.delete(wait) && joined.isEmpty) {
        this.#crowds.delete(id);
      }
    };
  }

  #tellOf(waited: Waited, crowd: Crowd, due: ReadonlyMap<Wait, number>): void {
    if (!this.#events.wanted('stalled')) {
      return;
    }
    const { resource, kind } = waited;
    const state = waited.isUninitialised?.() === true ? { uninitialised: true as const } : {};
    const found = waited.findHolders?.() ?? Promise.resolve([]);
    whenSettled(
      found,
      (holders) => {
        for (const [wait, waitedMs] of due) {
          if (!wait.isOver) {
            const { size: waiters } = crowd;
            const event = { resource, kind, waitedMs, holders, waiters, ...state };
            this.#events.emit('stalled', event);
          }
        }
      },
      (error) => this.#failed(error),
    );
  }
}

/** When a wait is reported next. */
function dueAtOf({ startedAt, spanMs }: Wait): number {
  return startedAt + spanMs;
}

/** All waits for one object in this client. */
class Crowd {
  readonly #clock: Clock;
  readonly #togetherMs: number;
  readonly #tellOf: (due: ReadonlyMap<Wait, number>) => void;
  readonly #waits = new Set<Wait>();
  #timer: Timer | undefined;
  #tickAt = Number.POSITIVE_INFINITY;

  /** `tellOf` gets the waits that have come due, with the milliseconds that each has lasted. */
  constructor(clock: Clock, afterMs: number, tellOf: (due: ReadonlyMap<Wait, number>) => void) {
    this.#clock = clock;
    this.#togetherMs = TOGETHER * afterMs;
    this.#tellOf = tellOf;
  }

  get size(): number {
    return this.#waits.size;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  add(wait: Wait): void {
    this.#waits.add(wait);
    const dueAt = dueAtOf(wait);
    if (dueAt < this.#tickAt) {
      this.#schedule(dueAt);
    }
  }

  /** False when it was not there any more. */
  delete(wait: Wait): boolean {
    const wasThere = this.#waits.delete(wait);
    if (this.isEmpty) {
      this.#timer?.cancel();
      this.#tickAt = Number.POSITIVE_INFINITY;
    }
    return wasThere;
  }

  #schedule(tickAt: number): void {
    this.#timer?.cancel();
    this.#tickAt = tickAt;
    this.#timer = this.#clock.after(tickAt - this.#clock.now(), () => this.#tick());
  }

  /** Defers until the waits that come due soon after the first one are due, then reports all. */
  #tick(): void {
    const now = this.#clock.now();
    const firstAt = this.#earliest;
    let lastAt = firstAt;
    for (const wait of this.#waits) {
      const dueAt = dueAtOf(wait);
      if (dueAt > lastAt && dueAt <= firstAt + this.#togetherMs) {
        lastAt = dueAt;
      }
    }
    if (lastAt > now) {
      this.#schedule(lastAt);
      return;
    }
    const due = new Map<Wait, number>();
    for (const wait of this.#waits) {
      if (dueAtOf(wait) <= now) {
        const waitedMs = now - wait.startedAt;
        due.set(wait, Math.round(waitedMs));
        // After a pause of the process, one event stands for all spans that have passed.
        while (wait.spanMs <= waitedMs) {
          wait.spanMs *= 2;
        }
      }
    }
    this.#schedule(this.#earliest);
    this.#tellOf(due);
  }

  get #earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const wait of this.#waits) {
      earliest = Math.min(earliest, dueAtOf(wait));
    }
    return earliest;
  }
}
