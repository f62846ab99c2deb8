import { ClosedError, CommandTimeoutError, OutcomeUnknownError } from '../errors.js';
import { Asked } from './asked.js';
import type { Answered, AskedHooks, Purpose } from './asked.js';
import { Call, prepare } from './call.js';
import type { Prepared, Receiver, Sending } from './call.js';
import type { Anchor, Clock } from './clock.js';
import { countOf, lateCountOf } from './counted.js';
import type { Counted } from './counted.js';
import { ExpiryQueue, Limit } from './expiry-queue.js';
import type { Request, Requests } from './requests.js';
import type { Router } from './router.js';
import { requestsCancel } from './scripts.generated.js';

/** How long a burnt holder id or request number is remembered, and clean-up is tried. */
export const MEMORY_MS = 600_000;

/** What delivery is made of. */
export interface DeliveryParts {
  readonly clock: Clock;
  /** Held while a caller waits for an answer. */
  readonly anchor: Pick<Anchor, 'hold' | 'drop'>;
  readonly router: Router;
  readonly requests: Requests;
  readonly timeoutMs: number;
  /** Told of what fails behind the caller's back. */
  readonly failed: (error: Error) => void;
}

/** How a counted call is made never to run (again), once its caller has stopped waiting. */
export interface Burning {
  readonly burn: (request: Request) => Prepared<unknown>;
  /** Also when it was never sent: then `burn` does what it should have done. */
  readonly always: boolean;
  /** Told what `burn` was answered. */
  readonly burnt?: (answer: unknown) => void;
}

