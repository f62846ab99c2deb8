import type { Clock, Timer } from './clock.js';

/** Something that is told when its time is up. */
export interface Expiring {
  expired(): void;
}

/**
 * Deadlines that are all the same time away when they are set, and so come in the order in which
 * they were set: one timer serves them all, and setting or dropping one costs next to nothing.
 */
export class ExpiryQueue {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #deadlines = new Map<Expiring, number>();
  #timer: Timer | undefined;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  add(entry: Expiring): void {
    this.#deadlines.set(entry, this.#clock.now() + this.#delayMs);
    this.#timer ??= this.#clock.after(this.#delayMs, () => this.#expire());
  }

  /** False when it had expired or was dropped before. */
  delete(entry: Expiring): boolean {
    return this.#deadlines.delete(entry);
  }

  close(): void {
    this.#timer?.cancel();
    this.#deadlines.clear();
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const [entry, deadline] of this.#deadlines) {
      if (deadline > now) {
        this.#timer = this.#clock.after(deadline - now, () => this.#expire());
        return;
      }
      this.#deadlines.delete(entry);
      entry.expired();
    }
  }
}
