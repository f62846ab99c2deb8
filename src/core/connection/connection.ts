import type { Timer } from '../base/clock.js';
import { asError } from '../wire/replies.js';
import { outside, whenSettled } from '../base/async-context.js';
import type { Health } from '../observe/troubles.js';
import { addressOf } from './access.js';
import { isReplyError, type Redis, type Use } from './driver.js';
import type { ConnectionOptions } from './driver-types.js';
import type { Environment } from './environment.js';
import { NoAnswer } from './no-answer.js';
import type { OneServer, Side } from './one-server.js';
import { withNextSentinel } from './sentinel-watch.js';
import type { Examined } from './server-check.js';

/** The pause between two attempts starts at the shortest and doubles up to the longest. */
const PAUSE_MIN_MS = 16;
const PAUSE_MAX_MS = 1_000;

/** The environments of clients that have told of an unknown driver. */
const told = new WeakSet<Environment>();

const UNKNOWN_DRIVER =
  'this version of ioredis is not one that redlatch was tested with, so its commands go through it, ' +
  'which costs more CPU';

/** How to reach a server. */
export interface Server {
  readonly options: ConnectionOptions;
  /** A connection that is not ready within this time is given up and made anew. */
  readonly readyLimitMs: number;
}

/** The owner of a connection. */
export interface ConnectionOwner {
  /** A connection is established, signed in and ready. */
  connected(redis: Redis): void;
  /** The connection is gone, and nothing outstanding on it will be answered. */
  disconnected(cause: Error): void;
  /** Examines the server behind a connection before that is used. */
  readonly examine: (redis: Redis) => Promise<Examined>;
  /** The connections to the same address. */
  readonly oneServer: OneServer;
  /** Finds out whether the connection still hears what is published at its address. */
  prove?(): void;
  /** An attempt to connect failed. */
  failed(cause: Error): void;
  /** One of these functions, or a function of the template, threw. The connection goes on. */
  fault(error: Error): void;
  readonly health: Health;
  readonly use: Use;
}

/**
 * Keeps one connection to one server: each attempt is a new driver instance that never reconnects
 * by itself, so the driver never resends, queues or resubscribes anything in the background.
 */
export class Connection implements Side {
  /** Where it leads to, in words. */
  readonly address: string;
  #server: Server;
  readonly #environment: Environment;
  readonly #owner: ConnectionOwner;
  /** What people are told while there is no connection. */
  readonly #trouble: string;
  /** Tells of attempts that failed. */
  readonly #noAnswer: NoAnswer;
  #current: Redis | undefined;
  #ready = false;
  /** The current attempt has got through to the server. */
  #reached = false;
  #attempts = 0;
  #retry: Timer | undefined;
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
    this.address = addressOf(server.options);
    this.#trouble = `no connection to Redis at ${this.address}`;
    this.#noAnswer = new NoAnswer(environment.clock, (reason) => this.#failed(reason));
  }

  /** The connection to write to, if one is ready. */
  get ready(): Redis | undefined {
    return this.#ready ? this.#current : undefined;
  }

  /** Why there is no connection, as far as the driver has said. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** Starts connecting; does nothing when it has started before. */
  open(): void {
    if (this.#closed || this.#current !== undefined || this.#retry !== undefined) {
      return;
    }
    this.#owner.health.down(this.#trouble, this, () => this.whyDown);
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
    const redis = this.#environment.connect(options, readyLimitMs, this.#owner.use);
    this.#current = redis;
    this.#reached = false;
    this.#attemptError = undefined;
    redis.on('error', (error) => {
      if (this.#current === redis) {
        // What the server said tells more than that it closed the connection then.
        const isBetter = this.#attemptError === undefined || isReplyError(error);
        this.#attemptError = isBetter ? error : this.#attemptError;
        if (isReplyError(error) && !this.#ready) {
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
    this.#waitLimit = this.#environment.clock.after(readyLimitMs, () => {
      const why = `Redis was not ready within ${readyLimitMs} ms: ${this.#state}`;
      this.drop(redis, new Error(why));
    });
    redis.on('ready', () => this.#check(redis));
    redis.on('end', () => this.#gone(redis, new Error('the connection was closed')));
    redis.connect().catch(() => {});
  }

  /** A server may hide INFO, by which the driver finds out whether it is ready: it says LOADING itself. */
  #doWithoutInfo({ message }: Error): void {
    const { options, readyLimitMs } = this.#server;
    if (/^ERR unknown command ['`]?info\b/iu.test(message)) {
      this.#server = { options: { ...options, enableReadyCheck: false }, readyLimitMs };
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

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    this.#owner.oneServer.ended(this);
    this.#noAnswer.reset();
    this.#owner.health.up(this.#trouble, this);
    this.#retry?.cancel();
    this.#waitLimit?.cancel();
    const redis = this.#current;
    if (redis !== undefined) {
      this.#current = undefined;
      this.#ready = false;
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
      ({ unsupported, runId }) => {
        if (unsupported !== undefined) {
          this.drop(redis, unsupported);
        } else if (this.#current === redis) {
          this.#standing(redis);
          this.#owner.oneServer.learned(this, runId);
        }
      },
      (error) => this.#gone(redis, error),
    );
  }

  #standing(redis: Redis): void {
    if (this.#current === redis && !this.#ready) {
      this.#waitLimit?.cancel();
      this.#ready = true;
      this.#attempts = 0;
      this.#lastError = undefined;
      this.#attemptError = undefined;
      this.#noAnswer.reset();
      this.#owner.health.up(this.#trouble, this);
      this.#tell(() => this.#owner.connected(redis));
      if (!redis.isKnownDriver && !told.has(this.#environment)) {
        told.add(this.#environment);
        this.#owner.fault(new Error(UNKNOWN_DRIVER));
      }
    }
  }

  #gone(redis: Redis, cause: Error): void {
    if (this.#current !== redis) {
      return;
    }
    const wasReady = this.#ready;
    this.#owner.oneServer.ended(this);
    this.#waitLimit?.cancel();
    this.#current = undefined;
    this.#ready = false;
    const error = this.#attemptError ?? cause;
    this.#attemptError = undefined;
    this.#owner.health.down(this.#trouble, this, () => this.whyDown);
    // The next attempt is scheduled first, so that no error below can prevent it.
    this.#retryLater();
    this.#tell(() => redis.destroy());
    if (wasReady) {
      this.#lastError = error;
      this.#tell(() => this.#owner.disconnected(error));
    } else {
      this.#server = { ...this.#server, options: withNextSentinel(this.#server.options) };
      this.#noAnswer.failed(error, redis.questionAfter?.(error, this.#reached));
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

  #retryLater(): void {
    const pauseMs = Math.min(PAUSE_MIN_MS * 2 ** this.#attempts, PAUSE_MAX_MS);
    this.#attempts += 1;
    const { clock, random } = this.#environment;
    this.#retry = clock.after(random.int(pauseMs / 2, pauseMs), () => {
      this.#retry = undefined;
      this.open();
    });
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
