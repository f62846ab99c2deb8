import type { Patience } from './patience.js';
import type { ScopedHold } from './scopes.js';

/** How a wait for the mutex ended. */
export type MutexResult = 'taken' | 'closed' | 'ended';

/**
 * Keeps the re-entries through one hold apart: each keeps the mutex until its own hold ends, so
 * parallel branches of one holder exclude each other. First come first served.
 */
export class LocalMutex {
  /** The hold that has it, as soon as there is one. */
  owner: ScopedHold | undefined;
  #taken = false;
  #closed = false;
  readonly #waiters = new Set<(result: MutexResult) => void>();

  /** Takes the mutex if it is free. */
  tryTake(): boolean {
    if (this.#taken || this.#closed) {
      return false;
    }
    this.#taken = true;
    return true;
  }

  /** Waits for the mutex; `closed` when its hold ended first, `ended` when patience did. */
  take(patience: Patience): Promise<MutexResult> {
    if (this.#closed) {
      return Promise.resolve('closed');
    }
    if (patience.ending !== undefined) {
      return Promise.resolve('ended');
    }
    if (this.tryTake()) {
      return Promise.resolve('taken');
    }
    return new Promise((resolve) => {
      this.#waiters.add(resolve);
      patience.onEnd = () => {
        this.#waiters.delete(resolve);
        resolve('ended');
      };
    });
  }

  /** Hands the mutex to the next waiter. */
  free(): void {
    this.owner = undefined;
    const [next] = this.#waiters;
    if (next === undefined) {
      this.#taken = false;
    } else {
      this.#waiters.delete(next);
      next('taken');
    }
  }

  /** The hold has ended: whoever waits has to look again. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters) {
      waiter('closed');
    }
    this.#waiters.clear();
  }
}
