// What is wrong with the server, or with what it holds.

import { CoordinationError, type CoordinationErrorOptions } from './coordination-error.js';

/**
 * The server refuses this client, and no retry can change that: a wrong password, a missing right, a
 * database that there is not. Ends waits until the client has got in for the first time; from then
 * on the same answer is an outage like any other, since passwords and rights are changed under
 * running services. `cause` is the server's answer. Nothing was done: mend the `redis` option of the
 * client, or the rights of its user.
 *
 * @example
 * ```ts
 * try {
 *   await lock.acquire();
 * } catch (error) {
 *   if (error instanceof AccessDeniedError) {
 *     console.error('check the credentials:', error.cause);
 *     process.exitCode = 1;
 *   }
 * }
 * ```
 */
export class AccessDeniedError extends CoordinationError {
  /** Fixed for this class. */
  static override readonly name = 'AccessDeniedError';
  /** Fixed for this class. */
  override readonly name = 'AccessDeniedError';
  /** Fixed for this class. */
  override readonly code = 'ERR_ACCESS_DENIED' as const;
}

/**
 * The server cannot run what this library sends: it is older than the oldest Redis that has all commands,
 * or runs no scripts; or it is one node of a cluster, given as a single server. `found` says what it is and
 * `needed` what to use instead. No retry helps, so every call ends at once. A server that takes the place of
 * one that worked is an outage instead, which may pass, as in an upgrade: calls wait for a better one and end
 * with `CommandTimeoutError`, whose `cause` is this error.
 *
 * @example
 * ```ts
 * const error: unknown = await lock.tryAcquire().catch((thrown: unknown) => thrown);
 * if (error instanceof UnsupportedServerError) {
 *   console.error(`found ${error.found}, needed ${error.needed}`);
 *   process.exitCode = 1;
 * }
 * ```
 */
export class UnsupportedServerError extends CoordinationError {
  /** Fixed for this class. */
  static override readonly name = 'UnsupportedServerError';
  /** Fixed for this class. */
  override readonly name = 'UnsupportedServerError';
  /** Fixed for this class. */
  override readonly code = 'ERR_UNSUPPORTED_SERVER' as const;
  /** What the server is, such as `Redis 6.0.16`. */
  readonly found: string;
  /** What it has to be, such as `Redis 6.2 or later`. */
  readonly needed: string;

  /** Made by this library only. */
  constructor(message: string, found: string, needed: string, options?: CoordinationErrorOptions) {
    super(message, options);
    this.found = found;
    this.needed = needed;
  }

  /** The same, with what was found and what is needed. */
  override toJSON(): object {
    return { ...super.toJSON(), found: this.found, needed: this.needed };
  }
}

/**
 * A key that the object needs holds something else: another kind of object, or data of the application.
 * Nothing was written. `key` is that key as it stands in Redis, and the message says what was found
 * there. Choose another name, or a `keyPrefix` for all names of the client.
 *
 * @example
 * ```ts
 * const latch = client.getCountDownLatch('prices');
 * const error: unknown = await latch.trySetCount(1).catch((thrown: unknown) => thrown);
 * if (error instanceof WrongTypeError) {
 *   console.error(`the key "${error.key}" is something else already`);
 * }
 * ```
 */
export class WrongTypeError extends CoordinationError {
  /** Fixed for this class. */
  static override readonly name = 'WrongTypeError';
  /** Fixed for this class. */
  override readonly name = 'WrongTypeError';
  /** Fixed for this class. */
  override readonly code = 'ERR_WRONG_TYPE' as const;
  /** The key with the other content, as it stands in Redis: with the prefix of the client. */
  readonly key: string;

  /** Made by this library only. */
  constructor(message: string, key: string, options?: CoordinationErrorOptions) {
    super(message, options);
    this.key = key;
  }

  /** The same, with the key. */
  override toJSON(): object {
    return { ...super.toJSON(), key: this.key };
  }
}

/**
 * The server answered what no script of ours answers: version skew or a foreign key.
 *
 * @example
 * ```ts
 * const error: unknown = await lock.holders().catch((thrown: unknown) => thrown);
 * if (error instanceof UnexpectedReplyError) {
 *   console.error(`another program writes to "${error.resource}"`);
 * }
 * ```
 */
export class UnexpectedReplyError extends CoordinationError {
  /** Fixed for this class. */
  static override readonly name = 'UnexpectedReplyError';
  /** Fixed for this class. */
  override readonly name = 'UnexpectedReplyError';
  /** Fixed for this class. */
  override readonly code = 'ERR_UNEXPECTED_REPLY' as const;
}
