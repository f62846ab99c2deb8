import type { Timer } from '../base/clock.js';
import { asError } from '../wire/replies.js';
import { outside, whenSettled } from '../base/async-context.js';
import { addressOf } from './access.js';
import type { ConnectionOwner, Server } from './connection-owner.js';
import type { Credentials } from '../base/credentials-options.js';
import { isReplyError, type Redis } from './driver.js';
import type { Address } from './driver-types.js';
import type { Environment } from './environment.js';
import { NoAnswer } from './no-answer.js';
import type { Side } from './one-server.js';
import { RetryPause } from './retry-pause.js';
import { reportUnknownDriver } from './unknown-driver.js';
import { withNextSentinel } from './sentinel-watch.js';
import { SignIn } from './sign-in.js';

/**
 * Keeps one connection to one server: each attempt is a new driver instance that never reconnects
 * by itself, so the driver never resends, queues or resubscribes anything in the background.
 */
export class Connection implements Side {
  /** Where it leads to, in words. */
  readonly address: string;
  /** Since when there is no connection; undefined when one is ready. */
  downSince: number | undefined;
  #server: Server;
  readonly #environment: Environment;
  readonly #owner: ConnectionOwner;
  /** What people are told while there is no connection. */
  trouble: string;
  /** Tells of attempts that failed. */
  readonly #noAnswer: NoAnswer;
  #current: Redis | undefined;
  /** The current attempt has got through to the server. */
  #reached = false;
  readonly #pause: RetryPause;
  readonly #signIn: SignIn | undefined;
  #waitLimit: Timer | undefined;
  /** The outcome of the last attempt, or the end of the connection. */
  #lastError: Error | undefined;
  /** What the driver has said of the current attempt, or connection. */
  #attemptError: Error | undefined;
  #closed = false;

  constructor(server: Server, environment: Environment, owner: ConnectionOwner) {
    this.#server = server;
    this.#environment = environment;
    this.#owner = owner;
    this.downSince = environment.clock.now();
    this.address = addressOf(server.options);
    this.trouble = `no connection to Redis at ${this.address}`;
    this.#pause = new RetryPause(environment, () => this.open());
    this.#noAnswer = new NoAnswer(environment.clock, (reason) => this.#failed(reason));
    const { credentials, readyLimitMs } = server;
    if (credentials !== undefined) {
      this.#signIn = new SignIn({ credentials, limitMs: readyLimitMs }, environment, this, owner);
    }
  }

  /** The connection to write to, if one is ready. */
  get ready(): Redis | undefined {
    return this.downSince === undefined ? this.#current : undefined;
  }

  /** Why there is no connection, as far as the driver has said. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** Starts connecting; does nothing when it has started before. */
  open(): void {
    if (this.#closed || this.#current !== undefined || this.#pause.isOn) {
      return;
    }
    this.#owner.health.down(this.trouble, this, () => this.whyDown);
    // A socket handles its input in the context in which it was made.
    outside(() => this.#tryToConnect());
  }

  #tryToConnect(): void {
    try {
      this.#connect();
    } catch (error) {
      // A function of the template may throw: the next attempt is made all the same.
      this.#owner.fault(asError(error));
      this.#retryLater();
    }
  }

