import type { CommandTimeoutError, OutcomeUnknownError } from '../../errors.js';
import { LINGER_MS, PendingReply } from './pending-reply.js';
import type { Answered, PendingReplyHooks, PendingReplyTerms, Purpose } from './pending-reply.js';
import { ANY_CALL, Call, CLEAN_UP, commandOf } from '../wire/call.js';
import type { CallTerms, CallWatch, Command, PendingCall, Receiver } from '../wire/call.js';
import { CleanUp, type Background } from './clean-up.js';
import type { KeepAlive, Clock } from '../base/clock.js';
import { countOf, lateCountOf, type CountReply } from './count-reply.js';
import { DeadlineQueue } from '../base/deadline-queue.js';
import type { Request, Requests } from './requests.js';
import type { Tombstone } from './tombstone.js';
import type { Router } from '../connection/router.js';
import { outcomeUnknown, timedOut } from './translate.js';
import { requestsCancel, requestsTrim } from '../wire/scripts.generated.js';

export interface DeliveryParts extends CallWatch {
  readonly clock: Clock;
  /** Keeps the process alive while a caller waits for an answer. */
  readonly keepAlive: Pick<KeepAlive, 'ref' | 'unref'>;
  readonly router: Router;
  readonly requests: Requests;
  /** The key of the record of this client's requests on an object. */
  readonly requestsKey: (key: string) => string;
  readonly timeoutMs: number;
}

