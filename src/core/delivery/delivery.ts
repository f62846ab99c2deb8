import { CommandTimeoutError, OutcomeUnknownError } from '../../errors.js';
import {
  PendingReply,
  type Answered,
  type PendingReplyHooks,
  type GoOn,
  type Purpose,
} from './pending-reply.js';
import {
  Call,
  commandOf,
  type CallWatch,
  type Command,
  type Receiver,
  type PendingCall,
} from '../wire/call.js';
import { CleanUp, type Background } from './clean-up.js';
import type { KeepAlive, Clock } from '../base/clock.js';
import { countOf, lateCountOf, type CountReply } from './count-reply.js';
import { DeadlineQueue } from '../base/deadline-queue.js';
import type { Request, Requests } from './requests.js';
import type { Router } from '../connection/router.js';
import { requestsCancel } from '../wire/scripts.generated.js';

/** What delivery is made of. */
export interface DeliveryParts extends CallWatch {
  readonly clock: Clock;
  /** Held while a caller waits for an answer. */
  readonly keepAlive: Pick<KeepAlive, 'ref' | 'unref'>;
  readonly router: Router;
  readonly requests: Requests;
  readonly timeoutMs: number;
}

/** How a counted call is made never to run (again), once its caller has stopped waiting. */
export interface Tombstone {
  readonly setTombstone: (request: Request) => Command<unknown>;
  /** Also when it was never sent: then `burn` does what it should have done. */
  readonly always: boolean;
  readonly follower?: TombstoneFollower | undefined;
}

/** Told what comes of a call after its caller has stopped waiting. */
export interface TombstoneFollower {
  /** The number is burnt, with this answer. */
  tombstoneSet(answer: unknown, call: PendingCall): void;
  /** What the call did will never be known. */
  forgotten?(): void;
}

