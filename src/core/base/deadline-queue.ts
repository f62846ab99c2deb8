import { Alarm, type Deadlines } from './alarm.js';
import { LinkedList, Linked } from './linked-list.js';
import { deadline, type Clock, type Timer } from './clock.js';

/** An entry whose `expired()` is called when its time is up. */
export abstract class Expiring extends Linked {
  /** For the queue only. */
  deadline = 0;
  /** For the queue only: the timer of an entry that has less time than the others. */
  sooner: Timer | undefined = undefined;

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
 * Deadlines that are all the same time away when they are set, and so fall due in the order of
 * setting: one timer serves them all, and setting or dropping one costs next to nothing.
 */
export class DeadlineQueue implements Deadlines {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #entries = new LinkedList<Expiring>();
  readonly #alarm: Alarm;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#alarm = new Alarm(clock, this);
  }

  /** `leftMs`: the time of an entry that has less than the others. */
  add(entry: Expiring, leftMs: number = this.#delayMs): void {
    if (leftMs < this.#delayMs) {
      entry.sooner = deadline(this.#clock, Math.max(0, leftMs), () => {
        if (this.#entries.delete(entry)) {
          entry.expired();
        }
      });
    }
    entry.deadline = this.#clock.now() + this.#delayMs;
    this.#entries.push(entry);
    this.#alarm.added(entry.deadline);
  }

  /** False when it had expired or was dropped before. */
  delete(entry: Expiring): boolean {
    entry.sooner?.cancel();
    return this.#entries.delete(entry);
  }

  /** When the first of them falls due. */
  get earliest(): number | undefined {
    return this.#entries.first?.deadline;
  }

  /** The first of them is due, or is taken for that. */
  due(): void {
    const head = this.#entries.first;
    if (head !== undefined) {
      this.#entries.delete(head);
      head.expired();
    }
  }

  close(): void {
    this.#alarm.close();
    this.#entries.clear();
  }
}
