import { TooLateError, type PendingCall, type Written } from '../wire/call.js';
import type { Clock } from '../base/clock.js';
import type { Environment } from './environment.js';
import { Demotion } from './demotion.js';
import { Connection } from './connection.js';
import type { ConnectionOwner, Server } from './connection-owner.js';
import { soon } from '../base/async-context.js';
import { asError } from '../wire/replies.js';
import { isReplyError, type Redis } from './driver.js';
import type { Access } from './access.js';
import { answerOf, type ErrorAnswer } from './error-answers.js';
import { denialOf } from './server-errors.js';
import { Refusals } from './refusals.js';
import { isSentAgain, ResendQueue } from './resend-queue.js';
import { Unanswered } from './half-open.js';
import { examine, type Examined } from './server-check.js';
import { LATE, ServerTime, timeIn } from './server-time.js';
import { Window } from './window.js';

/** The owner of a command connection. */
export interface CommandConnectionOwner extends Pick<
  ConnectionOwner,
  'examined' | 'fault' | 'health' | 'oneServer' | 'trouble'
> {
  /** Its server is a node of a cluster. */
  readonly isNode: boolean;
  /** How long nothing may be heard, while an answer is awaited, before a connection counts as half-open. */
  readonly answerLimitMs: number;
  /** Of the client: a server may fall behind by a part of it. */
  readonly leaseMs: number;
  /** The longest pause before a refused call is sent again. */
  readonly maxPauseMs: number;
  /** There is a ready connection (again). */
  up(): void;
  /** The connection was lost, or could not be made. */
  down(cause: Error): void;
  /** A cluster node says that another one serves the key; true when it was sent there. */
  redirected(call: PendingCall, error: Error): boolean;
  readonly access: Access;
}

/**
 * Delivers calls to one server, in order. Calls wait here, not in the driver, until a connection
 * is ready; calls that are unanswered when a connection ends are written again to the next one.
 */
export class CommandConnection implements Written {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #owner: CommandConnectionOwner;
  readonly #waiting: ResendQueue;
  readonly #unanswered: Unanswered;
  readonly #window: Window;
  readonly #time: ServerTime;
  /** Calls wait for the time of the server. */
  #isLearning = false;
  /** Digests of the scripts whose source was sent on this connection. */
  readonly #known = new Set<string>();
  readonly #refusals: Refusals;
  readonly #demotion: Demotion;
  #closedBy: Error | undefined;

