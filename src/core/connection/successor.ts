import { whenSettled } from '../base/async-context.js';
import { deadline, type Clock, type Timer } from '../base/clock.js';
import type { Connection } from './connection.js';
import { isReplyError, type Redis } from './driver.js';
import { cannotSignIn } from './sign-in.js';

/** A connection that hears nothing for so long is given up. */
const LAST_WORD_MS = 1_000;

/** A connection that is to take the place of another one as soon as the server has confirmed all its channels. */
export class Successor {
  readonly connection: Connection;
  /** Channels that the server has refused. */
  readonly refused: Map<string, Error> = new Map<string, Error>();
  /** What people are told while the connection in use has none. */
  readonly #trouble: string;
  readonly #limitMs: number;
  readonly #clock: Clock;
  readonly #complete: () => void;
  /** Channels without an answer; undefined before it is connected. Kept when it is cut, until it is connected again. */
  #open: Set<string> | undefined;
  #limit: Timer | undefined;

  /** `complete` is called when there is an answer for each channel. */
  constructor(connection: Connection, clock: Clock, limitMs: number, complete: () => void) {
    this.connection = connection;
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#complete = complete;
    this.#trouble = connection.trouble;
    connection.trouble = cannotSignIn(connection.address);
    connection.open();
  }

  /** It is connected, and subscribes to these channels. */
  connected(redis: Redis, channels: readonly string[]): void {
    this.#limit?.cancel();
    this.refused.clear();
    this.#open = new Set(channels);
    this.#limit = deadline(this.#clock, this.#limitMs, () => {
      const why = `the channels of a new connection were not confirmed within ${this.#limitMs} ms`;
      this.connection.drop(redis, new Error(why));
    });
    this.#check();
  }

  /** It subscribes to one more. */
  add(channel: string): void {
    this.#open?.add(channel);
  }

  /** There is an answer for a channel, or it is not wanted any more. */
  settled(channel: string, refusal?: Error): void {
    if (refusal !== undefined) {
      this.refused.set(channel, refusal);
    }
    this.#open?.delete(channel);
    this.#check();
  }

  /** It is the connection from now on, or is not needed. */
  over(): void {
    this.#limit?.cancel();
    this.#open = undefined;
  }

  close(): void {
    this.over();
    this.connection.close();
  }

  #check(): void {
    if (this.#open?.size === 0 && this.connection.ready !== undefined) {
      this.over();
      this.connection.trouble = this.#trouble;
      this.#complete();
    }
  }
}

/**
 * Closes a connection whose successor hears all that is published from now on: once it has brought all that was
 * published before, which is when it answers. Where it does not, `missed` is called.
 */
export function retire(
  connection: Connection,
  redis: Redis,
  clock: Clock,
  missed: () => void,
): void {
  let isOver = false;
  const over = (hasBroughtAll: boolean): void => {
    if (!isOver) {
      isOver = true;
      limit.cancel();
      connection.close();
      if (!hasBroughtAll) {
        missed();
      }
    }
  };
  const limit = deadline(clock, LAST_WORD_MS, () => over(false));
  whenSettled(
    redis.call('ping'),
    () => over(true),
    (error) => over(isReplyError(error)),
  );
}