/** Sends calls and settles them in the caller's time, whatever becomes of them on the server. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #timeouts: ExpiryQueue;
  readonly #memories: ExpiryQueue;
  /** Callers that wait for an answer. */
  #waiting = 0;
  /** Clean-up that goes on behind the caller's back. */
  readonly #behind = new Map<Sending, () => void>();
  #cleanedUp: (() => void) | undefined;
  readonly #hooks: AskedHooks = {
    serve: (asked) => {
      const waiting = this.#timeouts.delete(asked);
      if (waiting) {
        this.#served();
      }
      return waiting;
    },
    giveUp: () => this.#served(),
    finish: (call, error) => this.#finished(call, error),
  };

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#timeouts = new ExpiryQueue(parts.clock, parts.timeoutMs);
    this.#memories = new ExpiryQueue(parts.clock, MEMORY_MS);
  }

  /** Sends a call; who sends it has it settled or abandons it. */
  start<R>(prepared: Prepared<R>, receiver: Receiver<R>, resend = true): Call<R> {
    const call = new Call(prepared, receiver, resend);
    this.#parts.router.send(call);
    return call;
  }

  /** Stops waiting for a call; true when a copy of it may run, or may have run. */
  abandon(call: Sending): boolean {
    this.#parts.router.abandon(call);
    return call.sent;
  }

  /** Asks what changes nothing: settles within `commandTimeoutMs`. */
  async ask<R>(resource: string, prepared: Prepared<R>): Promise<R> {
    const { answer } = await this.tell(resource, prepared, 'read');
    return answer;
  }

  /** States something that may be stated twice, and settles within `commandTimeoutMs`. */
  tell<R>(resource: string, prepared: Prepared<R>, purpose: Purpose): Promise<Answered<R>> {
    return this.#inTime(resource, prepared, purpose, (call) => {
      if (purpose === 'release') {
        this.#leaveBehind(call);
      } else {
        this.abandon(call);
      }
      return this.#outOfTime(resource, call, purpose);
    });
  }

  /** Runs a counted call at most once. Out of time, its number is burnt behind the caller's back,
   * so that no copy of it runs later. */
  async count(
    resource: string,
    key: string,
    requestsKey: string,
    build: (request: Request) => Prepared<string>,
  ): Promise<number> {
    const { count } = await this.countAt(resource, key, requestsKey, build);
    return count;
  }

  /** Like `count`. When its outcome was unknown to the caller, `late` is told it as soon as it is
   * known: its answer, or undefined when it did not run and never will. */
  async countAt(
    resource: string,
    key: string,
    requestsKey: string,
    build: (request: Request) => Prepared<string>,
    late: (count: number | undefined) => void = () => {},
  ): Promise<Counted> {
    const burn = ({ number }: Request): Prepared<string> => {
      const args = { number, floor: this.#parts.requests.floor(key) };
      return prepare(requestsCancel, { requests: requestsKey }, args);
    };
    const burnt = (answer: unknown): void => late(lateCountOf(answer));
    const burning = { burn, always: false, burnt };
    const { answer, call } = await this.counted(resource, key, build, burning);
    return { count: countOf(answer), sentAt: call.sentAt };
  }

  /** Like `count`, with an answer of any sort. Out of time, `burn` runs behind the caller's back:
   * when a copy of the call may have been sent, or `always`. */
  async counted<R>(
    resource: string,
    key: string,
    build: (request: Request) => Prepared<R>,
    { burn, always, burnt }: Burning,
  ): Promise<Answered<R>> {
    const { requests } = this.#parts;
    const request = requests.open(key);
    const fate = { burning: false };
    try {
      const giveUp = (call: Call<R>): Error => {
        if (this.abandon(call) || always) {
          fate.burning = true;
          this.behind(burn(request), () => requests.settle(key, request), burnt);
        }
        return this.#outOfTime(resource, call, 'change');
      };
      return await this.#inTime(resource, build(request), 'change', giveUp, always);
    } finally {
      if (!fate.burning) {
        requests.settle(key, request);
      }
    }
  }

  /** A number for a counted call that its sender settles. */
  openRequest(key: string): Request {
    return this.#parts.requests.open(key);
  }

  /** No copy of the request can do harm any more. */
  settleRequest(key: string, request: Request): void {
    this.#parts.requests.settle(key, request);
  }

  /** Cleans up behind the caller's back, through outages, for at most ten minutes. It is `done`
   * also when that failed; `answered` tells what it was answered. */
  behind<R>(prepared: Prepared<R>, done: () => void, answered?: (answer: R) => void): void {
    const call = this.start(prepared, {
      answered: (answer, finished) => {
        this.#finished(finished);
        answered?.(answer);
      },
      failed: (error, failed) => this.#finished(failed, error),
    });
    call.insists = true;
    this.#leaveBehind(call, done);
  }

  /** Settles when every call is answered or given up, and all clean-up is done or has failed. */
  async cleanedUp(): Promise<void> {
    while (this.#waiting + this.#behind.size > 0) {
      await new Promise<void>((resolve) => {
        this.#cleanedUp = resolve;
      });
      // Whoever got the last answer may have something to give back.
      await new Promise<void>((resolve) => this.#parts.clock.afterInput(resolve));
    }
  }

  /** The error of a call that got no answer in time. */
  timeout(
    resource: string,
    key: string,
    sent: boolean,
    waitedMs: number,
    refusal?: Error,
  ): CommandTimeoutError {
    const cause = refusal ?? this.#parts.router.whyDown(key);
    const isDown = sent ? 'no answer from Redis' : 'no connection to Redis';
    const what = refusal === undefined ? isDown : `Redis refused (${refusal.message})`;
    const after = `within ${Math.round(waitedMs)} ms`;
    return new CommandTimeoutError(`${what} ${after} for "${resource}"`, { resource, cause });
  }

  close(): void {
    this.#timeouts.close();
    this.#memories.close();
  }

  /** Settles with the answer, or with what `giveUp` makes of the time that ran out. */
  #inTime<R>(
    resource: string,
    prepared: Prepared<R>,
    purpose: Purpose,
    giveUp: (call: Call<R>) => Error,
    insists = purpose === 'release',
  ): Promise<Answered<R>> {
    return new Promise((resolve, reject) => {
      const asked = new Asked<R>(this.#hooks, resource, purpose, giveUp, resolve, reject);
      this.#waiting += 1;
      this.#parts.anchor.hold();
      this.#timeouts.add(asked);
      asked.call = this.start(prepared, asked);
      asked.call.insists = insists;
    });
  }

  /** Lets a call go on after its caller has stopped waiting. */
  #leaveBehind(call: Sending, done: () => void = () => {}): void {
    const { anchor } = this.#parts;
    // It keeps the process alive only as long as a caller's command would.
    const alive = new Limit(() => anchor.drop());
    anchor.hold();
    this.#timeouts.add(alive);
    const forgotten = new Limit(() => {
      this.abandon(call);
      this.#finished(call, new Error('a clean-up was given up after ten minutes'));
    });
    this.#memories.add(forgotten);
    this.#behind.set(call, () => {
      if (this.#timeouts.delete(alive)) {
        anchor.drop();
      }
      this.#memories.delete(forgotten);
      done();
    });
  }

  /** A call that was left behind is done or has failed. */
  #finished(call: Sending, error?: Error): void {
    const done = this.#behind.get(call);
    if (done === undefined) {
      return;
    }
    this.#behind.delete(call);
    done();
    if (error !== undefined && !(error instanceof ClosedError)) {
      this.#parts.failed(error);
    }
    this.#checkCleanedUp();
  }

  #served(): void {
    this.#waiting -= 1;
    this.#parts.anchor.drop();
    this.#checkCleanedUp();
  }

  #checkCleanedUp(): void {
    if (this.#waiting + this.#behind.size === 0) {
      this.#cleanedUp?.();
    }
  }

  #outOfTime(
    resource: string,
    call: Sending,
    purpose: Purpose,
  ): CommandTimeoutError | OutcomeUnknownError {
    const { timeoutMs } = this.#parts;
    const timeout = this.timeout(resource, call.routingKey, call.sent, timeoutMs, call.refusal);
    if (purpose === 'read' || !call.sent) {
      return timeout;
    }
    const message = `it is unknown whether the call on "${resource}" was carried out`;
    return new OutcomeUnknownError(`${message}: ${timeout.message}`, { resource, cause: timeout });
  }
}
