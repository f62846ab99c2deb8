import type { Clock } from '../base/clock.js';

/** Time kept back from a lease, since the clocks of client and server may differ in speed. */
function marginMs(leaseMs: number): number {
  return Math.max(2, leaseMs / 100);
}

/** The end, by our clock, of a lease that was granted to a command sent at `sentAt`. The server
 * counts from when the command ran, which was not earlier. */
function endOf(sentAt: number, leaseMs: number): number {
  return sentAt + leaseMs - marginMs(leaseMs);
}

/** A call under way that may make the lease last longer on the server than is proven here. */
export class Lengthening {
  #settle: (() => void) | undefined;

  constructor(settle: () => void) {
    this.#settle = settle;
  }

  /** The call was answered and no copy of it is left, or it was never sent and never will be. A
   * second call does nothing. */
  settled(): void {
    this.#settle?.();
    this.#settle = undefined;
  }
}

/** A call under way that sets the deadline, perhaps to an earlier one. */
export interface DeadlineSetting {
  /** The call was carried out, and was not sent before `sentAt`. */
  carriedOut(sentAt: number): void;
  /** The call was not carried out and never will be. */
  cameToNothing(): void;
}

/** The proof lasts; it has ended, and an answer decides; it has ended by a step of a clock, and the server is
 * to be asked; it has ended. */
type Verdict = 'proven' | 'open' | 'stepped' | 'over';

/** The earliest deadline that the server may set when it carries out a call under way. */
interface Ceiling {
  readonly at: number;
}

const NO_CEILINGS: readonly Ceiling[] = [];

/** The instant until which a lease is proven, and whether the server may keep it for longer. */
export class LeaseDeadline {
  /** NaN until granted: a lease that was never granted cannot expire. */
  #deadline = Number.NaN;
  /** The instant from which it counts, and for how long. */
  #from = Number.NaN;
  #lengthMs = 0;
  #openUntil = Number.NEGATIVE_INFINITY;
  /** When the command was sent whose answer decides. */
  #openedAt = Number.NEGATIVE_INFINITY;
  /** The end of the object itself, which no lease on it outlives. */
  #objectEnd = Number.POSITIVE_INFINITY;
  /** One for each call under way that sets the deadline. */
  #ceilings: readonly Ceiling[] = NO_CEILINGS;
  /** The lowest of them. */
  #ceiling = Number.POSITIVE_INFINITY;
  /** When the newest call that has set the deadline was sent. */
  #setAt = Number.NEGATIVE_INFINITY;
  #isShortened = false;
  /** Number of calls under way that may lengthen the lease. */
  #lengthenings = 0;
  /** The bound of its holder: the lease ends by then, whatever the server keeps. */
  endsBy: number = Number.POSITIVE_INFINITY;

