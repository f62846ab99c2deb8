import { LinkedList, Linked } from '../base/linked-list.js';
import { commandOf } from '../wire/call.js';
import type { Clock, Timer } from '../base/clock.js';
import { asError, integers } from '../wire/replies.js';
import type { Delivery } from '../delivery/delivery.js';
import { batchesOf } from '../base/batches.js';
import { waitsPoll } from '../wire/scripts.generated.js';
import type { Routes } from '../connection/router.js';
import { RECHECK_MAX_MS } from './timing.js';

/** Polls that are due within this time of each other go together. */
const TOGETHER_MS = 250;

/** A waiter that sleeps until a lock is free. */
export abstract class Sleeper extends Linked {
  /** For the re-checks only. */
  dueAt = 0;
  abstract readonly key: string;
  abstract readonly holderId: string;
  /** The lock is held by another for `ttlMs`; -1: without limit; -2: try to acquire it. */
  abstract polled(ttlMs: number): void;
}

/** Polls for all waiters that sleep longer than `RECHECK_MAX_MS`, many with one command. */
export class Rechecks {
  readonly #clock: Clock;
  readonly #routes: Pick<Routes, 'groupOf'>;
  readonly #delivery: Pick<Delivery, 'start'>;
  readonly #failed: (error: Error) => void;
  /** In the order in which they fall due, since all sleep equally long. */
  readonly #sleepers = new LinkedList<Sleeper>();
  #timer: Timer | undefined;

  constructor(
    clock: Clock,
    routes: Pick<Routes, 'groupOf'>,
    delivery: Pick<Delivery, 'start'>,
    failed: (error: Error) => void,
  ) {
    this.#clock = clock;
    this.#routes = routes;
    this.#delivery = delivery;
    this.#failed = failed;
  }

  add(sleeper: Sleeper): void {
    this.#sleepers.delete(sleeper);
    sleeper.dueAt = this.#clock.now() + RECHECK_MAX_MS;
    this.#sleepers.push(sleeper);
    this.#timer ??= this.#clock.after(RECHECK_MAX_MS, this.#poll);
  }

  delete(sleeper: Sleeper): void {
    this.#sleepers.delete(sleeper);
  }

  close(): void {
    this.#timer?.cancel();
    this.#sleepers.clear();
  }

  readonly #poll = (): void => {
    const now = this.#clock.now();
    const due: Sleeper[] = [];
    for (let head = this.#sleepers.first; head !== undefined; head = this.#sleepers.first) {
      if (head.dueAt > now + TOGETHER_MS) {
        break;
      }
      this.#sleepers.delete(head);
      due.push(head);
    }
    const { first } = this.#sleepers;
    this.#timer = first && this.#clock.after(first.dueAt - now, this.#poll);
    for (const batch of batchesOf(due, ({ key }) => this.#routes.groupOf(key))) {
      this.#pollAll(batch);
    }
  };

  #pollAll(sleepers: readonly Sleeper[]): void {
    const keys = { locks: sleepers.map(({ key }) => key) };
    const args = { holders: sleepers.map(({ holderId }) => holderId) };
    const command = commandOf(waitsPoll, keys, args);
    this.#delivery.start(command, {
      answered: (answer) => {
        try {
          const lives = integers(answer, sleepers.length);
          lives.forEach((ttlMs, i) => sleepers[i]?.polled(ttlMs));
        } catch (error) {
          this.#again(sleepers, asError(error));
        }
      },
      failed: (error) => this.#again(sleepers, error),
    });
  }

  #again(sleepers: readonly Sleeper[], error: Error): void {
    this.#failed(error);
    for (const sleeper of sleepers) {
      sleeper.polled(-1);
    }
  }
}
