import { LinkedList, Linked } from '../base/linked-list.js';
import type { WaitLimit } from '../waiting/wait-limit.js';
import type { ScopedHold } from './scopes.js';

/** How a wait for the mutex ended. */
export type MutexResult = 'taken' | 'closed' | 'ended';

class MutexWaiter extends Linked {
  readonly tell: (result: MutexResult) => void;

  constructor(tell: (result: MutexResult) => void) {
    super();
    this.tell = tell;
  }
}

/**
 * Makes the re-entries through one hold exclude each other, as parallel branches of one holder:
 * each keeps the mutex until its own hold ends. First come, first served.
 */
export class BranchMutex {
  /** The hold that keeps the mutex; undefined until that hold is granted. */
  owner: ScopedHold | undefined;
  #taken = false;
  #closed = false;
  readonly #waiters = new LinkedList<MutexWaiter>();

  /** Takes the mutex if it is free. */
  tryTake(): boolean {
    if (this.#taken || this.#closed) {
      return false;
    }
    this.#taken = true;
    return true;
  }

  /** Waits for the mutex; `closed`: its hold ended first, `ended`: the wait limit did. */
  take(waitLimit: WaitLimit): Promise<MutexResult> {
    if (this.#closed) {
      return Promise.resolve('closed');
    }
    if (waitLimit.ending !== undefined) {
      return Promise.resolve('ended');
    }
    if (this.tryTake()) {
      return Promise.resolve('taken');
    }
    return new Promise((resolve) => {
      const waiter = new MutexWaiter(resolve);
      this.#waiters.push(waiter);
      waitLimit.onEnd = () => {
        this.#waiters.delete(waiter);
        resolve('ended');
      };
    });
  }

  /** Hands the mutex to the next waiter. */
  free(): void {
    this.owner = undefined;
    const next = this.#waiters.first;
    if (next === undefined) {
      this.#taken = false;
    } else {
      this.#waiters.delete(next);
      next.tell('taken');
    }
  }

  /** The hold has ended: the waiters have to acquire in another way. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters.clear()) {
      waiter.tell('closed');
    }
  }
}
