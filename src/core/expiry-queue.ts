import { Chain, Chained } from './chain.js';
import type { Clock, Timer } from './clock.js';

/** Something that is told when its time is up. */
export abstract class Expiring extends Chained {
  /** For the queue only. */
  deadline = 0;

  abstract expired(): void;
}

/** A time limit that runs a function. */
export class Limit extends Expiring {
  readonly expired: () => void;

  constructor(expired: () => void) {
    super();
    this.expired = expired;
  }
}

/**
 * Deadlines that are all the same time away when they are set, and so come in the order in which
 * they were set: one timer serves them all, and setting or dropping one costs next to nothing.
 */
export class ExpiryQueue {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #entries = new Chain<Expiring>();
  #timer: Timer | undefined;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  add(entry: Expiring): void {
    entry.deadline = this.#clock.now() + this.#delayMs;
    this.#entries.push(entry);
    this.#timer ??= this.#clock.after(this.#delayMs, this.#expire);
  }

  /** False when it had expired or was dropped before. */
  delete(entry: Expiring): boolean {
    return this.#entries.delete(entry);
  }

  close(): void {
    this.#timer?.cancel();
    this.#entries.clear();
  }

  readonly #expire = (): void => {
    this.#timer = undefined;
    // What has arrived in time is handled first, however long this process was busy or stopped.
    this.#clock.afterInput(() => {
      const now = this.#clock.now();
      // Each step looks at the head anew: what expires may add and drop others.
      let head = this.#entries.first;
      while (head !== undefined && head.deadline <= now) {
        this.#entries.delete(head);
        head.expired();
        head = this.#entries.first;
      }
      if (head !== undefined) {
        this.#timer ??= this.#clock.after(head.deadline - now, this.#expire);
      }
    });
  };
}
