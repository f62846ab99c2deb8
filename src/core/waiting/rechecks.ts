import { LinkedList, Linked } from '../base/linked-list.js';
import type { Clock, Timer } from '../base/clock.js';
import { batchesOf } from '../base/batches.js';
import type { Routes } from '../connection/router.js';

/** Re-checks that are due within this time of each other go together. */
const TOGETHER_MS = 250;

/** Something that waits, and is asked about from time to time. */
export abstract class Rechecked extends Linked {
  /** For the re-checks only. */
  dueAt = 0;
  abstract readonly key: string;
}

/** Asks about all that wait longer than one period, many with one command. */
export class Rechecks<W extends Rechecked> {
  readonly #clock: Clock;
  readonly #routes: Pick<Routes, 'groupOf'>;
  readonly #periodMs: number;
  readonly #ask: (batch: readonly W[]) => void;
  /** In the order in which they fall due, since all wait equally long. */
  readonly #waiting = new LinkedList<W>();
  #timer: Timer | undefined;

  /** `ask` sends one command about a batch. */
  constructor(
    clock: Clock,
    routes: Pick<Routes, 'groupOf'>,
    periodMs: number,
    ask: (batch: readonly W[]) => void,
  ) {
    this.#clock = clock;
    this.#routes = routes;
    this.#periodMs = periodMs;
    this.#ask = ask;
  }

  add(waiter: W): void {
    this.#waiting.delete(waiter);
    waiter.dueAt = this.#clock.now() + this.#periodMs;
    this.#waiting.push(waiter);
    this.#timer ??= this.#clock.after(this.#periodMs, this.#poll);
  }

  delete(waiter: W): void {
    this.#waiting.delete(waiter);
  }

  /** Asks about these now, whether or not they are due. */
  askNow(waiters: Iterable<W>): void {
    for (const batch of batchesOf([...waiters], ({ key }) => this.#routes.groupOf(key))) {
      this.#ask(batch);
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#waiting.clear();
  }

  readonly #poll = (): void => {
    const now = this.#clock.now();
    const due: W[] = [];
    for (let head = this.#waiting.first; head !== undefined; head = this.#waiting.first) {
      if (head.dueAt > now + TOGETHER_MS) {
        break;
      }
      this.#waiting.delete(head);
      due.push(head);
    }
    const { first } = this.#waiting;
    this.#timer = first && this.#clock.after(first.dueAt - now, this.#poll);
    this.askNow(due);
  };
}
