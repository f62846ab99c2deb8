import type { Clock, Timer } from '../base/clock.js';
import { whenSettled } from '../base/async-context.js';
import { HELD_AROUND, type Events, type Holder, type ObjectKind } from './events.js';
import { LastSeen } from './last-seen.js';
import { circleOf, type Placed, type Surroundings } from './wait-circle.js';
import { WaitWarnings } from './wait-warnings.js';

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
  /** The part of the object that is waited for, where it has parts. */
  readonly part?: string;
  /** Finds the holders that are waited for, or the first of them; absent where none are known. */
  findHolders?(): Promise<readonly Holder[]>;
  /** Whether it is a semaphore whose number of permits nobody has set. */
  isUninitialised?(): boolean;
  /** Whether this client is a holder, where its holder ids do not show that. */
  isOwn?(holderId: string): boolean;
}

/** When a wait began, and when it ends at the latest. */
export interface WaitSpan {
  readonly startedAt: number;
  /** Infinity: it has no limit. */
  readonly endsAt: number;
  /** Contention rejects, with the holders; else the call answers null. */
  readonly rejects?: boolean;
  /** Set where it does, and they can be found. */
  lastSeen?: LastSeen | undefined;
}

/** One wait. */
interface Wait extends Placed, Pick<WaitSpan, 'startedAt' | 'endsAt'> {
  /** It is reported next when it has lasted so long. */
  spanMs: number;
  isOver: boolean;
}

/** The client whose waits are watched. */
export interface WaitTerms {
  /** A wait that has lasted so long is told. */
  readonly afterMs: number;
  readonly clientId: string;
}

/**
 * Emits `stalled`, while it has listeners, for each wait that has lasted `afterMs`, and again when
 * it has lasted two, four, eight times that; while it has none, waits without a limit are warned of, once a
 * name. One timer and one poll serve all waits for an object.
 */
export class SlowWaits {
  readonly #afterMs: number;
  readonly #ownPrefix: string;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #failed: (error: Error) => void;
  readonly #warnings: WaitWarnings;
  readonly #crowds = new Map<string, Crowd>();

  constructor(clock: Clock, events: Events, terms: WaitTerms, failed: (error: Error) => void) {
    this.#clock = clock;
    this.#events = events;
    this.#failed = failed;
    this.#afterMs = terms.afterMs;
    this.#ownPrefix = `${terms.clientId}:`;
    this.#warnings = new WaitWarnings(clock);
  }

  /** Watches a wait; returns the function that stops watching. Spans that have passed by now were reported
   * by the watch before this one. */
  watch(waited: Waited, span: WaitSpan, surroundings?: Surroundings): () => void {
    const { startedAt, endsAt } = span;
    const { id, resource, part: name = resource } = waited;
    let crowd = this.#crowds.get(id);
    if (crowd === undefined) {
      const joining = new Crowd(this.#clock, this.#afterMs, (due) =>
        this.#tellOf(waited, joining, due),
      );
      crowd = joining;
      this.#crowds.set(id, crowd);
    }
    const joined = crowd;
    const wait = { name, startedAt, endsAt, surroundings, spanMs: this.#afterMs, isOver: false };
    while (wait.spanMs < this.#clock.now() - startedAt) {
      wait.spanMs *= 2;
    }
    joined.add(wait);
    const look = this.#lookFor(waited, span, joined);
    return () => {
      wait.isOver = true;
      look?.cancel();
      if (joined.delete(wait) && joined.isEmpty) {
        this.#crowds.delete(id);
        if (this.#crowds.size === 0) {
          this.#warnings.idle();
        }
      }
    };
  }

  #lookFor(waited: Waited, span: WaitSpan, crowd: Crowd): Timer | undefined {
    const find = waited.findHolders?.bind(waited);
    if (find === undefined || span.rejects !== true || !Number.isFinite(span.endsAt)) {
      return undefined;
    }
    const isOwn = (holderId: string): boolean => this.#isOwn(waited, holderId);
    crowd.lastSeen ??= new LastSeen(this.#clock, find, isOwn);
    span.lastSeen = crowd.lastSeen;
    return crowd.lastSeen.lookBefore(span.endsAt);
  }

  #isOwn(waited: Waited, holderId: string): boolean {
    return waited.isOwn?.(holderId) ?? holderId.startsWith(this.#ownPrefix);
  }

  /** Nothing is warned of from now on. */
  close(): void {
    this.#warnings.close();
  }

  #tellOf(waited: Waited, crowd: Crowd, due: ReadonlyMap<Wait, number>): void {
    if (!this.#events.wanted('stalled')) {
      this.#warnOf(waited, crowd, due);
      return;
    }
    const { resource, kind } = waited;
    const state = {
      ...(waited.isUninitialised?.() === true ? { uninitialised: true as const } : {}),
      ...(waited.part === undefined ? {} : { part: waited.part }),
    };
    const found = waited.findHolders?.() ?? Promise.resolve([]);
    whenSettled(
      found,
      (holders) => {
        for (const [wait, waitedMs] of due) {
          const { size: waiters } = crowd;
          const note = wait.surroundings?.isHeldAround() === true ? { note: HELD_AROUND } : {};
          const event = { resource, kind, waitedMs, holders, waiters, ...state, ...note };
          // A listener may end other waits, too.
          this.#events.report('stalled', event, () => !wait.isOver);
        }
      },
      (error) => this.#failed(error),
    );
  }

  /** Warns of the longest of them that has no limit. */
  #warnOf(waited: Waited, crowd: Crowd, due: ReadonlyMap<Wait, number>): void {
    const { resource, kind, part } = waited;
    const endless = [...due.keys()]
      .filter(({ endsAt }) => endsAt === Number.POSITIVE_INFINITY)
      .toSorted((a, b) => a.startedAt - b.startedAt);
    if (endless.length === 0 || !this.#warnings.admits(resource)) {
      return;
    }
    whenSettled(
      waited.findHolders?.() ?? Promise.resolve(undefined),
      (holders) => {
        const wait = endless.find(({ isOver }) => !isOver);
        if (wait === undefined) {
          this.#warnings.notTold(resource);
          return;
        }
        this.#warnings.tell({
          resource,
          kind,
          part,
          waitedMs: due.get(wait) ?? 0,
          waiters: crowd.size,
          holders,
          isUninitialised: waited.isUninitialised?.() === true,
          isHeldAround: wait.surroundings?.isHeldAround() === true,
          circle: circleOf(wait, this.#waits()),
          isOwn: (holderId) => this.#isOwn(waited, holderId),
        });
      },
      // The connection reports why there is no answer. The next span asks again.
      () => this.#warnings.notTold(resource),
    );
  }

  *#waits(): Iterable<Wait> {
    for (const crowd of this.#crowds.values()) {
      yield* crowd.all;
    }
  }
}

/** When a wait is reported next. */
function dueAtOf({ startedAt, spanMs }: Wait): number {
  return startedAt + spanMs;
}

/** All waits for one object in this client. */
class Crowd {
  /** Set with the first wait that names holders at its end. */
  lastSeen: LastSeen | undefined;
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

  get all(): Iterable<Wait> {
    return this.#waits;
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
