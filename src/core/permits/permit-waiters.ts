import { LinkedList } from '../base/linked-list.js';
import type { Clock } from '../base/clock.js';
import type { PermitWaiter } from './permit-source.js';

/** Waiters that one call asks for at most, and what they weigh together unless it is one alone: the
 * server is never busy with it for long. */
const WAITERS_PER_CALL = 100;
const WEIGHT_PER_CALL = 1_000;

/** Those who wait for the permits of one semaphore, in order of arrival. */
export class PermitWaiters<W extends PermitWaiter> {
  /** Since when the first of them stands in front of all others. */
  headSince = 0;
  readonly #clock: Clock;
  readonly #all = new LinkedList<W>();
  /** From here on they may not have been told yet that they have to wait. */
  #untold: W | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The first of them. */
  get head(): W | undefined {
    return this.#all.first;
  }

  has(waiter: W): boolean {
    return waiter.chain === this.#all;
  }

  /** Adds a waiter behind all others; with `isBlocked` it is told at once that it has to wait. */
  add(waiter: W, isBlocked: boolean): void {
    if (this.head === undefined) {
      this.headSince = this.#clock.now();
    }
    this.#all.push(waiter);
    if (isBlocked) {
      waiter.blocked();
    } else {
      this.#untold ??= waiter;
    }
  }

  /** Puts waiters that were served in vain in front of all others, where they had been. */
  restore(waiters: readonly W[]): void {
    for (const waiter of waiters.toReversed()) {
      this.#all.unshift(waiter);
      this.#untold = waiter;
    }
    this.headSince = this.#clock.now();
  }

  /** False when it was not there (any more). */
  delete(waiter: W): boolean {
    const wasHead = waiter === this.head;
    const { next }: W = waiter;
    if (!this.#all.delete(waiter)) {
      return false;
    }
    if (waiter === this.#untold) {
      this.#untold = next;
    }
    if (wasHead) {
      this.headSince = this.#clock.now();
    }
    return true;
  }

  /** Those that one call may ask for: the first ones, at least one if there is any. */
  forOneCall(weightOf: (waiter: W) => number): W[] {
    const { head } = this;
    // Not pushed: that would make room for seventeen, and mostly there is one.
    const chosen = head === undefined ? [] : [head];
    let weight = head === undefined ? 0 : weightOf(head);
    for (let next = head?.next; next !== undefined; next = next.next) {
      weight += weightOf(next);
      if (chosen.length === WAITERS_PER_CALL || weight > WEIGHT_PER_CALL) {
        break;
      }
      chosen.push(next);
    }
    return chosen;
  }

  /** All have to wait: tells those who do not know yet, and refuses who does not wait. */
  block(): void {
    let waiter = this.#untold;
    this.#untold = undefined;
    while (waiter !== undefined) {
      const { next }: W = waiter;
      if (waiter.waits) {
        waiter.blocked();
      } else {
        this.refuse([waiter], 0);
      }
      waiter = next;
    }
  }

  /** Refuses those of `waiters` who do not wait and need at least `count`. */
  refuse(waiters: Iterable<W>, count: number): void {
    for (const waiter of waiters) {
      if (!waiter.waits && waiter.count >= count && this.delete(waiter)) {
        waiter.refused();
      }
    }
  }
}
