import type { Clock, Timer } from '../base/clock.js';

/** At most so many warnings of one kind are told in a minute. */
const PER_MINUTE = 10;
const MINUTE_MS = 60_000;

/** Admits so many warnings in a minute, and then tells how many more there were. */
export class MinuteLimit {
  readonly #clock: Clock;
  readonly #tellMore: (count: number) => void;
  #minuteSince = Number.NEGATIVE_INFINITY;
  #toldInMinute = 0;
  /** So many were not told, and that was not told either. */
  #more = 0;
  #isMoreTold = false;
  #timer: Timer | undefined;

  constructor(clock: Clock, tellMore: (count: number) => void) {
    this.#clock = clock;
    this.#tellMore = tellMore;
  }

  /** Whether one is to be told. It counts as told from then on. */
  admits(): boolean {
    if (this.#clock.now() - this.#minuteSince >= MINUTE_MS) {
      this.#tell();
      this.#minuteSince = this.#clock.now();
      this.#toldInMinute = 0;
      this.#isMoreTold = false;
    }
    if (this.#toldInMinute < PER_MINUTE) {
      this.#toldInMinute += 1;
      return true;
    }
    this.#more += 1;
    if (!this.#isMoreTold) {
      const leftMs = this.#minuteSince + MINUTE_MS - this.#clock.now();
      this.#timer ??= this.#clock.after(leftMs, () => this.#tell());
    }
    return false;
  }

  /** No timer may outlive this. */
  idle(): void {
    if (this.#timer !== undefined) {
      this.#tell();
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tell(): void {
    this.close();
    const more = this.#more;
    if (more > 0) {
      this.#more = 0;
      this.#isMoreTold = true;
      this.#tellMore(more);
    }
  }
}