/** Sends calls and settles them in the caller's time, whatever becomes of them on the server. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #timeouts: DeadlineQueue;
  #order = 0;
  /** Callers that wait for an answer. */
  #waiting = 0;
  readonly #cleanUp: CleanUp;
  #cleanedUp: (() => void) | undefined;
  /** The rest of the time of the callers that send just now; undefined: all of it. */
  #leftMs: number | undefined;
  readonly #hooks: PendingReplyHooks = {
    serve: (asked) => {
      const waiting = this.#timeouts.delete(asked);
      if (waiting) {
        this.#served();
      }
      return waiting;
    },
    giveUp: () => this.#served(),
    finish: (call, error) => this.#cleanUp.finished(call, error),
    start: (command, asked) => this.start(command, asked),
  };

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#timeouts = new DeadlineQueue(parts.clock, parts.timeoutMs);
    this.#cleanUp = new CleanUp({
      ...parts,
      timeouts: this.#timeouts,
      abandon: (call) => this.abandon(call),
      ended: () => this.#checkCleanedUp(),
    });
  }

  /** Sends a call; who sends it has it settled or abandons it. */
  start<R>(command: Command<R>, receiver: Receiver<R>, resend = true): Call<R> {
    const call = new Call(command, receiver, resend, this.#parts);
    this.#order += 1;
    call.order = this.#order;
    this.#parts.router.send(call);
    return call;
  }

  /** Stops waiting for a call; true when a copy of it may run, or may have run. */
  abandon(call: PendingCall): boolean {
    call.abandon();
    return call.sent;
  }

  /** Asks what changes nothing: settles within `commandTimeoutMs`, with all that it goes on to ask. */
  async read<R>(resource: string, command: Command<R>, goOn?: GoOn<R>): Promise<R> {
    const giveUp = (call: Call<R>): Error => this.#drop(resource, call, 'read');
    const asked = this.#inTime(resource, command, 'read', giveUp, false, goOn);
    return (await asked).answer;
  }

  /** States something that may be stated twice, and settles within `commandTimeoutMs`. */
  send<R>(resource: string, command: Command<R>, purpose: Purpose): Promise<Answered<R>> {
    return this.#inTime(resource, command, purpose, (call) => this.#drop(resource, call, purpose));
  }

  /** A caller stops waiting for a call. */
  #drop(resource: string, call: PendingCall, purpose: Purpose): Error {
    if (purpose === 'release') {
      this.#cleanUp.add(call);
    } else {
      this.abandon(call);
    }
    return this.#outOfTime(resource, call, purpose);
  }

  /** Has `work` send what it sends at once with only `leftMs` of its caller's time left. */
  late<T>(leftMs: number, work: () => T): T {
    this.#leftMs = leftMs;
    try {
      return work();
    } finally {
      this.#leftMs = undefined;
    }
  }

  /** Runs a call that counts at most once, and answers with its number. Out of time, its request number
   * is burnt in the background, so that no copy of it runs later. When its outcome was unknown to the
   * caller, `late` is told it as soon as it is known: its answer, or undefined when it did not run and
   * never will. */
  async countOnce(
    resource: string,
    key: string,
    requestsKey: string,
    build: (request: Request) => Command<string>,
    late: (count: number | undefined, call: PendingCall) => void = () => {},
  ): Promise<CountReply> {
    const setTombstone = ({ number }: Request): Command<string> => {
      const args = { number, lowWater: this.#parts.requests.lowWater(key) };
      return commandOf(requestsCancel, { requests: requestsKey }, args);
    };
    const tombstoneSet = (answer: unknown, call: PendingCall): void =>
      late(lateCountOf(answer), call);
    const tombstone = { setTombstone, always: false, follower: { tombstoneSet } };
    const { answer, call } = await this.sendOnce(resource, key, build, tombstone);
    return { count: countOf(answer), sentAt: call.sentAt, call };
  }

  /** Like `countOnce`, with an answer of any sort. Out of time, `burn` runs in the background: when a
   * copy of the call may have been sent, or `always`. */
  async sendOnce<R>(
    resource: string,
    key: string,
    build: (request: Request) => Command<R>,
    { setTombstone, always, follower }: Tombstone,
  ): Promise<Answered<R>> {
    const { requests } = this.#parts;
    const request = requests.open(key);
    const fate = { tombstone: false };
    try {
      const giveUp = (call: Call<R>): Error => {
        const mayRun = this.abandon(call);
        if (mayRun || always) {
          fate.tombstone = true;
          this.inBackground(setTombstone(request), {
            answered: (answer) => follower?.tombstoneSet(answer, call),
            failed: () => follower?.forgotten?.(),
            done: () => requests.settle(key, request),
            // A call whose record is gone would look like one that never ran.
            limit: mayRun ? 'from now' : 'once sent',
          });
        }
        return this.#outOfTime(resource, call, 'change');
      };
      return await this.#inTime(resource, build(request), 'change', giveUp, always);
    } finally {
      if (!fate.tombstone) {
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

  /** Sends in the background, through outages, however long they last: what it states may
   * be stated at any time. Only what is limited ends earlier. */
  inBackground<R>(command: Command<R>, { answered, ...ending }: Background<R> = {}): void {
    const call = this.start(command, {
      answered: (answer, finished) => {
        this.#cleanUp.finished(finished);
        answered?.(answer);
      },
      failed: (error, unfinished) => this.#cleanUp.finished(unfinished, error),
    });
    call.insists = true;
    this.#cleanUp.add(call, ending);
  }

  /** Settles when every call is answered or given up, and all clean-up is done or has failed. */
  async cleanedUp(): Promise<void> {
    while (this.#waiting + this.#cleanUp.size > 0) {
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
    const cause = refusal ?? this.#parts.router.whyDown(key);
    const isDown = sent ? 'no answer from Redis' : 'no connection to Redis';
    const what = refusal === undefined ? isDown : `Redis refused (${refusal.message})`;
    const after = `within ${Math.round(waitedMs)} ms`;
    return new CommandTimeoutError(`${what} ${after} for "${resource}"`, { resource, cause });
  }

  close(): void {
    this.#timeouts.close();
    this.#cleanUp.close();
  }

  /** Settles with the answer, or with what `giveUp` makes of the time that ran out. */
  #inTime<R>(
    resource: string,
    command: Command<R>,
    purpose: Purpose,
    giveUp: (call: Call<R>) => Error,
    insists = purpose === 'release',
    goOn?: GoOn<R>,
  ): Promise<Answered<R>> {
    return new Promise((resolve, reject) => {
      const asked = new PendingReply<R>(this.#hooks, resource, purpose, giveUp, resolve, reject);
      asked.goOn = goOn;
      this.#waiting += 1;
      this.#parts.keepAlive.ref();
      this.#timeouts.add(asked, this.#leftMs);
      asked.call = this.start(command, asked);
      asked.call.insists = insists;
    });
  }

  #served(): void {
    this.#waiting -= 1;
    this.#parts.keepAlive.unref();
    this.#checkCleanedUp();
  }

  #checkCleanedUp(): void {
    if (this.#waiting + this.#cleanUp.size === 0) {
      this.#cleanedUp?.();
    }
  }

  #outOfTime(
    resource: string,
    call: PendingCall,
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
