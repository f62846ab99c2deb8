import type { Clock, Timer } from '../base/clock.js';
import { whenSettled } from '../base/async-context.js';
import type { Events, Holder, ObjectKind } from './events.js';

const STALL_MIN_MS = 10_000;

/** Waits that come due within this part of a span are reported together. */
const TOGETHER = 0.1;

/** An object that is waited for, and how to find its holders. */
export interface Waited {
  /** The same for all waiters of the object in this client. */
  readonly id: string;
  readonly resource: string;
  readonly kind: ObjectKind;
  /** Finds the holders that are waited for, or the first of them; absent where none are known. */
  findHolders?(): Promise<readonly Holder[]>;
}

/** One wait. */
interface Wait {
  readonly startedAt: number;
  /** When it is reported next. */
  dueAt: number;
  isOver: boolean;
}

/**
 * Emits `stalled`, while it has listeners, for each wait that has lasted max(10 s, 3 leases), and
 * again after each further such span. One timer and one poll serve all waits for an object.
 */
export class SlowWaits {
  readonly #spanMs: number;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #failed: (error: Error) => void;
  readonly #crowds = new Map<string, Crowd>();

  constructor(clock: Clock, events: Events, leaseMs: number, failed: (error: Error) => void) {
    this.#clock = clock;
    this.#events = events;
    this.#failed = failed;
    this.#spanMs = Math.max(STALL_MIN_MS, 3 * leaseMs);
  }

  /** Watches a wait that began at `startedAt`; returns the function that stops watching. */
  watch(waited: Waited, startedAt: number): () => void {
    const { id } = waited;
    let crowd = this.#crowds.get(id);
    if (crowd === undefined) {
      crowd = new Crowd(this.#clock, this.#spanMs, (due) => this.#tellOf(waited, due));
      this.#crowds.set(id, crowd);
    }
    const joined = crowd;
    const wait = { startedAt, dueAt: startedAt + this.#spanMs, isOver: false };
    joined.add(wait);
    return () => {
      wait.isOver = true;
      if (joined.delete(wait) && joined.isEmpty) {
        this.#crowds.delete(id);
      }
    };
  }

  #tellOf(waited: Waited, due: ReadonlyMap<Wait, number>): void {
    if (!this.#events.wanted('stalled')) {
      return;
    }
    const { resource, kind } = waited;
    const found = waited.findHolders?.() ?? Promise.resolve([]);
    whenSettled(
      found,
      (holders) => {
        for (const [wait, waitedMs] of due) {
          if (!wait.isOver) {
            this.#events.emit('stalled', { resource, kind, waitedMs, holders });
          }
        }
      },
      (error) => this.#failed(error),
    );
  }
}

/** All waits for one object in this client. */
class Crowd {
  readonly #clock: Clock;
  readonly #spanMs: number;
  readonly #tellOf: (due: ReadonlyMap<Wait, number>) => void;
  readonly #waits = new Set<Wait>();
  #timer: Timer | undefined;
  #tickAt = Number.POSITIVE_INFINITY;

  /** `tellOf` gets the waits that have come due, with the milliseconds that each has lasted. */
  constructor(clock: Clock, spanMs: number, tellOf: (due: ReadonlyMap<Wait, number>) => void) {
    this.#clock = clock;
    this.#spanMs = spanMs;
    this.#tellOf = tellOf;
  }

  get isEmpty(): boolean {
    return this.#waits.size === 0;
  }

  add(wait: Wait): void {
    this.#waits.add(wait);
    if (wait.dueAt < this.#tickAt) {
      this.#schedule(wait.dueAt);
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
    for (const { dueAt } of this.#waits) {
      if (dueAt > lastAt && dueAt <= firstAt + TOGETHER * this.#spanMs) {
        lastAt = dueAt;
      }
    }
    if (lastAt > now) {
      this.#schedule(lastAt);
      return;
    }
    const due = new Map<Wait, number>();
    for (const wait of this.#waits) {
      if (wait.dueAt <= now) {
        const waitedMs = now - wait.startedAt;
        due.set(wait, Math.round(waitedMs));
        // After a pause of the process, one event stands for all spans that have passed.
        wait.dueAt = wait.startedAt + (Math.floor(waitedMs / this.#spanMs) + 1) * this.#spanMs;
      }
    }
    this.#schedule(this.#earliest);
    this.#tellOf(due);
  }

  get #earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { dueAt } of this.#waits) {
      earliest = Math.min(earliest, dueAt);
    }
    return earliest;
  }
}