  get at(): number {
    return Math.min(this.#deadline, this.#ceiling, this.#objectEnd, this.endsBy);
  }

  /** It lasts as long as its bound allows. */
  get isAtBound(): boolean {
    // Milliseconds are rounded down.
    return this.#from + this.#lengthMs >= this.endsBy - 1;
  }

  /** Milliseconds until the proof ends, or else until no answer can prove it any more. */
  nextMs(now: number): number {
    return (now < this.at ? this.at : Math.min(this.#openUntil, this.endsBy)) - now;
  }

  /** Milliseconds until it is known to be lost, unless it is proven again. */
  leftMs(now: number): number {
    return Math.max(0, this.at - now, Math.min(this.#openUntil, this.endsBy) - now);
  }

  /** A command that may prove a lease of `leaseMs` was sent at `sentAt`, and its answer decides. */
  open(sentAt: number, leaseMs: number): void {
    this.#openedAt = sentAt;
    this.#openUntil = endOf(sentAt, leaseMs);
  }

  /** That answer has come, or does not come any more. */
  close(): void {
    this.#openUntil = Number.NEGATIVE_INFINITY;
  }

  /**
   * Returns the verdict of the instants. Where the proof has ended, an answer may decide (`open`): a holder id
   * is granted once, so if the server still has it, nobody was let in. `mayBeProven`: that is so.
   */
  judge(clock: Pick<Clock, 'now' | 'steppedSince'>, mayBeProven: boolean): Verdict {
    const at = clock.now();
    if (at < this.at || !this.isGranted) {
      return 'proven';
    }
    if (at >= this.endsBy) {
      return 'over';
    }
    if (mayBeProven && at < this.#openUntil) {
      return 'open';
    }
    // No clock tells a machine that was suspended from a wall clock that was set.
    if (mayBeProven && at - clock.steppedSince(this.#from) < this.at) {
      this.open(at, this.#lengthMs);
      return 'stepped';
    }
    return 'over';
  }

  get isGranted(): boolean {
    return !Number.isNaN(this.#deadline);
  }

  /** A call that sets the deadline is under way, so no renewal may move it. */
  get isBeingSet(): boolean {
    return this.#ceilings.length > 0;
  }

  /** The owner has set the deadline, so it is not renewed any more. */
  get isSet(): boolean {
    return this.#setAt !== Number.NEGATIVE_INFINITY;
  }

  /** The deadline is this early only because the outcome of a call is unknown. */
  get isCautious(): boolean {
    return this.at === this.#ceiling;
  }

  /** The deadline is this early because the object itself ends then. */
  get isOfObject(): boolean {
    return this.at === this.#objectEnd;
  }

  /** The deadline is this early because another client has set it. */
  get isShortened(): boolean {
    return this.#isShortened;
  }

  /** True when the server may keep the lease for longer. */
  get mayBeLater(): boolean {
    const isBounded = this.endsBy !== Number.POSITIVE_INFINITY;
    return (
      isBounded || this.#lengthenings > 0 || this.isBeingSet || this.#objectEnd < this.#deadline
    );
  }

  start(sentAt: number, leaseMs: number): void {
    this.#count(sentAt, leaseMs);
    this.#isShortened = false;
  }

  /** Another client has set an earlier end: `leftMs`, as answered to a command sent at `sentAt`. */
  shorten(sentAt: number, leftMs: number): void {
    this.start(sentAt, leftMs);
    this.close();
    this.#isShortened = true;
  }

  /** The server has confirmed a lease of `leaseMs` to a command sent at `sentAt`. */
  prove(sentAt: number, leaseMs: number): void {
    // A command that ran before the end was set anew says nothing about the new end.
    const isNews = leaseMs > 0 && sentAt >= this.#setAt;
    if (isNews && sentAt >= this.#openedAt) {
      this.close();
    }
    if (isNews && !(endOf(sentAt, leaseMs) <= this.#deadline)) {
      this.#count(sentAt, leaseMs);
    }
    this.#isShortened &&= !isNews;
  }

  /** The object has `lifeMs` to live, as answered to a command sent at `sentAt`; < 0: no limit. */
  limit(sentAt: number, lifeMs: number): void {
    this.#objectEnd = lifeMs < 0 ? Number.POSITIVE_INFINITY : endOf(sentAt, lifeMs);
  }

  /** A call that may lengthen the lease is about to be made. */
  lengthening(): Lengthening {
    this.#lengthenings += 1;
    return new Lengthening(() => {
      this.#lengthenings -= 1;
    });
  }

  /** A call that sets the deadline is about to be made, not before `now`. */
  setting(now: number, leaseMs: number): DeadlineSetting {
    const ceiling: Ceiling = { at: endOf(now, leaseMs) };
    this.#limitTo([...this.#ceilings, ceiling]);
    const cameToNothing = (): void => {
      this.#limitTo(this.#ceilings.filter((other) => other !== ceiling));
    };
    return {
      cameToNothing,
      carriedOut: (sentAt) => {
        cameToNothing();
        this.#set(sentAt, leaseMs);
      },
    };
  }

  #limitTo(ceilings: readonly Ceiling[]): void {
    this.#ceilings = ceilings;
    this.#ceiling = ceilings.reduce((lowest, { at }) => Math.min(lowest, at), Infinity);
  }

  #count(from: number, lengthMs: number): void {
    this.#from = from;
    this.#lengthMs = lengthMs;
    this.#deadline = endOf(from, lengthMs);
  }

  #set(sentAt: number, leaseMs: number): void {
    if (sentAt < this.#setAt) {
      // It is unknown which of the two ran last: the earlier end counts, and the server may keep
      // the later one for good.
      this.#deadline = Math.min(this.#deadline, endOf(sentAt, leaseMs));
      this.lengthening();
    } else {
      this.#setAt = sentAt;
      this.start(sentAt, leaseMs);
    }
  }
}
