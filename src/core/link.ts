import type { Sending } from './call.js';
import { Chain } from './chain.js';
import { deadline } from './clock.js';
import type { Clock, Timer } from './clock.js';
import { Connection } from './connection.js';
import type { Server } from './connection.js';
import { cork, isReplyError, sendScript } from './redis.js';
import type { Redis } from './redis.js';
import { isNotNow, isNoWrite } from './refusals.js';

const NOT_NOW_PAUSE_MS = 50;

/** A server that takes no writes is tried again this often by those who insist. */
const NO_WRITE_PAUSE_MS = 250;

/** A server that stays read-only is connected to anew at most this often. */
const DEMOTED_PERIOD_MS = 1_000;

/** The answer of a call was lost with its connection, and the call was not to be sent again. */
class ConnectionLostError extends Error {}

/** What the owner of a link provides and is told. */
export interface LinkOwner {
  /** How long a command may stay unanswered before its connection counts as half-open. */
  readonly answerLimitMs: number;
  /** The link has a ready connection (again). */
  up(): void;
  /** The link has lost its connection, or failed to get one. */
  down(cause: Error): void;
  /** A cluster node says that another one serves the key; true when it was sent there. */
  redirected(call: Sending, error: Error): boolean;
}

/**
 * Delivers calls to one server, in order. Calls wait here, not in the driver, until a connection
 * is ready; what is unanswered when a connection ends is written again to the next one.
 */
export class Link {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #owner: LinkOwner;
  #waiting: Sending[] = [];
  readonly #unanswered = new Chain<Sending>();
  /** Scripts that the server of this connection has been given in full. */
  readonly #known = new Set<string>();
  #demotedAt = Number.NEGATIVE_INFINITY;
  #overdue: Timer | undefined;
  /** Runs while the server is not to be bothered. */
  #pause: Timer | undefined;
  /** Calls that insist, while the server takes no writes. */
  readonly #insisting = new Chain<Sending>();
  #nextTry: Timer | undefined;
  #closedBy: Error | undefined;

