/** Time kept back from a lease for what the two clocks may differ. */
function marginMs(leaseMs: number): number {
  return Math.max(2, leaseMs / 100);
}

/** When a lease that a command sent at `sentAt` was granted ends, by our clock: the server counts
 * from when it ran. */
function endOf(sentAt: number, leaseMs: number): number {
  return sentAt + leaseMs - marginMs(leaseMs);
}

/** The instant until which a lease is proven, and what the server may know of it beyond that. */
export class LeaseDeadline {
  /** NaN until granted: what was never granted cannot be lost to the clock. */
  #deadline = Number.NaN;
  /** The end of the object itself, which no lease on it outlives. */
  #objectEnd = Number.POSITIVE_INFINITY;
  /** Where it is at the earliest if the server carries out what was sent to set it. */
  #ceiling = Number.POSITIVE_INFINITY;
  /** Calls that set it and are not settled. */
  #resets = 0;
  /** When the newest of them was sent that was carried out. */
  #resetAt = Number.NEGATIVE_INFINITY;
  /** Calls that may have moved it further on the server than is proven here. */
  #lengthenings = 0;

  get at(): number {
    return Math.min(this.#deadline, this.#ceiling, this.#objectEnd);
  }

  get isGranted(): boolean {
    return !Number.isNaN(this.#deadline);
  }

  /** Somebody sets it, so that no renewal may. */
  get isBeingSet(): boolean {
    return this.#resets > 0;
  }

  /** Somebody has set it, and nobody renews it any more. */
  get isSet(): boolean {
    return this.#resetAt !== Number.NEGATIVE_INFINITY;
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
    return this.#lengthenings + this.#resets > 0 || this.#objectEnd < this.#deadline;
  }

  start(sentAt: number, leaseMs: number): void {
    this.#deadline = endOf(sentAt, leaseMs);
  }

  /** The server has confirmed a lease of `leaseMs` to a command sent at `sentAt`. */
  prove(sentAt: number, leaseMs: number): void {
    // What ran before the end was set anew says nothing about it.
    const isNews = leaseMs > 0 && sentAt >= this.#resetAt;
    const deadline = isNews ? endOf(sentAt, leaseMs) : this.#deadline;
    this.#deadline = this.isGranted ? Math.max(this.#deadline, deadline) : deadline;
  }

  /** A call that may move it further is about to be made. */
  lengthening(): void {
    this.#lengthenings += 1;
  }

  /** Such a call was answered and no copy of it is left, or it was never sent and never will be. */
  lengthened(): void {
    this.#lengthenings -= 1;
  }

  /** The object has `lifeMs` to live, as told to a command sent at `sentAt`; < 0: no limit. */
  limit(sentAt: number, lifeMs: number): void {
    this.#objectEnd = lifeMs < 0 ? Number.POSITIVE_INFINITY : endOf(sentAt, lifeMs);
  }

  /** A call that sets it is about to be made, not before `now`. */
  resetting(now: number, leaseMs: number): void {
    this.#resets += 1;
    this.#ceiling = Math.min(this.#ceiling, endOf(now, leaseMs));
  }

  /** Such a call is settled: it was not sent before `sentAt` and was carried out, or (undefined) it
   * was not and never will be. */
  reset(sentAt: number | undefined, leaseMs: number): void {
    this.#resets -= 1;
    if (this.#resets === 0) {
      this.#ceiling = Number.POSITIVE_INFINITY;
    }
    if (sentAt === undefined) {
      return;
    }
    if (sentAt < this.#resetAt) {
      // Nobody can tell which of the two ran last: the earlier end counts.
      this.#deadline = Math.min(this.#deadline, endOf(sentAt, leaseMs));
      this.#lengthenings += 1;
    } else {
      this.#resetAt = sentAt;
      this.start(sentAt, leaseMs);
    }
  }
}