  constructor(server: Server, environment: Environment, owner: CommandConnectionOwner) {
    const { clock } = environment;
    this.#clock = clock;
    this.#owner = owner;
    this.#connection = new Connection(server, environment, {
      connected: () => this.#connected(),
      examine: async (redis) => await this.#examine(redis),
      examined: (found, address) => owner.examined(found, address),
      oneServer: owner.oneServer,
      disconnected: (cause) => this.#disconnected(cause),
      failed: (cause) => this.#notConnected(cause),
      fault: (error) => owner.fault(error),
      trouble: (error) => owner.trouble(error),
      query: async (write) => await this.#unanswered.query(write),
      health: owner.health,
      use: 'commands',
    });
    this.#demotion = new Demotion(clock, this.#connection, owner.oneServer);
    const { address } = this.#connection;
    this.#refusals = new Refusals(environment, owner, address, this.query.bind(this));
    const send = (call: PendingCall): void => this.send(call);
    this.#waiting = new ResendQueue(environment, owner.maxPauseMs, () => this.#flush(), send);
    this.#unanswered = new Unanswered(clock, owner.answerLimitMs, () => this.#silent());
    const [unanswered, waiting] = [this.#unanswered, this.#waiting];
    const write = (call: PendingCall): void => this.#again(call);
    this.#window = new Window(clock, owner.leaseMs, { unanswered, waiting, write });
    this.#time = new ServerTime(clock, owner.answerLimitMs);
  }

  get isUp(): boolean {
    return this.#connection.ready !== undefined;
  }

  /** The error of all calls while no retry helps: none was ever let in. */
  get denial(): Error | undefined {
    const { lastError } = this.#connection;
    return this.isUp || this.#owner.access.signedIn ? undefined : denialOf(lastError);
  }

  /** Why there is no connection; undefined when there is one. */
  get whyDown(): Error | undefined {
    return this.isUp ? undefined : this.#connection.whyDown;
  }

  get downSince(): number | undefined {
    return this.#connection.downSince;
  }

  open(): void {
    this.#connection.open();
  }

  /** Sends `call` now, or as soon as there is a connection. */
  send(call: PendingCall): void {
    const error = this.#closedBy ?? this.denial;
    if (error !== undefined) {
      // Not at once: the sender does not have the call in hand yet.
      soon(() => call.fail(error));
      return;
    }
    const redis = this.#connection.ready;
    // Behind the waiting calls, even when ready: a late release must not overtake its acquisition.
    if (redis === undefined || (this.#waiting.holdsUp(call) && !this.#passesBy(call))) {
      this.#waiting.add(call);
    } else if (Number.isNaN(call.endsAt)) {
      this.#window.add(call);
    } else {
      this.#addKnowing(redis, call);
    }
  }

  /** Asks the server about itself, outside of the order of calls; rejects when not connected. */
  async query(command: string, ...args: string[]): Promise<unknown> {
    const redis = this.#connection.ready;
    if (redis === undefined) {
      throw this.#connection.whyDown;
    }
    return await this.#unanswered.query(() => redis.call(command, args));
  }

  async sendBehind(call: PendingCall, parts: readonly string[], takesMs: number): Promise<unknown> {
    const [command = '', ...args] = parts;
    const redis = this.#connection.ready;
    if (redis === undefined || redis !== call.writtenTo) {
      throw this.#connection.whyDown;
    }
    return await this.#unanswered.query(() => redis.call(command, args), takesMs);
  }

  /** Takes out the calls that wait for a connection, in the order in which they were made. */
  takeWaiting(): PendingCall[] {
    return this.#waiting.take();
  }

  /** Ends the connection and takes out every call, for another connection to send. */
  retire(): PendingCall[] {
    this.#stop();
    this.#waiting.putBack(this.#unanswered.clear(), new Error('the node left the cluster'));
    return this.#waiting.takeAll();
  }

  /** Ends the connection; every call still under way fails with `error`. */
  close(error: Error): void {
    this.#closedBy = error;
    this.#stop();
    const unanswered = this.#unanswered.clear();
    for (const call of unanswered) {
      call.unackedCopies += 1;
    }
    for (const call of [...unanswered, ...this.#waiting.takeAll()]) {
      call.fail(error);
    }
  }

  #stop(): void {
    this.#window.leave();
    this.#refusals.close();
    this.#unanswered.close();
    this.#waiting.close();
    this.#connection.close();
  }

  /** An attempt to connect failed. */
  #notConnected(cause: Error): void {
    const { denial } = this;
    if (denial !== undefined) {
      for (const call of this.#waiting.takeAll()) {
        call.fail(denial);
      }
    }
    this.#owner.down(cause);
  }

  async #examine(redis: Redis): Promise<Examined> {
    const startedAt = this.#clock.now();
    const found = await examine(redis, this.#owner.isNode);
    this.#window.connected(this.#clock.now() - startedAt);
    this.#time.forget();
    if (found.timeMs !== null) {
      this.#time.learn(found.timeMs, startedAt);
    }
    return found;
  }

  #connected(): void {
    this.#owner.access.signedIn = true;
    this.#known.clear();
    this.#isLearning = false;
    this.#waiting.connected();
    this.#flush();
    this.#owner.up();
  }

  #flush(): void {
    const redis = this.#connection.ready;
    if (redis !== undefined) {
      this.#window.leave();
      for (const call of this.#waiting.take()) {
        this.#addKnowing(redis, call);
      }
    }
  }

  #disconnected(cause: Error): void {
    this.#window.leave();
    // The calls that were written get no answer any more.
    this.#waiting.putBack(this.#unanswered.clear(), cause);
    this.#owner.down(cause);
  }

  #write(redis: Redis, call: PendingCall): void {
    redis.cork();
    call.writing(this.#clock.now());
    call.writtenTo = redis;
    call.writtenBy = this;
    this.#unanswered.add(call);
    const untilMs = Number.isNaN(call.endsAt) ? undefined : this.#untilOf(redis, call);
    if (call.asking) {
      redis.call('ASKING').catch(() => {});
    }
    // The first use on a connection sends the source: one command, where EVALSHA might cost two.
    const isKnown = this.#known.has(call.script.sha1);
    this.#known.add(call.script.sha1);
    // Another copy may have been written by the time of the answer.
    const sentAt = call.lastSentAt;
    redis.sendScript(call.script, isKnown, call.operandsOn(redis, untilMs), (reply, error) => {
      if (error === undefined) {
        this.#carriedOut(call, reply, sentAt);
      } else {
        this.#refused(redis, call, error, isKnown);
      }
      if (error === undefined) {
        this.#window.answered(call, sentAt);
      } else if (isReplyError(error)) {
        this.#window.refused(call);
      }
    });
    if (call.atOnce) {
      redis.flush();
    }
  }

  /** When a copy that is written now may be run no more, by the clock of its server; undefined: that is not known. */
  #untilOf(redis: Redis, { endsAt }: PendingCall): number | undefined {
    if (this.#time.isDue()) {
      void this.#requestTime(redis);
    }
    const untilMs = this.#time.at(endsAt);
    // The server counts whole milliseconds.
    return untilMs === undefined ? undefined : Math.floor(untilMs) - 1;
  }

  /** Adds a call. Where it has an end, and the time of the server is not known, that is requested first; calls behind it
   * wait as well. */
  #addKnowing(redis: Redis, call: PendingCall): void {
    if (!this.#waiting.holdsUp(call) && (Number.isNaN(call.endsAt) || !this.#time.isUseless)) {
      this.#window.add(call);
      return;
    }
    this.#waiting.add(call);
    if (!this.#isLearning) {
      this.#isLearning = true;
      void this.#learnTime(redis);
    }
  }

  async #learnTime(redis: Redis): Promise<void> {
    await this.#requestTime(redis);
    // Otherwise the calls wait for the next connection.
    if (redis === this.#connection.ready) {
      this.#isLearning = false;
      this.#flush();
    }
  }

  /** A round, or the confirmation of a grant, waits for nothing but a connection. */
  #passesBy(call: PendingCall): boolean {
    return this.#isLearning && !call.resend;
  }

  async #requestTime(redis: Redis): Promise<void> {
    const sentAt = this.#clock.now();
    this.#time.requested();
    try {
      const answer = await this.#unanswered.query(() => redis.call('TIME', []));
      this.#time.learn(timeIn(answer), sentAt);
    } catch (error) {
      // A call that is written meets the same refusal, and its caller is told. Any other error ends the connection.
      if (isReplyError(error)) {
        this.#time.hidden();
      }
    }
  }

  #carriedOut(call: PendingCall, reply: unknown, sentAt: number): void {
    this.#owner.access.served = true;
    try {
      this.#refusals.carriedOut(call);
    } catch (thrown) {
      // Other replies that came with this one are still to be told.
      this.#owner.fault(asError(thrown));
    }
    if (!this.#unanswered.delete(call)) {
      return;
    }
    const [, late, serverMs] = Number.isNaN(call.endsAt) ? [] : (LATE.exec(String(reply)) ?? []);
    if (late === undefined) {
      call.succeed(reply);
      return;
    }
    if (serverMs !== undefined) {
      this.#time.learn(Number(serverMs), sentAt);
    }
    call.fail(new TooLateError('the call was late'));
  }

  /** Handles an error reply. If that throws (a function of the template may), the call fails, and
   * the process goes on. */
  #refused(redis: Redis, call: PendingCall, error: Error, wasKnown: boolean): void {
    try {
      this.#failed(redis, call, error, wasKnown);
    } catch (thrown) {
      this.#owner.fault(asError(thrown));
      call.fail(error);
    }
  }

  #failed(redis: Redis, call: PendingCall, error: Error, wasKnown: boolean): void {
    if (!isReplyError(error)) {
      // This connection answers nothing more. If it is gone already, the call was put back.
      this.#connection.drop(redis, error);
      return;
    }
    if (!this.#unanswered.delete(call)) {
      return;
    }
    const answer = answerOf(error);
    switch (answer) {
      case 'no script':
        this.#known.delete(call.script.sha1);
        if (wasKnown) {
          // At once, with the source of the script.
          this.#again(call);
        } else {
          this.#goOn(call, answer, error);
        }
        break;
      case 'not now':
        this.#refusals.add(call, error);
        this.#waiting.refused(call, error);
        this.#demotion.refused(redis, error);
        break;
      case 'elsewhere':
        if (!this.#owner.redirected(call, error)) {
          this.#goOn(call, answer, error);
        }
        break;
      case 'no right':
      case 'no right inside':
        call.wasRefusedInside ||= answer === 'no right inside';
        // Clean-up goes on: what it undoes was sent, and may be carried out when a right is there.
        if (this.#owner.access.served || call.insists) {
          this.#goOn(call, answer, error);
        } else {
          call.fail(denialOf(error) ?? error);
        }
        break;
      case 'unsupported':
        call.fail(denialOf(error) ?? error);
        break;
      case 'unknown':
        // No answer, in effect: this copy may have run.
        call.unackedCopies += 1;
        this.#goOn(call, answer, error);
        break;
      default:
        this.#goOn(call, answer, error);
    }
  }

  #goOn(call: PendingCall, answer: ErrorAnswer, error: Error): void {
    if (isSentAgain(call, answer)) {
      this.#refusals.add(call, error);
      this.#waiting.insist(call);
    } else {
      call.fail(error);
    }
  }

  #again(call: PendingCall): void {
    const redis = this.#connection.ready;
    if (redis === undefined) {
      this.#waiting.add(call);
    } else {
      this.#write(redis, call);
    }
  }

  /** The answer limit has passed: the connection counts as half-open. */
  #silent(): void {
    const { answerLimitMs } = this.#owner;
    this.#connection.leave(new Error(`no answer from Redis for ${answerLimitMs} ms`));
  }
}
