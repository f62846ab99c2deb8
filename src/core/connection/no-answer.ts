import { isReplyError } from './driver.js';
import type { Clock } from '../base/clock.js';
import { whenSettled } from '../base/async-context.js';
import type { Question } from './probe.js';
import { UnsupportedServerError } from '../../server-errors.js';

/** A server is asked at most this often why it does not answer; in between the last reason counts. */
const PERIOD_MS = 1_000;

/** Tells why attempts to connect failed, with the reason of the server where it gave no answer that the
 * driver has read. The next attempt does not wait for that. */
export class NoAnswer {
  readonly #clock: Clock;
  readonly #tell: (reason: Error) => void;
  /** Until when the last reason counts. */
  #until = Number.NEGATIVE_INFINITY;
  #reason: Error | undefined;
  /** Under way: the server is asked. A newer outcome makes its answer moot. */
  #question: object | undefined;

  constructor(clock: Clock, tell: (reason: Error) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** An attempt has failed with `error`; `ask` asks the server, where it would say more. */
  failed(error: Error, ask: Question | undefined): void {
    const isAnswer = error instanceof UnsupportedServerError || isReplyError(error);
    if (isAnswer || ask === undefined) {
      this.reset();
      this.#tell(error);
    } else if (this.#clock.now() < this.#until) {
      this.#tell(this.#reason ?? error);
    } else if (this.#question === undefined) {
      this.#await(ask(), error);
    }
  }

  /** The server is connected to, has given an answer, or does not matter any more. */
  reset(): void {
    this.#question = undefined;
    this.#until = Number.NEGATIVE_INFINITY;
  }

  #await(answer: Promise<Error | undefined>, error: Error): void {
    const question = {};
    this.#question = question;
    const settled = (reason?: Error): void => {
      if (this.#question === question) {
        this.#question = undefined;
        this.#reason = reason;
        this.#until = this.#clock.now() + PERIOD_MS;
        this.#tell(reason ?? error);
      }
    };
    whenSettled(answer, settled, () => settled());
  }
}
