import {
  ClosedError,
  CommandTimeoutError,
  OutcomeUnknownError,
  UnexpectedReplyError,
  WrongTypeError,
} from '../errors.js';
import { Call } from './call.js';
import type { Sendable, Sending } from './call.js';
import type { Clock } from './clock.js';
import { Patience } from './patience.js';
import type { Waits } from './patience.js';
import { isReplyError } from './redis.js';
import type { Requests } from './requests.js';
import type { Router } from './router.js';
import type { Operand, Script } from './script.js';
import { requestsCancel } from './scripts.generated.js';

/** How long a burnt holder id or request number is remembered, and clean-up is tried. */
export const MEMORY_MS = 600_000;

/** A script call ready to be sent, any number of times. */
export interface Prepared<R> {
  readonly script: Sendable<R>;
  readonly operands: readonly Operand[];
}

/** Binds a script to its keys and arguments. */
export function prepare<K, A, R>(script: Script<K, A, R>, keys: K, args: A): Prepared<R> {
  return { script, operands: script.operands(keys, args) };
}

/** An error of the driver as the caller gets it. */
export function translate(error: unknown, resource: string): unknown {
  if (isReplyError(error) && error.message.includes('WRONGTYPE')) {
    return new WrongTypeError(`"${resource}" is in use by another kind of object`, {
      resource,
      cause: error,
    });
  }
  return error;
}

/** What a call does, and so what becomes of it when the caller's time runs out: a `read` is
 * dropped; a `change` is dropped too, but may have been made; a `release` goes on behind. */
type Purpose = 'read' | 'change' | 'release';

/** Sends calls and settles them in the caller's time, whatever becomes of them on the server. */
export class Delivery {
  readonly #clock: Clock;
  readonly #waits: Waits;
  readonly #router: Router;
  readonly #requests: Requests;
  readonly #timeoutMs: number;
  readonly #failed: (error: Error) => void;
  /** Clean-up that goes on behind the caller's back. */
  readonly #behind = new Set<Promise<void>>();

  constructor(parts: {
    clock: Clock;
    waits: Waits;
    router: Router;
    requests: Requests;
    timeoutMs: number;
    failed: (error: Error) => void;
  }) {
    this.#clock = parts.clock;
    this.#waits = parts.waits;
    this.#router = parts.router;
    this.#requests = parts.requests;
    this.#timeoutMs = parts.timeoutMs;
    this.#failed = parts.failed;
  }

  /** Sends a call; who sends it settles or abandons it. */
  start<R>(prepared: Prepared<R>, resend = true): Call<R> {
    const call = new Call(prepared.script, prepared.operands, resend);
    this.#router.send(call);
    return call;
  }

  /** Stops waiting for a call; true when a copy of it may run, or may have run. */
  abandon(call: Sending): boolean {
    this.#router.abandon(call);
    return call.sent;
  }

  /** Asks what changes nothing: settles within `commandTimeoutMs`. */
  async ask<R>(resource: string, prepared: Prepared<R>): Promise<R> {
    const { answer } = await this.tell(resource, prepared, 'read');
    return answer;
  }

  /** States something that may be stated twice, and settles within `commandTimeoutMs`. */
  async tell<R>(
    resource: string,
    prepared: Prepared<R>,
    purpose: Purpose,
  ): Promise<{ answer: R; call: Call<R> }> {
    const patience = this.#commandPatience();
    const call = this.start(prepared);
    try {
      await patience.whileWaiting(call.answer);
      if (call.settled) {
        return { answer: await call.answer, call };
      }
      if (purpose === 'release') {
        this.#finishBehind(call);
      } else {
        this.abandon(call);
      }
      throw this.#outOfTime(resource, call, purpose);
    } catch (error) {
      throw translate(error, resource);
    } finally {
      patience.dispose();
    }
  }

  /** Runs a counted call at most once. Out of time, its number is burnt behind the caller's back,
   * so that no copy of it runs later. */
  async count(
    resource: string,
    key: string,
    requestsKey: string,
    build: (request: { number: number; floor: number }) => Prepared<string>,
  ): Promise<number> {
    const request = this.#requests.open(key);
    const patience = this.#commandPatience();
    const call = this.start(build(request));
    try {
      await patience.whileWaiting(call.answer);
      if (call.settled) {
        const answer = await call.answer;
        this.#requests.settle(key, request);
        return countOf(answer);
      }
      const sent = this.abandon(call);
      if (sent) {
        const args = { number: request.number, floor: this.#requests.floor(key) };
        const cancel = prepare(requestsCancel, { requests: requestsKey }, args);
        this.behind(cancel, () => this.#requests.settle(key, request));
      } else {
        this.#requests.settle(key, request);
      }
      throw this.#outOfTime(resource, call, 'change');
    } catch (error) {
      if (call.settled) {
        this.#requests.settle(key, request);
      }
      throw translate(error, resource);
    } finally {
      patience.dispose();
    }
  }

  /** Cleans up behind the caller's back, through outages, for at most ten minutes. */
  behind<R>(prepared: Prepared<R>, done?: () => void): void {
    const call = this.start(prepared);
    this.#finishBehind(call, done);
  }

  /** Settles when all clean-up that was under way is done or has failed. */
  async cleanedUp(): Promise<void> {
    await Promise.all(this.#behind);
  }

  /** Sent and unanswered for longer than the caller waits. */
  timeout(resource: string, key: string, sent: boolean, waitedMs: number): CommandTimeoutError {
    const cause = this.#router.whyDown(key);
    const what = sent ? 'no answer from Redis' : 'no connection to Redis';
    const after = `within ${Math.round(waitedMs)} ms`;
    return new CommandTimeoutError(`${what} ${after} for "${resource}"`, { resource, cause });
  }

  #commandPatience(): Patience {
    return new Patience(this.#clock, this.#waits, { limitMs: this.#timeoutMs, command: true });
  }

  #finishBehind<R>(call: Call<R>, done?: () => void): void {
    // It keeps the process alive only as long as a caller's command would.
    const patience = this.#commandPatience();
    const limit = this.#clock.after(MEMORY_MS, () => {
      this.abandon(call);
      call.fail(new Error('given up after ten minutes'));
    });
    patience.onEnd = () => patience.dispose();
    const work = call.answer
      .then(
        () => {},
        (error: Error) => {
          if (!(error instanceof ClosedError)) {
            this.#failed(error);
          }
        },
      )
      .then(() => {
        done?.();
        limit.cancel();
        patience.dispose();
        this.#behind.delete(work);
      });
    this.#behind.add(work);
  }

  #outOfTime(
    resource: string,
    call: Sending,
    purpose: Purpose,
  ): CommandTimeoutError | OutcomeUnknownError {
    const timeout = this.timeout(resource, call.routingKey, call.sent, this.#timeoutMs);
    if (purpose === 'read' || !call.sent) {
      return timeout;
    }
    const message = `it is unknown whether the call on "${resource}" was carried out`;
    return new OutcomeUnknownError(`${message}: ${timeout.message}`, { resource, cause: timeout });
  }
}

function countOf(answer: string): number {
  if (!/^-?\d+$/.test(answer)) {
    throw new UnexpectedReplyError(`the server refused a request as ${JSON.stringify(answer)}`);
  }
  return Number(answer);
}
