import type { Clock } from './clock.js';

/**
 * Runs a task once at the end of a turn of the event loop, however often that is requested in it. The input
 * that has arrived by then is handled before, and timers that are due together come before it, too.
 */
export class EndOfTurn {
  readonly #clock: Clock;
  readonly #task: () => void;
  #isRequested = false;

  constructor(clock: Clock, task: () => void) {
    this.#clock = clock;
    this.#task = task;
  }

  request(): void {
    if (!this.#isRequested) {
      this.#isRequested = true;
      // oxlint-disable-next-line no-restricted-properties -- no deadline is judged here
      this.#clock.afterInput(this.#run);
    }
  }

  readonly #run = (): void => {
    this.#isRequested = false;
    this.#task();
  };
}
