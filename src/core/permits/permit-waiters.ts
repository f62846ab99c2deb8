import { LinkedList } from '../base/linked-list.js';
import type { Clock } from '../base/clock.js';
import type { PermitWaiter } from './permit-source.js';

/** Maximum number of waiters of one call, and their maximum weight unless there is only one: each
 * call keeps the server busy for a short time only. */
const WAITERS_PER_CALL = 100;
const WEIGHT_PER_CALL = 1_000;

/** The local waiters for the permits of one semaphore, in order of arrival. */
export class PermitWaiters<W extends PermitWaiter> {
  /** Since when the head is the head. */
  headSince = 0;
  readonly #clock: Clock;
  readonly #all = new LinkedList<W>();
  /** The first waiter whose `blocked()` was not called yet; this may be so for all behind it. */
  #untold: W | undefined;
  /** How many wait, in contrast to those that are refused, and how many of them were told that they have to. */
  #willing = 0;
  #blocked = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get head(): W | undefined {
    return this.#all.first;
  }

  /** How many wait that were refused, or came behind one that was. */
  get waiting(): number {
    return this.#blocked === 0 ? 0 : this.#willing;
  }

  has(waiter: W): boolean {
    return waiter.list === this.#all;
  }

  /** Adds a waiter behind all others; `isBlocked`: it has to wait for sure. */
  add(waiter: W, isBlocked: boolean): void {
    if (this.head === undefined) {
      this.headSince = this.#clock.now();
    }
    this.#all.push(waiter);
    this.#willing += Number(waiter.waits);
    if (isBlocked) {
      this.#block(waiter);
    } else {
      this.#untold ??= waiter;
    }
  }

  /** Puts waiters whose grant was of no use back to the front, where they had been. */
  restore(waiters: readonly W[]): void {
    for (const waiter of waiters.toReversed()) {
      this.#all.unshift(waiter);
      this.#willing += Number(waiter.waits);
      this.#blocked += Number(waiter.isBlocked);
      this.#untold = waiter;
    }
    this.headSince = this.#clock.now();
  }

  /** False when the waiter was not in the list (any more). */
  delete(waiter: W): boolean {
    const wasHead = waiter === this.head;
    const { next }: W = waiter;
    if (!this.#all.delete(waiter)) {
      return false;
    }
    this.#willing -= Number(waiter.waits);
    this.#blocked -= Number(waiter.isBlocked);
    if (waiter === this.#untold) {
      this.#untold = next;
    }
    if (wasHead) {
      this.headSince = this.#clock.now();
    }
    return true;
  }

  /** The first waiters, as many as one call may ask for; at least one if there is any. */
  forOneCall(weightOf: (waiter: W) => number): W[] {
    const { head } = this;
    // Not a push, which would allocate room for seventeen: mostly there is one.
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

  /** Those whose object declares a number. */
  declaring(): W[] {
    const found: W[] = [];
    for (let waiter = this.head; waiter !== undefined; waiter = waiter.next) {
      if (waiter.number !== undefined) {
        found.push(waiter);
      }
    }
    return found;
  }

  /** All have to wait: tells those that do not know yet, and refuses those that do not wait. */
  block(): void {
    let waiter = this.#untold;
    this.#untold = undefined;
    while (waiter !== undefined) {
      const { next }: W = waiter;
      if (waiter.waits) {
        this.#block(waiter);
      } else {
        this.refuse([waiter], 0);
      }
      waiter = next;
    }
  }

  #block(waiter: W): void {
    this.#blocked += Number(!waiter.isBlocked);
    waiter.blocked();
  }

  /** Refuses those of `waiters` that do not wait and need at least `count`. */
  refuse(waiters: Iterable<W>, count: number): void {
    for (const waiter of waiters) {
      if (!waiter.waits && waiter.count >= count && this.delete(waiter)) {
        waiter.refused();
      }
    }
  }
}
