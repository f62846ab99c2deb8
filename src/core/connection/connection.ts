import type { Timer } from '../base/clock.js';
import { asError } from '../wire/replies.js';
import { outside } from '../base/async-context.js';
import type { Health } from '../observe/troubles.js';
import { addressOf } from './access.js';
import { isReplyError, type Redis, type Use } from './driver.js';
import type { ConnectionOptions } from './driver-types.js';
import type { Environment } from './environment.js';

/** The pause between two attempts starts at the shortest and doubles up to the longest. */
const PAUSE_MIN_MS = 16;
const PAUSE_MAX_MS = 1_000;

/** The environments of clients that have told of an unknown driver. */
const told = new WeakSet<Environment>();

const UNKNOWN_DRIVER =
  'this version of ioredis is not one that latchkey was tested with, so its commands go through it, ' +
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
export class Connection {
  /** Where it leads to, in words. */
  readonly address: string;
  readonly #server: Server;
  readonly #environment: Environment;
  readonly #owner: ConnectionOwner;
  /** What people are told while there is no connection. */
  readonly #trouble: string;
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
    this.#owner.health.down(this.#trouble, this, () => this.#whyDown());
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
          this.drop(redis, error);
        }
      }
    });
    redis.on('connect', () => {
      this.#reached = true;
      redis.unref();
    });
    this.#waitLimit = this.#environment.clock.after(readyLimitMs, () => {
      this.drop(redis, new Error(`Redis was not ready within ${readyLimitMs} ms`));
    });
    redis.on('ready', () => this.#standing(redis));
    redis.on('end', () => this.#gone(redis, new Error('the connection was closed')));
    redis.connect().catch(() => {});
  }

  /** Gives up the connection at once, as one that may be half-open, and makes another. */
  drop(redis: Redis, cause: Error): void {
    if (this.#current === redis) {
      this.#attemptError = cause;
      this.#gone(redis, cause);
    }
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
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

  #standing(redis: Redis): void {
    if (this.#current === redis) {
      this.#waitLimit?.cancel();
      this.#ready = true;
      this.#attempts = 0;
      this.#lastError = undefined;
      this.#attemptError = undefined;
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
    this.#waitLimit?.cancel();
    this.#current = undefined;
    this.#ready = false;
    // Only this attempt counts: an answer of a server that is gone by now would be an old one.
    this.#lastError = this.#attemptError ?? cause;
    this.#owner.health.down(this.#trouble, this, () => this.#whyDown());
    // The next attempt is scheduled first, so that no error below can prevent it.
    this.#retryLater();
    const error = this.#lastError;
    this.#tell(() => redis.destroy());
    this.#tell(() => (wasReady ? this.#owner.disconnected(error) : this.#owner.failed(error)));
  }

  #whyDown(): Error {
    const state = this.#reached ? 'it accepts connections, but does not answer' : 'no answer';
    return this.#attemptError ?? this.#lastError ?? new Error(state);
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
