import { LinkedList, Linked } from '../base/linked-list.js';
import { commandOf } from '../wire/call.js';
import type { Clock, Timer } from '../base/clock.js';
import { asError, integers } from '../wire/replies.js';
import type { Delivery } from '../delivery/delivery.js';
import { batchesOf } from '../base/batches.js';
import { waitsPoll } from '../wire/scripts.generated.js';
import type { Routes } from '../connection/router.js';

/** Re-checks that are due within this time of each other go together. */
const TOGETHER_MS = 250;

/** Something that waits, and is asked about from time to time. */
export abstract class Rechecked extends Linked {
  /** For the re-checks only. */
  dueAt = 0;
  abstract readonly key: string;
}

/** A waiter that sleeps until a lock is free. */
export abstract class Sleeper extends Rechecked {
  abstract readonly holderId: string;
  /** The lock is held by another for `ttlMs`; -1: without limit; -2: try to acquire it. */
  abstract polled(ttlMs: number): void;
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

/** Asks whether the locks that some wait for are free. */
export function pollSleepers(
  delivery: Pick<Delivery, 'start'>,
  sleepers: readonly Sleeper[],
  report: (error: Error) => void,
): void {
  const again = (error: Error): void => {
    report(error);
    for (const sleeper of sleepers) {
      sleeper.polled(-1);
    }
  };
  const keys = { locks: sleepers.map(({ key }) => key) };
  const args = { holders: sleepers.map(({ holderId }) => holderId) };
  delivery.start(commandOf(waitsPoll, keys, args), {
    answered: (answer) => {
      try {
        const lives = integers(answer, sleepers.length);
        lives.forEach((ttlMs, i) => sleepers[i]?.polled(ttlMs));
      } catch (error) {
        again(asError(error));
      }
    },
    failed: again,
  });
}
