import { soon } from '../base/async-context.js';
import type { Clock, Timer } from '../base/clock.js';
import { asError } from '../wire/replies.js';

/** While the map of slots has gaps, or a node is down, it is read again this often. */
const PERIOD_MS = 200;

/** The owner of a map of slots. */
export interface MapOwner {
  /** Reads the map; true when it was read. */
  read(): Promise<boolean>;
  /** Slots without a master, or masters without a connection. */
  hasGaps(): boolean;
  fault(error: Error): void;
}

/** Reads the map of slots at once when something shows that it has changed, and not all the time. */
export class MapRefresh {
  readonly #clock: Clock;
  readonly #owner: MapOwner;
  #isReading = false;
  #isWanted = false;
  #readAt = Number.NEGATIVE_INFINITY;
  #next: Timer | undefined;
  #isClosed = false;

  constructor(clock: Clock, owner: MapOwner) {
    this.#clock = clock;
    this.#owner = owner;
  }

  soon(): void {
    // An answer that is under way may be older than this.
    this.#isWanted = true;
    if (this.#isClosed || this.#isReading) {
      return;
    }
    const waitMs = this.#readAt + PERIOD_MS - this.#clock.now();
    if (waitMs > 0) {
      // An error that repeats must not make the client read the map all the time.
      this.#later(waitMs);
      return;
    }
    this.#isReading = true;
    this.#isWanted = false;
    soon(() => void this.#read());
  }

  close(): void {
    this.#isClosed = true;
    this.#next?.cancel();
  }

  async #read(): Promise<void> {
    try {
      if (await this.#owner.read()) {
        this.#readAt = this.#clock.now();
      }
    } catch (error) {
      this.#owner.fault(asError(error));
    } finally {
      this.#isReading = false;
      if (!this.#isClosed && (this.#isWanted || this.#owner.hasGaps())) {
        this.#later(PERIOD_MS);
      }
    }
  }

  #later(waitMs: number): void {
    this.#next?.cancel();
    this.#next = this.#clock.after(waitMs, () => this.soon());
  }
}
