/**
 * How a lease ended while it was still held.
 *
 * @example
 * ```ts
 * const counts = new Map<LeaseLostReason, number>();
 * client.on('lost', ({ error: { reason } }) => counts.set(reason, (counts.get(reason) ?? 0) + 1));
 * ```
 */
export type LeaseLostReason = 'expired' | 'taken' | 'deleted' | 'unproven';

/**
 * What every error of this library can carry.
 *
 * @example
 * ```ts
 * const options: CoordinationErrorOptions = { resource: 'invoice:42', cause: new Error('why') };
 * const error = new AcquireTimeoutError('for a test of your own', options);
 * ```
 */
export interface CoordinationErrorOptions {
  /** The name of the object the call was about. */
  readonly resource?: string | undefined;
  /** What brought it about, as the driver or the task reported it. */
  readonly cause?: unknown;
}

/**
 * Base of all errors that this library raises itself; `code` says what to do next.
 *
 * @example
 * ```ts
 * try {
 *   await lock.using(() => console.log('alone'));
 * } catch (error) {
 *   if (error instanceof CoordinationError) {
 *     console.warn(error.code, error.resource, error.message);
 *   } else {
 *     throw error; // of the task itself
 *   }
 * }
 * ```
 */
export abstract class CoordinationError extends Error {
  /** Fixed per class, for switches and logs. */
  abstract readonly code: string;
  /** The name of the object the call was about; empty when it was about the client. */
  readonly resource: string;

  /** Made by this library only. */
  constructor(message: string, options: CoordinationErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.resource = options.resource ?? '';
    this.name = new.target.name;
  }

  /** What a log needs: JSON leaves out the message and the cause of other errors. */
  toJSON(): object {
    const { name, code, message, resource, cause } = this;
    const because = cause instanceof Error ? { cause: `${cause.name}: ${cause.message}` } : {};
    return { name, code, message, resource, ...because };
  }
}

/**
 * `waitMs` ran out while somebody else held the object: try again later.
 *
 * @example
 * ```ts
 * try {
 *   await lock.using(() => console.log('alone'), { waitMs: 5_000 });
 * } catch (error) {
 *   if (error instanceof AcquireTimeoutError) {
 *     console.log('somebody else is at it: try later');
 *   }
 * }
 * ```
 */
export class AcquireTimeoutError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_ACQUIRE_TIMEOUT' as const;
}

/**
 * Releasing, extending or re-entering what this holder does not hold: a bug in the caller.
 *
 * @example
 * ```ts
 * const hold = await lock.acquire();
 * await hold.release();
 * try {
 *   hold.assertHeld();
 * } catch (error) {
 *   console.log(error instanceof NotHeldError); // => true
 * }
 * ```
 */
export class NotHeldError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_NOT_HELD' as const;
}

/**
 * The lease ended while it was held: stop the work it guarded, others may be at it.
 *
 * @example
 * ```ts
 * const hold = await lock.acquire();
 * hold.signal.addEventListener('abort', () => {
 *   const error: LeaseLostError = hold.signal.reason;
 *   console.warn('stop:', error.reason);
 * });
 * ```
 */
export class LeaseLostError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_LEASE_LOST' as const;
  /** `expired`: a fixed lease ran out; `unproven`: it could not be renewed in time; `taken` and
   * `deleted`: the server said so. */
  readonly reason: LeaseLostReason;

  /** Made by this library only. */
  constructor(message: string, reason: LeaseLostReason, options?: CoordinationErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  /** The same, with the reason. */
  override toJSON(): object {
    return { ...super.toJSON(), reason: this.reason };
  }
}

/**
 * The acquisition would wait for its own scope for ever: re-order the acquisitions.
 *
 * @example
 * ```ts
 * const { readLock, writeLock } = client.getReadWriteLock('prices');
 * await readLock.using(async () => {
 *   const error: unknown = await writeLock.acquire().catch((thrown: unknown) => thrown);
 *   console.log(error instanceof DeadlockError); // => true
 * });
 * ```
 */
export class DeadlockError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_DEADLOCK' as const;
}

/**
 * The call was sent, no answer came, and what it did could not be told in time.
 *
 * @example
 * ```ts
 * try {
 *   await client.getCountDownLatch('parts-loaded').countDown();
 * } catch (error) {
 *   if (error instanceof OutcomeUnknownError) {
 *     console.warn('it may have been counted, and is not counted later');
 *   }
 * }
 * ```
 */
export class OutcomeUnknownError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_OUTCOME_UNKNOWN' as const;
}

/**
 * No connection or no answer in time; nothing was done, or it is being taken back.
 *
 * @example
 * ```ts
 * try {
 *   await lock.tryAcquire();
 * } catch (error) {
 *   if (error instanceof CommandTimeoutError) {
 *     console.warn('Redis does not answer');
 *   }
 * }
 * ```
 */
export class CommandTimeoutError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_COMMAND_TIMEOUT' as const;
}

/**
 * The name is in use by another kind of object: choose another name.
 *
 * @example
 * ```ts
 * const latch = client.getCountDownLatch('prices');
 * const error: unknown = await latch.trySetCount(1).catch((thrown: unknown) => thrown);
 * if (error instanceof WrongTypeError) {
 *   console.error(`"${error.resource}" is something else already`);
 * }
 * ```
 */
export class WrongTypeError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_WRONG_TYPE' as const;
}

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
  override readonly code = 'ERR_ACCESS_DENIED' as const;
}

/**
 * The semaphore has another number of permits than this client was told, with `onMismatch: 'error'`:
 * nothing was done. Make the numbers agree, here or by `setPermits`.
 *
 * @example
 * ```ts
 * const permits = { count: 5, onMismatch: 'error' } as const;
 * const seats = client.getPermitExpirableSemaphore('seats', { permits });
 * const error: unknown = await seats.tryAcquire().catch((thrown: unknown) => thrown);
 * if (error instanceof PermitsMismatchError) {
 *   console.error(`the server has ${error.permits}, not ${error.wanted}`);
 * }
 * ```
 */
export class PermitsMismatchError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_PERMITS_MISMATCH' as const;
  /** The number on the server, acquired permits included. */
  readonly permits: number;
  /** The number that this client was told. */
  readonly wanted: number;

  /** Made by this library only. */
  constructor(
    message: string,
    permits: number,
    wanted: number,
    options?: CoordinationErrorOptions,
  ) {
    super(message, options);
    this.permits = permits;
    this.wanted = wanted;
  }

  /** The same, with both numbers. */
  override toJSON(): object {
    return { ...super.toJSON(), permits: this.permits, wanted: this.wanted };
  }
}

/**
 * The client was closed.
 *
 * @example
 * ```ts
 * await client.close();
 * const error: unknown = await lock.acquire().catch((thrown: unknown) => thrown);
 * console.log(error instanceof ClosedError); // => true
 * ```
 */
export class ClosedError extends CoordinationError {
  /** Fixed for this class. */
  override readonly code = 'ERR_CLOSED' as const;
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
  override readonly code = 'ERR_UNEXPECTED_REPLY' as const;
}