  #connect(): void {
    const { options, readyLimitMs } = this.#server;
    const signIn = this.#signIn;
    const ask = signIn && ((address: Address) => this.#ask(redis, signIn, address));
    const redis = this.#environment.connect(options, readyLimitMs, this.#owner.use, ask);
    this.#current = redis;
    this.#reached = false;
    this.#attemptError = undefined;
    redis.on('error', (error) => {
      if (this.#current === redis) {
        // What the server said tells more than that it closed the connection then.
        const isBetter = this.#attemptError === undefined || isReplyError(error);
        this.#attemptError = isBetter ? error : this.#attemptError;
        if (isReplyError(error) && this.downSince !== undefined) {
          // Signing in or selecting the database failed, and the driver would go on regardless.
          this.#doWithoutInfo(error);
          this.drop(redis, error);
        }
      }
    });
    redis.on('connect', () => {
      this.#reached = true;
      redis.unref();
    });
    this.#limit(redis);
    redis.on('ready', () => this.#check(redis));
    redis.on('end', () => this.#gone(redis, new Error('the connection was closed')));
    redis.connect().catch(() => {});
  }

  #limit(redis: Redis): void {
    const { readyLimitMs } = this.#server;
    this.#waitLimit = this.#environment.clock.after(readyLimitMs, () => {
      const why = `Redis was not ready within ${readyLimitMs} ms: ${this.#state}`;
      this.drop(redis, new Error(why));
    });
  }

  /** Gets credentials, which has a limit of its own, for an attempt that goes on then. */
  async #ask(redis: Redis, signIn: SignIn, address: Address): Promise<Credentials> {
    if (this.#current === redis) {
      this.#waitLimit?.cancel();
    }
    try {
      return await signIn.ask(address);
    } catch (error) {
      this.drop(redis, asError(error));
      throw error;
    } finally {
      if (this.#current === redis) {
        this.#limit(redis);
      }
    }
  }

  /** A server may hide INFO, by which the driver finds out whether it is ready: it says LOADING itself. */
  #doWithoutInfo({ message }: Error): void {
    if (/^ERR unknown command ['`]?info\b/iu.test(message)) {
      const options = { ...this.#server.options, enableReadyCheck: false };
      this.#server = { ...this.#server, options };
    }
  }

  /** Gives up the connection at once, as one that may be half-open, and makes another. */
  drop(redis: Redis, cause: Error): void {
    if (this.#current === redis) {
      this.#attemptError = cause;
      this.#gone(redis, cause);
    }
  }

  leave(cause: Error): void {
    const { ready } = this;
    if (ready !== undefined) {
      this.drop(ready, cause);
    }
  }

  prove(): void {
    this.#owner.prove?.();
  }

  #retryLater(): void {
    this.#owner.oneServer.lost(this);
    this.#pause.begin();
  }

  /** It has taken the place of another one, and is itself replaced when its credentials run out. */
  hasReplaced(last: Connection): void {
    this.#signIn?.standing(last.#signIn);
  }

  tryNow(): void {
    this.#pause.endNow();
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    this.#owner.oneServer.ended(this);
    this.#noAnswer.reset();
    this.#owner.health.up(this.trouble, this);
    this.#pause.cancel();
    this.#waitLimit?.cancel();
    this.#signIn?.over();
    const redis = this.#current;
    if (redis !== undefined) {
      this.#current = undefined;
      this.downSince ??= this.#environment.clock.now();
      redis.destroy();
    }
  }

  /** No call is sent before the server is known to be one that can run it. */
  #check(redis: Redis): void {
    const examined = this.#owner.examine(redis);
    if (this.#owner.use === 'messages') {
      // Its channels need not wait for the answer.
      this.#standing(redis);
    }
    whenSettled(
      examined,
      (found) => {
        if (found.unsupported !== undefined) {
          this.drop(redis, found.unsupported);
        } else if (this.#current === redis) {
          this.#owner.examined(found, this.address);
          this.#standing(redis);
          this.#owner.oneServer.learned(this, found.runId);
        }
      },
      (error) => this.#gone(redis, error),
    );
  }

  #standing(redis: Redis): void {
    if (this.#current === redis && this.downSince !== undefined) {
      this.#waitLimit?.cancel();
      this.downSince = undefined;
      this.#pause.reset();
      this.#lastError = undefined;
      this.#attemptError = undefined;
      this.#noAnswer.reset();
      this.#owner.health.up(this.trouble, this);
      this.#signIn?.standing();
      this.#tell(() => this.#owner.connected(redis));
      reportUnknownDriver(redis, this.#environment, this.#owner);
    }
  }

  #gone(redis: Redis, cause: Error): void {
    if (this.#current !== redis) {
      return;
    }
    const wasReady = this.downSince === undefined;
    this.#waitLimit?.cancel();
    this.#signIn?.over();
    this.#current = undefined;
    this.downSince ??= this.#environment.clock.now();
    const error = this.#attemptError ?? cause;
    this.#attemptError = undefined;
    this.#owner.health.down(this.trouble, this, () => this.whyDown);
    // The next attempt is scheduled first, so that no error below can prevent it.
    this.#retryLater();
    this.#tell(() => redis.destroy());
    if (wasReady) {
      this.#lastError = error;
      this.#tell(() => this.#owner.disconnected(error));
    } else {
      this.#server = { ...this.#server, options: withNextSentinel(this.#server.options) };
      const isOurs = error === this.#signIn?.failure;
      this.#noAnswer.failed(
        error,
        isOurs ? undefined : redis.questionAfter?.(error, this.#reached),
      );
    }
  }

  /** An attempt to connect has failed, and this is why. */
  #failed(reason: Error): void {
    // Only this attempt counts: an answer of a server that is gone by now would be an old one.
    this.#lastError = reason;
    this.#tell(() => this.#owner.failed(reason));
  }

  /** Why there is no connection, as far as that is known by now. */
  get whyDown(): Error {
    // The error of the driver for an attempt under way may not be the reason. When the attempt ends, the server
    // is asked.
    return this.#lastError ?? this.#attemptError ?? new Error(this.#state);
  }

  /** How far the current attempt has come. */
  get #state(): string {
    if (this.#reached) {
      return 'it accepts connections, but does not answer';
    }
    return this.#current?.isInHandshake === true
      ? 'it accepts connections, but does not answer the TLS handshake'
      : 'no answer';
  }

  /** Runs `what`. Its error must stop neither the event of the driver nor the steps after it. */
  #tell(what: () => void): void {
    try {
      what();
    } catch (error) {
      this.#owner.fault(asError(error));
    }
  }
}