  constructor(server: Server, clock: Clock, owner: LinkOwner) {
    this.#clock = clock;
    this.#owner = owner;
    this.#connection = new Connection(server, clock, {
      connected: () => this.#connected(),
      disconnected: (cause) => this.#disconnected(cause),
      failed: (cause) => owner.down(cause),
    });
  }

  get isUp(): boolean {
    return this.#connection.ready !== undefined;
  }

  /** Why there is no connection. */
  get lastError(): Error | undefined {
    return this.#connection.lastError;
  }

  open(): void {
    this.#connection.open();
  }

  /** Sends `call` now, or as soon as there is a connection. */
  send(call: Sending): void {
    const closedBy = this.#closedBy;
    if (closedBy !== undefined) {
      // Not before its sender has it in hand.
      queueMicrotask(() => call.fail(closedBy));
      return;
    }
    const redis = this.#connection.ready;
    // Behind what waits, even when ready: order is what makes a late release find its acquisition.
    if (redis === undefined || this.#waiting.length > 0) {
      this.#waiting.push(call);
    } else {
      this.#write(redis, call);
    }
  }

  /** Asks the server about itself, outside of the order of calls; rejects when not connected. */
  async query(command: string, ...args: string[]): Promise<unknown> {
    const redis = this.#connection.ready;
    if (redis === undefined) {
      throw this.lastError ?? new Error('not connected');
    }
    const limitMs = this.#owner.answerLimitMs;
    const limit = deadline(this.#clock, limitMs, () => this.#silent(redis, limitMs));
    try {
      return await redis.call(command, ...args);
    } finally {
      limit.cancel();
    }
  }

  /** Hands out the calls that wait for a connection, for another link to send. */
  takeWaiting(): Sending[] {
    const calls = this.#waiting;
    this.#waiting = [];
    return calls;
  }

  /** Ends the connection and hands out every call, for another link to send. */
  retire(): Sending[] {
    this.#stop();
    this.#putBack(new Error('the node left the cluster'));
    return [...this.#insisting.clear(), ...this.takeWaiting()];
  }

  /** Stops waiting for `call`: a copy that was not written yet never will be. */
  abandon(call: Sending): void {
    if (!this.#unanswered.delete(call) && !this.#insisting.delete(call)) {
      const at = this.#waiting.indexOf(call);
      if (at >= 0) {
        this.#waiting.splice(at, 1);
      }
    }
  }

  /** Ends the connection; every call still under way fails with `error`. */
  close(error: Error): void {
    this.#closedBy = error;
    this.#stop();
    const insisting = this.#insisting.clear();
    for (const call of [...this.#unanswered.clear(), ...insisting, ...this.takeWaiting()]) {
      call.fail(error);
    }
  }

  #stop(): void {
    this.#overdue?.cancel();
    this.#pause?.cancel();
    this.#nextTry?.cancel();
    this.#connection.close();
  }

  #connected(): void {
    this.#known.clear();
    this.#flush();
    this.#owner.up();
  }

  #flush(): void {
    for (const call of this.takeWaiting()) {
      this.send(call);
    }
  }

  #disconnected(cause: Error): void {
    this.#putBack(cause);
    this.#owner.down(cause);
  }

  /** The answers of what was written will not come. */
  #putBack(cause: Error): void {
    const again: Sending[] = [];
    for (const call of this.#unanswered.clear()) {
      call.strays += 1;
      if (call.resend) {
        again.push(call);
      } else {
        call.fail(new ConnectionLostError(cause.message, { cause }));
      }
    }
    // In their old order, before what has never been sent.
    this.#waiting.unshift(...again);
  }

  #write(redis: Redis, call: Sending): void {
    cork(redis);
    const now = this.#clock.now();
    if (!call.sent) {
      call.sentAt = now;
    }
    call.lastSentAt = now;
    this.#unanswered.push(call);
    const { sha1 } = call.script;
    if (call.asking) {
      redis.call('ASKING').catch(() => {});
    }
    // The first use on a connection sends the source: one command, where EVALSHA might cost two.
    const reply = sendScript(redis, call.script, this.#known.has(sha1), call.operands);
    this.#known.add(sha1);
    reply.then(
      (value) => {
        // Unless it was abandoned meanwhile.
        if (this.#unanswered.delete(call)) {
          call.succeed(value);
        }
      },
      (error: Error) => this.#failed(redis, call, error),
    );
    this.#overdue ??= this.#watch(this.#owner.answerLimitMs);
  }

  #failed(redis: Redis, call: Sending, error: Error): void {
    if (!isReplyError(error)) {
      // Nothing more comes from this connection. When it is gone already, the call has been put
      // back, settled or abandoned.
      this.#connection.drop(redis, error);
      return;
    }
    if (!this.#unanswered.delete(call)) {
      return;
    }
    if (error.message.startsWith('NOSCRIPT')) {
      this.#known.delete(call.script.sha1);
      this.#again(call);
    } else if (isNotNow(error)) {
      this.#waiting.push(call);
      this.#notNow(redis, error);
    } else if (call.insists && isNoWrite(error)) {
      call.refusal = error;
      this.#insisting.push(call);
      this.#nextTry ??= this.#clock.after(NO_WRITE_PAUSE_MS, () => this.#insist());
    } else if (!this.#owner.redirected(call, error)) {
      call.fail(error);
    }
  }

  #insist(): void {
    this.#nextTry = undefined;
    for (const call of this.#insisting.clear()) {
      this.send(call);
    }
  }

  #notNow(redis: Redis, error: Error): void {
    const now = this.#clock.now();
    if (error.message.includes('READONLY') && now - this.#demotedAt > DEMOTED_PERIOD_MS) {
      // A master that was demoted: behind the address there may be another one by now.
      this.#demotedAt = now;
      this.#connection.drop(redis, error);
      return;
    }
    this.#pause ??= this.#clock.after(NOT_NOW_PAUSE_MS, () => {
      this.#pause = undefined;
      this.#flush();
    });
  }

  #again(call: Sending): void {
    const redis = this.#connection.ready;
    if (redis === undefined) {
      this.#waiting.unshift(call);
    } else {
      this.#write(redis, call);
    }
  }

  /** One timer for all: it looks at the call that has been without an answer for longest. */
  #watch(delayMs: number): Timer {
    return this.#clock.after(delayMs, () => {
      this.#overdue = undefined;
      const redis = this.#connection.ready;
      if (redis !== undefined && this.#unanswered.first !== undefined) {
        this.#clock.afterInput(() => this.#judge(redis));
      }
    });
  }

  #judge(redis: Redis): void {
    const { first: oldest } = this.#unanswered;
    if (oldest === undefined || this.#connection.ready !== redis || this.#overdue !== undefined) {
      return;
    }
    const limitMs = this.#owner.answerLimitMs;
    const leftMs = oldest.lastSentAt + limitMs - this.#clock.now();
    if (leftMs > 0) {
      this.#overdue = this.#watch(leftMs);
    } else {
      this.#silent(redis, limitMs);
    }
  }

  /** A connection without an answer for so long counts as half-open. */
  #silent(redis: Redis, limitMs: number): void {
    this.#connection.drop(redis, new Error(`no answer from Redis for ${limitMs} ms`));
  }
}
