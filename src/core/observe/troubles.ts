import { deadline, type Clock, type Timer } from '../base/clock.js';

/** Is told what keeps the client from working, so that people can be told. */
export interface Health {
  /** A trouble goes on, until `up` is called for all of its sources. `why` is asked when it is told.
   *
   * @param what the trouble in words, which names it
   * @param source one of those that have it
   */
  down(what: string, source: unknown, why: () => Error): void;
  up(what: string, source: unknown): void;
  /** Like `down`, for a trouble that nothing ends: it is over when it has not been shown for two
   * seconds. */
  shown(what: string, cause: Error): void;
}

/** Tells people: once about a trouble, and once that it is over. */
export interface Announcer {
  /** Somebody hears of errors anyway. */
  isHeard(): boolean;
  began(what: string, cause: Error): void;
  over(what: string, lastedMs: number): void;
}

/** A trouble that passes within this time is not told. */
const TOLD_AFTER_MS = 1_000;
/** Refused calls are sent again sooner than this, so that a trouble that lasts keeps showing. */
const SHOWS_EVERY_MS = 500;
/** A trouble that has not shown for this time is over. */
const OVER_AFTER_MS = 2_000;

interface Trouble {
  readonly since: number;
  readonly sources: Set<unknown>;
  why: () => Error;
  shownAt: number;
  isTold: boolean;
  timer: Timer | undefined;
}

/** The source of troubles that show now and then. */
const SHOWN = Symbol('shown');

/**
 * A client without a server waits, which looks like a program that hangs. While nobody listens to
 * its errors, a trouble that lasts is told once, and once more when it is over.
 */
export class Troubles implements Health {
  readonly #clock: Clock;
  readonly #announcer: Announcer;
  readonly #troubles = new Map<string, Trouble>();
  #closed = false;

  constructor(clock: Clock, announcer: Announcer) {
    this.#clock = clock;
    this.#announcer = announcer;
  }

  down(what: string, source: unknown, why: () => Error): void {
    if (this.#closed) {
      return;
    }
    const trouble = this.#troubleOf(what, why);
    trouble.sources.add(source);
    trouble.why = why;
  }

  up(what: string, source: unknown): void {
    const trouble = this.#troubles.get(what);
    if (trouble?.sources.delete(source) === true && trouble.sources.size === 0) {
      this.#end(what, trouble);
    }
  }

  shown(what: string, cause: Error): void {
    this.down(what, SHOWN, () => cause);
    const trouble = this.#troubles.get(what);
    if (trouble !== undefined) {
      trouble.shownAt = this.#clock.now();
    }
  }

  /** The client is closing: what its connections report from now on is no news. */
  close(): void {
    this.#closed = true;
    for (const trouble of this.#troubles.values()) {
      trouble.timer?.cancel();
    }
    this.#troubles.clear();
  }

  #troubleOf(what: string, why: () => Error): Trouble {
    let trouble = this.#troubles.get(what);
    if (trouble === undefined) {
      const now = this.#clock.now();
      const sources = new Set();
      trouble = { since: now, sources, why, shownAt: now, isTold: false, timer: undefined };
      this.#troubles.set(what, trouble);
      this.#lookLater(what, trouble);
    }
    return trouble;
  }

  #lookLater(what: string, trouble: Trouble): void {
    // A process that was blocked has to handle its input first: it may be connected by now.
    trouble.timer = deadline(this.#clock, TOLD_AFTER_MS, () => this.#look(what, trouble));
  }

  #look(what: string, trouble: Trouble): void {
    const quietMs = this.#clock.now() - trouble.shownAt;
    const isShown = trouble.sources.has(SHOWN);
    if (isShown && quietMs >= OVER_AFTER_MS) {
      this.#end(what, trouble);
      return;
    }
    const lasts = !isShown || quietMs < SHOWS_EVERY_MS;
    if (lasts && !trouble.isTold && !this.#announcer.isHeard()) {
      trouble.isTold = true;
      this.#announcer.began(what, trouble.why());
    }
    this.#lookLater(what, trouble);
  }

  #end(what: string, trouble: Trouble): void {
    trouble.timer?.cancel();
    this.#troubles.delete(what);
    if (trouble.isTold) {
      this.#announcer.over(what, this.#clock.now() - trouble.since);
    }
  }
}
