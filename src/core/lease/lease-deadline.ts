/** Time kept back from a lease for what the two clocks may differ. */
function marginMs(leaseMs: number): number {
  return Math.max(2, leaseMs / 100);
}

/** When a lease that a command sent at `sentAt` was granted ends, by our clock: the server counts
 * from when it ran. */
function endOf(sentAt: number, leaseMs: number): number {
  return sentAt + leaseMs - marginMs(leaseMs);
}

/** A call under way that may move a deadline further on the server than is proven here. */
export class Lengthening {
  #settle: (() => void) | undefined;

  constructor(settle: () => void) {
    this.#settle = settle;
  }

  /** It was answered and no copy of it is left, or it was never sent and never will be. Nothing
   * happens the second time. */
  settled(): void {
    this.#settle?.();
    this.#settle = undefined;
  }
}

/** A call under way that sets a deadline, perhaps to an earlier one. */
export interface DeadlineSetting {
  /** It was carried out, and was not sent before `sentAt`. */
  carriedOut(sentAt: number): void;
  /** It was not carried out and never will be. */
  cameToNothing(): void;
}

/** Where a deadline is at the earliest if the server carries out what was sent to set it. */
interface Ceiling {
  readonly at: number;
}

const NO_CEILINGS: readonly Ceiling[] = [];

/** The instant until which a lease is proven, and what the server may know of it beyond that. */
export class LeaseDeadline {
  /** NaN until granted: what was never granted cannot be lost to the clock. */
  #deadline = Number.NaN;
  /** The end of the object itself, which no lease on it outlives. */
  #objectEnd = Number.POSITIVE_INFINITY;
  /** Those of the calls under way that set it. */
  #ceilings: readonly Ceiling[] = NO_CEILINGS;
  /** The lowest of them. */
  #ceiling = Number.POSITIVE_INFINITY;
  /** When the newest call that sets it was sent, of those that were carried out. */
  #setAt = Number.NEGATIVE_INFINITY;
  /** Calls under way that lengthen it. */
  #lengthenings = 0;

  get at(): number {
    return Math.min(this.#deadline, this.#ceiling, this.#objectEnd);
  }

  get isGranted(): boolean {
    return !Number.isNaN(this.#deadline);
  }

  /** A call that sets it is under way, so that no renewal may move it. */
  get isBeingSet(): boolean {
    return this.#ceilings.length > 0;
  }

  /** Somebody has set it, and nobody renews it any more. */
  get isSet(): boolean {
    return this.#setAt !== Number.NEGATIVE_INFINITY;
  }

  /** It is there only because the outcome of a call is unknown. */
  get isCautious(): boolean {
    return this.at === this.#ceiling;
  }

  /** It is there because the object ends. */
  get isOfObject(): boolean {
    return this.at === this.#objectEnd;
  }

  /** True when the server may keep the lease for longer. */
  get mayBeLater(): boolean {
    return this.#lengthenings > 0 || this.isBeingSet || this.#objectEnd < this.#deadline;
  }

  start(sentAt: number, leaseMs: number): void {
    this.#deadline = endOf(sentAt, leaseMs);
  }

  /** The server has confirmed a lease of `leaseMs` to a command sent at `sentAt`. */
  prove(sentAt: number, leaseMs: number): void {
    // What ran before the end was set anew says nothing about it.
    const isNews = leaseMs > 0 && sentAt >= this.#setAt;
    const deadline = isNews ? endOf(sentAt, leaseMs) : this.#deadline;
    this.#deadline = this.isGranted ? Math.max(this.#deadline, deadline) : deadline;
  }

  /** The object has `lifeMs` to live, as told to a command sent at `sentAt`; < 0: no limit. */
  limit(sentAt: number, lifeMs: number): void {
    this.#objectEnd = lifeMs < 0 ? Number.POSITIVE_INFINITY : endOf(sentAt, lifeMs);
  }

  /** A call that may move it further is about to be made. */
  lengthening(): Lengthening {
    this.#lengthenings += 1;
    return new Lengthening(() => {
      this.#lengthenings -= 1;
    });
  }

  /** A call that sets it is about to be made, not before `now`. */
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

  #set(sentAt: number, leaseMs: number): void {
    if (sentAt < this.#setAt) {
      // Nobody can tell which of the two ran last: the earlier end counts, and the server may have
      // the later one for good.
      this.#deadline = Math.min(this.#deadline, endOf(sentAt, leaseMs));
      this.lengthening();
    } else {
      this.#setAt = sentAt;
      this.start(sentAt, leaseMs);
    }
  }
}