/** Sends calls, and settles each within its caller's time, whether or not the server answers. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #timeouts: DeadlineQueue;
  #order = 0;
  /** Number of callers that wait for an answer. */
  #waiting = 0;
  readonly cleanUp: CleanUp;
  #cleanedUp: (() => void) | undefined;
  /** Milliseconds left for the callers that send during `late`; undefined: the whole timeout. */
  #leftMs: number | undefined;
  readonly #hooks: PendingReplyHooks = {
    serve: (asked) => {
      const waiting = this.#timeouts.delete(asked);
      if (waiting) {
        this.#served();
      }
      return waiting;
    },
    linger: (asked) => this.#timeouts.add(asked, LINGER_MS),
    giveUp: () => this.#served(),
    finish: (call, error) => this.cleanUp.finished(call, error),
    isLate: ({ endsAt }) => this.#parts.clock.now() >= endsAt,
    start: (command, asked, terms) => this.start(command, asked, terms),
  };

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#timeouts = new DeadlineQueue(parts.clock, parts.timeoutMs);
    this.cleanUp = new CleanUp({
      ...parts,
      timeouts: this.#timeouts,
      abandon: (call) => this.abandon(call),
      ended: () => this.#checkCleanedUp(),
    });
  }

  /** Sends a call. The sender waits until it is settled, or abandons it. */
  start<R>(command: Command<R>, receiver: Receiver<R>, terms: CallTerms = ANY_CALL): Call<R> {
    const call = new Call(command, receiver, terms.resend !== false, this.#parts);
    call.insists = terms.insists === true;
    call.isNumbered = terms.isNumbered === true;
    call.goesFirst = call.insists || terms.goesFirst === true;
    call.undoes = terms.undoes;
    call.atOnce = terms.atOnce === true;
    call.lane = terms.lane ?? 0;
    call.endsAt = terms.endsAt ?? Number.NaN;
    this.#order += 1;
    call.order = this.#order;
    this.#parts.router.send(call);
    return call;
  }

  /** The number of the newest call. */
  get newestOrder(): number {
    return this.#order;
  }

  /** Stops waiting for a call; true when a copy of it may run, or may have run unanswered. */
  abandon(call: PendingCall): boolean {
    call.abandon();
    return call.mayHaveRun;
  }

  /** Sends a read. It settles within `commandTimeoutMs`, the commands of `goOn` included. */
  async read<R>(
    resource: string,
    command: Command<R>,
    goOn?: PendingReplyTerms<R>['goOn'],
  ): Promise<R> {
    const giveUp = (call: Call<R>): Error => this.#drop(resource, call, 'read');
    return (await this.#inTime(resource, command, 'read', giveUp, { goOn })).answer;
  }

  /** Sends a command about what is held, which may run twice; settles within `commandTimeoutMs`. */
  send<R>(
    resource: string,
    command: Command<R>,
    purpose: Purpose,
    observer?: PendingReplyTerms<R>['observer'],
  ): Promise<Answered<R>> {
    const giveUp = (call: Call<R>): Error => this.#drop(resource, call, purpose);
    const terms = { insists: purpose === 'release', goesFirst: true, observer };
    return this.#inTime(resource, command, purpose, giveUp, terms);
  }

  /** A caller stops waiting for a call. */
  #drop(resource: string, call: PendingCall, purpose: Purpose): Error {
    if (purpose === 'release') {
      this.cleanUp.add(call);
    } else {
      this.abandon(call);
    }
    return this.outOfTime(resource, call, purpose);
  }

  /** Runs `work`. The calls that it sends synchronously have only `leftMs` to settle. */
  late<T>(leftMs: number, work: () => T): T {
    this.#leftMs = leftMs;
    try {
      return work();
    } finally {
      this.#leftMs = undefined;
    }
  }

  /** Runs `work` for a caller that waits since `startedAt`: the calls that it sends synchronously have what is left of
   * its time. */
  since<T>(startedAt: number, work: () => T): T {
    const { clock, timeoutMs } = this.#parts;
    return this.late(Math.max(0, startedAt + timeoutMs - clock.now()), work);
  }

  /** Runs a counted call at most once, and resolves with its number. When its time is up, a
   * tombstone is set for its request number in the background, so that no copy of it runs later.
   * If the caller was left without the outcome, `late` gets it as soon as it is known: the count,
   * or undefined when the call did not run and never will. */
  async countOnce(
    resource: string,
    key: string,
    build: (request: Request) => Command<string>,
    late: (count: number | undefined, call: PendingCall) => void = () => {},
    goesFirst = false,
  ): Promise<CountReply> {
    const setTombstone = ({ number }: Request): Command<string> => {
      const args = { number, lowWater: this.#parts.requests.lowWater(key) };
      return commandOf(requestsCancel, { requests: this.#parts.requestsKey(key) }, args);
    };
    const tombstoneSet = (answer: unknown, call: PendingCall): void =>
      late(lateCountOf(answer), call);
    const tombstone = { setTombstone, always: false, goesFirst, follower: { tombstoneSet } };
    const { answer, call } = await this.sendOnce(resource, key, build, tombstone);
    return { count: countOf(answer), sentAt: call.sentAt, call };
  }

  /** Like `countOnce`, with an answer of any type. A tombstone is set in the background when the
   * time of the call is up and a copy of it may have been sent, or `always`, and when it is refused
   * while an earlier copy may still run. */
  async sendOnce<R>(
    resource: string,
    key: string,
    build: (request: Request) => Command<R>,
    { setTombstone, always, follower, goesFirst }: Tombstone,
  ): Promise<Answered<R>> {
    let request = this.openRequest(key);
    const fate = { tombstone: false };
    const setAside = (call: Call<R>, mayRun: boolean): void => {
      fate.tombstone = true;
      const given = request;
      this.inBackground(setTombstone(given, mayRun), {
        answered: (answer) => follower?.tombstoneSet(answer, call),
        failed: (error) => follower?.forgotten?.(error),
        done: () => this.settleRequest(key, given),
        // A call whose record is gone would look like one that never ran.
        limit: mayRun ? 'from now' : 'once sent',
      });
    };
    try {
      const giveUp = (call: Call<R>): Error => {
        const mayRun = this.abandon(call);
        if (mayRun || always) {
          setAside(call, mayRun);
        }
        return this.outOfTime(resource, call, 'change');
      };
      return await this.#inTime(resource, build(request), 'change', giveUp, {
        insists: always,
        isNumbered: true,
        endsWithCaller: !always,
        goesFirst,
        copiesLeft: (call) => setAside(call, true),
        again: () => {
          this.settleRequest(key, request);
          request = this.openRequest(key);
          return build(request);
        },
      });
    } finally {
      if (!fate.tombstone) {
        this.settleRequest(key, request);
      }
    }
  }

  /** Opens a request for a counted call; its sender settles it with `settleRequest`. */
  openRequest(key: string): Request {
    return this.#parts.requests.open(key);
  }

  /** Whether a counted call of an object is under way, or its outcome is unknown. */
  hasOpenRequest(key: string): boolean {
    return this.#parts.requests.isOpen(key);
  }

  /** No copy of the request can do harm any more. */
  settleRequest(key: string, request: Request): void {
    const lowWater = this.#parts.requests.settle(key, request);
    if (lowWater !== undefined) {
      const keys = { requests: this.#parts.requestsKey(key) };
      this.inBackground(commandOf(requestsTrim, keys, { lowWater }));
    }
  }

  /** Sends a command that may run at any time. It goes on in the background through outages of any
   * length, unless it is limited. */
  inBackground<R>(command: Command<R>, { answered, undoes, ...ending }: Background<R> = {}): void {
    const receiver: Receiver<R> = {
      answered: (answer, finished) => {
        // First, since the end of the clean-up lets local waiters ask.
        try {
          answered?.(answer);
        } finally {
          this.cleanUp.finished(finished);
        }
      },
      failed: (error, unfinished) => this.cleanUp.finished(unfinished, error),
    };
    this.cleanUp.add(this.start(command, receiver, { ...CLEAN_UP, undoes }), ending);
  }

  /** Resolves when every call is answered or given up, and all clean-up is done or has failed. */
  async cleanedUp(): Promise<void> {
    while (this.#waiting + this.cleanUp.size > 0) {
      await new Promise<void>((resolve) => {
        this.#cleanedUp = resolve;
      });
      // The receiver of the last answer may have something to give back.
      // oxlint-disable-next-line no-restricted-properties -- no timer is judged here
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
    const whyDown = this.#parts.router.whyDown(key);
    return timedOut(resource, { sent, waitedMs, refusal, whyDown });
  }

  close(): void {
    this.#timeouts.close();
    this.cleanUp.close();
  }

  /** Resolves with the answer; rejects with the error of `giveUp` when the time is up. */
  #inTime<R>(
    resource: string,
    command: Command<R>,
    purpose: Purpose,
    giveUp: (call: Call<R>) => Error,
    terms: PendingReplyTerms<R>,
  ): Promise<Answered<R>> {
    return new Promise((resolve) => {
      const asked = new PendingReply<R>(this.#hooks, resource, purpose, giveUp, resolve);
      const { clock, timeoutMs } = this.#parts;
      const leftMs = Math.min(this.#leftMs ?? timeoutMs, timeoutMs);
      asked.terms =
        terms.endsWithCaller === true ? { ...terms, endsAt: clock.now() + leftMs } : terms;
      this.#waiting += 1;
      this.#parts.keepAlive.ref();
      this.#timeouts.add(asked, this.#leftMs);
      asked.call = this.start(command, asked, asked.terms);
      terms.observer?.started?.(asked.call);
    });
  }

  #served(): void {
    this.#waiting -= 1;
    this.#parts.keepAlive.unref();
    this.#checkCleanedUp();
  }

  #checkCleanedUp(): void {
    if (this.#waiting + this.cleanUp.size === 0) {
      this.#cleanedUp?.();
    }
  }

  /** The error of a caller whose time is up. */
  outOfTime(
    resource: string,
    call: PendingCall,
    purpose: Purpose,
  ): CommandTimeoutError | OutcomeUnknownError {
    const { timeoutMs } = this.#parts;
    const timeout = this.timeout(resource, call.routingKey, call.sent, timeoutMs, call.refusal);
    return purpose === 'read' || !call.mayHaveRun ? timeout : outcomeUnknown(resource, timeout);
  }
}
