import { failing } from '../core/base/failing.js';
import type { Clock } from '../core/base/clock.js';
import type { Ending, WaitLimit } from '../core/waiting/wait-limit.js';

const ignore = (): void => {};

/** The steps of a wait, one after the other: each ends with the wait at the latest. */
export class Steps {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #waitLimit: WaitLimit;
  readonly #errorOf: (ending: Ending) => unknown;

  constructor(
    clock: Pick<Clock, 'after'>,
    waitLimit: WaitLimit,
    errorOf: (ending: Ending) => unknown,
  ) {
    this.#clock = clock;
    this.#waitLimit = waitLimit;
    this.#errorOf = errorOf;
  }

  /** `begin` gets the functions that settle the step, and returns the one that ends it. */
  run<T>(
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
  ): Promise<T> {
    const waitLimit = this.#waitLimit;
    if (waitLimit.ending !== undefined) {
      return failing(this.#errorOf(waitLimit.ending), waitLimit.ending);
    }
    return new Promise<T>((resolve) => {
      let end = ignore;
      const failed = (error: unknown): void => {
        waitLimit.onEnd = undefined;
        resolve(failing(error, waitLimit.ending));
      };
      waitLimit.onEnd = (ending) => {
        end();
        failed(this.#errorOf(ending));
      };
      end = begin((value) => {
        waitLimit.onEnd = undefined;
        resolve(value);
      }, failed);
    });
  }

  async sleep(ms: number): Promise<void> {
    await this.run<void>((resolve) => {
      const timer = this.#clock.after(ms, resolve);
      return () => timer.cancel();
    });
  }
}
