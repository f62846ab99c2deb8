import { ClosedError, OutcomeUnknownError } from '../../errors.js';
import type { Call, Command, Receiver, PendingCall } from '../wire/call.js';
import { Expiring } from '../base/deadline-queue.js';
import { translate } from './translate.js';

/** What a call does, and so what becomes of it when the caller's time runs out: a `read` is
 * dropped; a `change` is dropped too, but may have been made; a `release` goes on behind. */
export type Purpose = 'read' | 'change' | 'release';

/** An answer, and the call that brought it. */
export interface Answered<R> {
  readonly answer: R;
  readonly call: Call<R>;
}

/** What is to be asked after an answer, for the same caller; undefined when that settles it. */
export type GoOn<R> = (answer: R) => Command<R> | undefined;

/** What all who ask have in common. */
export interface PendingReplyHooks {
  /** True when the caller is still waiting; it is then served. */
  serve(asked: Expiring): boolean;
  /** The caller's time is up. */
  giveUp(): void;
  /** The call came to an end after its caller had given up. */
  finish(call: PendingCall, error?: Error): void;
  start<R>(command: Command<R>, asked: PendingReply<R>): Call<R>;
}

const ignore = (): void => {};

/** A caller that waits for one answer, not longer than `commandTimeoutMs`. */
export class PendingReply<R> extends Expiring implements Receiver<R> {
  call: Call<R> | undefined;
  goOn: GoOn<R> | undefined;
  readonly #hooks: PendingReplyHooks;
  readonly #resource: string;
  readonly #purpose: Purpose;
  readonly #giveUp: (call: Call<R>) => Error;
  #resolve: (answered: Answered<R>) => void;
  #reject: (error: Error) => void;

  constructor(
    hooks: PendingReplyHooks,
    resource: string,
    purpose: Purpose,
    giveUp: (call: Call<R>) => Error,
    resolve: (answered: Answered<R>) => void,
    reject: (error: Error) => void,
  ) {
    super();
    this.#hooks = hooks;
    this.#resource = resource;
    this.#purpose = purpose;
    this.#giveUp = giveUp;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  answered(answer: R, call: Call<R>): void {
    const next = this.goOn?.(answer);
    if (next !== undefined) {
      this.call = this.#hooks.start(next, this);
      return;
    }
    if (this.#hooks.serve(this)) {
      this.#resolve({ answer, call });
    } else {
      this.#hooks.finish(call);
    }
  }

  failed(error: Error, call: Call<R>): void {
    if (this.#hooks.serve(this)) {
      this.#reject(this.#toCaller(error, call));
    } else {
      this.#hooks.finish(call, error);
    }
  }

  expired(): void {
    if (this.call !== undefined) {
      this.#reject(this.#giveUp(this.call));
    }
    // The call may go on for long; the promise, and with it the caller's context, need not stay.
    this.#resolve = ignore;
    this.#reject = ignore;
    this.#hooks.giveUp();
  }

  #toCaller(error: Error, call: Call<R>): Error {
    const resource = this.#resource;
    if (error instanceof ClosedError && this.#purpose !== 'read' && call.sent) {
      const message = `it is unknown whether the call on "${resource}" was carried out`;
      return new OutcomeUnknownError(`${message}: ${error.message}`, { resource, cause: error });
    }
    return translate(error, resource);
  }
}
