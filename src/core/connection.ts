import { randomInt } from 'node:crypto';
import type { Clock, Timer } from './clock.js';
import type { Redis } from './redis.js';

/** Reconnection starts at this pause and doubles up to the longest. */
const PAUSE_MIN_MS = 16;
const PAUSE_MAX_MS = 1_000;

/** What the owner of a connection is told. */
export interface ConnectionOwner {
  /** A connection stands, signed in and ready. */
  connected(redis: Redis): void;
  /** It is gone, and whatever was outstanding on it will not be answered. */
  disconnected(cause: Error): void;
  /** An attempt to connect failed. */
  failed(cause: Error): void;
}

/**
 * Keeps one connection to one server: each attempt is a new driver instance that never reconnects
 * by itself, so nothing can be sent again, queued or subscribed behind our back.
 */
export class Connection {
  readonly #create: () => Redis;
  readonly #clock: Clock;
  readonly #owner: ConnectionOwner;
  #current: Redis | undefined;
  #ready = false;
  #attempts = 0;
  #retry: Timer | undefined;
  #lastError: Error | undefined;
  #closed = false;

  constructor(create: () => Redis, clock: Clock, owner: ConnectionOwner) {
    this.#create = create;
    this.#clock = clock;
    this.#owner = owner;
  }

  /** The connection to write to, if one is ready. */
  get ready(): Redis | undefined {
    return this.#ready ? this.#current : undefined;
  }

  /** Why there is no connection, as far as the driver has said. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** Starts connecting; harmless when it did before. */
  open(): void {
    if (this.#closed || this.#current !== undefined || this.#retry !== undefined) {
      return;
    }
    const redis = this.#create();
    this.#current = redis;
    redis.on('error', (error: Error) => {
      if (this.#current === redis) {
        this.#lastError = error;
      }
    });
    redis.on('connect', () => redis.stream.unref());
    redis.on('ready', () => this.#standing(redis));
    redis.on('end', () => this.#gone(redis, new Error('the connection was closed')));
    redis.connect().catch(() => {});
  }

  /** Gives up the connection at once, as one that may be half-open, and makes another. */
  drop(redis: Redis, cause: Error): void {
    if (this.#current === redis) {
      this.#lastError = cause;
      this.#gone(redis, cause);
    }
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#retry = undefined;
    const redis = this.#current;
    if (redis !== undefined) {
      this.#current = undefined;
      this.#ready = false;
      destroy(redis);
    }
  }

  #standing(redis: Redis): void {
    if (this.#current === redis) {
      this.#ready = true;
      this.#attempts = 0;
      this.#lastError = undefined;
      this.#owner.connected(redis);
    }
  }

  #gone(redis: Redis, cause: Error): void {
    if (this.#current !== redis) {
      return;
    }
    const wasReady = this.#ready;
    this.#current = undefined;
    this.#ready = false;
    this.#lastError ??= cause;
    destroy(redis);
    const pauseMs = Math.min(PAUSE_MIN_MS * 2 ** this.#attempts, PAUSE_MAX_MS);
    this.#attempts += 1;
    // The owner first: what it does now must not find a connection.
    if (wasReady) {
      this.#owner.disconnected(this.#lastError);
    } else {
      this.#owner.failed(this.#lastError);
    }
    this.#retry = this.#clock.after(randomInt(pauseMs / 2, pauseMs + 1), () => {
      this.#retry = undefined;
      this.open();
    });
  }
}

function destroy(redis: Redis): void {
  redis.removeAllListeners();
  // An instance that still connects reports an error after its listeners are gone.
  redis.on('error', () => {});
  const { stream } = redis as { stream?: Redis['stream'] };
  redis.disconnect();
  // A graceful end would wait for the other side, which a half-open connection has not got.
  stream?.destroy();
}
