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
 * Keeps the re-entries through one hold apart: each keeps the mutex until its own hold ends, so
 * parallel branches of one holder exclude each other. First come first served.
 */
export class BranchMutex {
  /** The hold that has it, as soon as there is one. */
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

  /** Waits for the mutex; `closed` when its hold ended first, `ended` when the wait did. */
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

  /** The hold has ended: whoever waits has to look again. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters.clear()) {
      waiter.tell('closed');
    }
  }
}
