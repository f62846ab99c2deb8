import type { Call, Receiver, Sending } from './call.js';
import { Expiring } from './expiry-queue.js';
import { translate } from './translate.js';

/** An answer, and the call that brought it. */
export interface Answered<R> {
  readonly answer: R;
  readonly call: Call<R>;
}

/** What all who ask have in common. */
export interface AskedHooks {
  /** True when the caller is still waiting; it is then served. */
  serve(asked: Expiring): boolean;
  /** The caller's time is up. */
  giveUp(): void;
  /** The call came to an end after its caller had given up. */
  finish(call: Sending, error?: Error): void;
}

/** A caller that waits for one answer, not longer than `commandTimeoutMs`. */
export class Asked<R> extends Expiring implements Receiver<R> {
  call: Call<R> | undefined;
  readonly #hooks: AskedHooks;
  readonly #resource: string;
  readonly #giveUp: (call: Call<R>) => Error;
  readonly #resolve: (answered: Answered<R>) => void;
  readonly #reject: (error: Error) => void;

  constructor(
    hooks: AskedHooks,
    resource: string,
    giveUp: (call: Call<R>) => Error,
    resolve: (answered: Answered<R>) => void,
    reject: (error: Error) => void,
  ) {
    super();
    this.#hooks = hooks;
    this.#resource = resource;
    this.#giveUp = giveUp;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  answered(answer: R, call: Call<R>): void {
    if (this.#hooks.serve(this)) {
      this.#resolve({ answer, call });
    } else {
      this.#hooks.finish(call);
    }
  }

  failed(error: Error, call: Call<R>): void {
    if (this.#hooks.serve(this)) {
      this.#reject(translate(error, this.#resource));
    } else {
      this.#hooks.finish(call, error);
    }
  }

  expired(): void {
    if (this.call !== undefined) {
      this.#reject(this.#giveUp(this.call));
    }
    this.#hooks.giveUp();
  }
}
