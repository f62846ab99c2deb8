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
  /** A trouble has shown, and shows again soon if it goes on: calls that are refused are sent again.
   * `source` has it until `up`. */
  shown(what: string, source: unknown, cause: Error): void;
}

/** Tells people: once about a trouble, and once that it is over. */
export interface Announcer {
  /** Somebody hears of errors anyway. */
  isHeard(): boolean;
  began(what: string, cause: Error): void;
  /** Tells those who hear of errors of a trouble that no error has reported. */
  report(what: string, cause: Error): void;
  over(what: string, lastedMs: number): void;
}

/** A trouble that passes within this time is not told. */
const TOLD_AFTER_MS = 1_000;
/** Refused calls are sent again within a second, so that a trouble that lasts keeps showing. */
const SHOWS_EVERY_MS = 1_500;
/** One that has shown for less than this may have passed. */
const SHOWS_FOR_MS = 250;
/** A trouble that has not shown for this time is forgotten: nobody makes such calls any more. */
const FORGOTTEN_AFTER_MS = 60_000;
/** So many names of objects that are refused are kept apart. */
const SOURCES_MAX = 1_000;

interface Trouble {
  readonly since: number;
  readonly sources: Set<unknown>;
  why: () => Error;
  /** When it was shown last; undefined for one that goes on until it is over. */
  shownAt: number | undefined;
  isTold: boolean;
  isReported: boolean;
  timer: Timer | undefined;
}

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
    this.#has(what, source, why, undefined);
  }

  up(what: string, source: unknown): void {
    const trouble = this.#troubles.get(what);
    if (trouble?.sources.delete(source) === true && trouble.sources.size === 0) {
      this.#end(what, trouble);
    }
  }

  shown(what: string, source: unknown, cause: Error): void {
    this.#has(what, source, () => cause, this.#clock.now());
  }

  /** The client is closing: what its connections report from now on is no news. */
  close(): void {
    this.#closed = true;
    for (const trouble of this.#troubles.values()) {
      trouble.timer?.cancel();
    }
    this.#troubles.clear();
  }

  #has(what: string, source: unknown, why: () => Error, shownAt: number | undefined): void {
    if (this.#closed) {
      return;
    }
    let trouble = this.#troubles.get(what);
    if (trouble === undefined) {
      const state = { isTold: false, isReported: false, timer: undefined };
      const since = this.#clock.now();
      trouble = { since, sources: new Set(), why, shownAt, ...state };
      this.#troubles.set(what, trouble);
      this.#lookLater(what, trouble);
    }
    if (trouble.sources.size < SOURCES_MAX) {
      trouble.sources.add(source);
    }
    trouble.why = why;
    trouble.shownAt = shownAt;
  }

  #lookLater(what: string, trouble: Trouble): void {
    // A process that was blocked has to handle its input first: it may be connected by now.
    trouble.timer = deadline(this.#clock, TOLD_AFTER_MS, () => this.#look(what, trouble));
  }

  #look(what: string, trouble: Trouble): void {
    const { shownAt } = trouble;
    const quietMs = shownAt === undefined ? 0 : this.#clock.now() - shownAt;
    if (quietMs >= FORGOTTEN_AFTER_MS) {
      this.#troubles.delete(what);
      return;
    }
    const shownForMs = shownAt === undefined ? SHOWS_FOR_MS : shownAt - trouble.since;
    if (quietMs < SHOWS_EVERY_MS && shownForMs >= SHOWS_FOR_MS) {
      this.#tell(what, trouble);
    }
    this.#lookLater(what, trouble);
  }

  #tell(what: string, trouble: Trouble): void {
    const isHeard = this.#announcer.isHeard();
    if (!isHeard && !trouble.isTold) {
      trouble.isTold = true;
      this.#announcer.began(what, trouble.why());
    } else if (isHeard && !trouble.isReported && trouble.shownAt !== undefined) {
      trouble.isReported = true;
      this.#announcer.report(what, trouble.why());
    }
  }

  #end(what: string, trouble: Trouble): void {
    trouble.timer?.cancel();
    this.#troubles.delete(what);
    if (trouble.isTold) {
      this.#announcer.over(what, this.#clock.now() - trouble.since);
    }
  }
}
