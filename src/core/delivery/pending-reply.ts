import { ClosedError } from '../../errors.js';
import { hasNeverRun } from '../connection/server-errors.js';
import { TooLateError } from '../wire/call.js';
import type { Call, CallTerms, Command, Receiver, PendingCall } from '../wire/call.js';
import { Expiring } from '../base/deadline-queue.js';
import { failing } from '../base/failing.js';
import { outcomeUnknown, translate } from './translate.js';

/** The effect of a call, which decides what happens when the caller's time is up: a `read` is
 * dropped; a `change` is dropped too, but may have run; a `release` goes on in the background. */
export type Purpose = 'read' | 'change' | 'release';

/** An answer, and the call that brought it. */
export interface Answered<R> {
  readonly answer: R;
  readonly call: Call<R>;
}

/** The next command for the same caller after an answer; undefined when the answer is the last. */
type GoOn<R> = (answer: R) => Command<R> | undefined;

/** Is told the outcome whenever it comes, also after the caller has given up. */
export interface AnswerObserver<R> {
  started?(call: Call<R>): void;
  answered(answer: R, call: Call<R>): void;
  /** There will be no answer. */
  failed(error: Error): void;
}

/** What a pending reply may need beside its call. */
export interface PendingReplyTerms<R> {
  /** See `PendingCall.insists`. */
  readonly insists?: boolean;
  /** See `PendingCall.isNumbered`. */
  readonly isNumbered?: boolean;
  /** No copy of it is run when its caller has stopped waiting. */
  readonly endsWithCaller?: boolean;
  /** See `PendingCall.endsAt`: of one that ends with its caller. */
  readonly endsAt?: number;
  readonly goesFirst?: boolean | undefined;
  /** The same call under another number: that of the first one was late, and never ran. */
  readonly again?: (() => Command<R>) | undefined;
  readonly goOn?: GoOn<R> | undefined;
  readonly observer?: AnswerObserver<R> | undefined;
  /** The call has failed, while an earlier copy of it may have run, or may still run. */
  readonly copiesLeft?: (call: Call<R>) => void;
}

/** What all pending replies share. */
export interface PendingReplyHooks {
  /** True when the caller was still waiting; it then counts as served. */
  serve(asked: Expiring): boolean;
  /** The caller's time is up, but it waits a moment longer. */
  linger(asked: Expiring): void;
  /** The caller's time is up. */
  giveUp(): void;
  /** The call came to an end after its caller had given up. */
  finish(call: PendingCall, error?: Error): void;
  /** The caller of this call waits no more. */
  isLate(call: PendingCall): boolean;
  start<R>(command: Command<R>, asked: PendingReply<R>, terms?: CallTerms): Call<R>;
}

/** A call that was refused, and is on its way again when its time is up, mostly has its answer a moment later:
 * the caller waits for that, so often at most and so long each time, and not to be told that the outcome is
 * unknown. */
export const LINGERS_MAX = 4;
export const LINGER_MS = 10;

/** A call that was late is sent again so often. The first answer shows a clock that was set forward; it may be set once
 * more before the second. */
const AGAIN_MAX = 2;

const ignore = (): void => {};

/** A caller that waits for one answer, not longer than `commandTimeoutMs`. */
export class PendingReply<R> extends Expiring implements Receiver<R> {
  call: Call<R> | undefined;
  terms: PendingReplyTerms<R> | undefined;
  readonly #hooks: PendingReplyHooks;
  readonly #resource: string;
  readonly #purpose: Purpose;
  readonly #giveUp: (call: Call<R>) => Error;
  #lingered = 0;
  #startedAgain = 0;
  #resolve: (answered: Answered<R> | Promise<never>) => void;

  constructor(
    hooks: PendingReplyHooks,
    resource: string,
    purpose: Purpose,
    giveUp: (call: Call<R>) => Error,
    resolve: (answered: Answered<R> | Promise<never>) => void,
  ) {
    super();
    this.#hooks = hooks;
    this.#resource = resource;
    this.#purpose = purpose;
    this.#giveUp = giveUp;
    this.#resolve = resolve;
  }

  answered(answer: R, call: Call<R>): void {
    this.terms?.observer?.answered(answer, call);
    const next = this.terms?.goOn?.(answer);
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
    if (error instanceof TooLateError) {
      this.#wasLate(call);
      return;
    }
    const resource = this.#resource;
    const cause = translate(error, resource);
    this.terms?.observer?.failed(cause);
    if (!this.#hooks.serve(this)) {
      this.#hooks.finish(call, error);
      return;
    }
    if (!this.#mayHaveRun(error, call)) {
      this.#resolve(failing(cause));
      return;
    }
    // After its end a client cleans nothing up.
    if (!(error instanceof ClosedError)) {
      this.terms?.copiesLeft?.(call);
    }
    this.#resolve(failing(outcomeUnknown(resource, cause)));
  }

  expired(): void {
    if (this.call?.isBeingRetried === true && this.#lingered < LINGERS_MAX) {
      this.#lingered += 1;
      this.#hooks.linger(this);
      return;
    }
    if (this.call !== undefined) {
      this.#resolve(failing(this.#giveUp(this.call)));
    }
    // The call may go on for long: it must not keep the promise and context of the caller alive.
    this.#resolve = ignore;
    this.#hooks.giveUp();
  }

  /** The server has not run the call, since its caller waits no more by the clock of the server. If that was set
   * forward, its answer has shown that, and the caller has time left. While another copy may have run, the call keeps
   * its number. */
  #wasLate(call: Call<R>): void {
    const { again } = this.terms ?? {};
    const mayStart = call.unackedCopies === 0 && this.#startedAgain < AGAIN_MAX;
    if (again !== undefined && mayStart && !this.#hooks.isLate(call)) {
      this.#startedAgain += 1;
      this.call = this.#hooks.start(again(), this, this.terms);
    } else if (this.#hooks.serve(this)) {
      this.#resolve(failing(this.#giveUp(call)));
    }
  }

  #mayHaveRun(error: Error, call: Call<R>): boolean {
    if (error instanceof ClosedError) {
      return this.#purpose !== 'read' && call.mayHaveRun;
    }
    return this.#purpose === 'change' && call.unackedCopies > 0 && !hasNeverRun(error);
  }
}
