import { CoordinationError, type CoordinationErrorOptions } from './coordination-error.js';

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
 * `waitMs` ran out while somebody else held the object: try again later. The message names the first of `holders`.
 *
 * @example
 * ```ts
 * try {
 *   await lock.using(() => console.log('alone'), { waitMs: 5_000 });
 * } catch (error) {
 *   if (error instanceof AcquireTimeoutError) {
 *     console.log('somebody else is at it: try later', error.holders);
 *   }
 * }
 * ```
 */
export class AcquireTimeoutError extends CoordinationError {
  /** Fixed for this class. */
  static override readonly name = 'AcquireTimeoutError';
  /** Fixed for this class. */
  override readonly name = 'AcquireTimeoutError';
  /** Fixed for this class. */
  override readonly code = 'ERR_ACQUIRE_TIMEOUT' as const;
  /**
   * Who had it, as last seen: they are asked for once, up to 100 ms before the end of the wait. Empty where nothing was
   * seen: an attempt that does not wait, no answer by the end, or permits without an owner. Of a multi-lock: of the
   * name that it waited for; of a quorum: those that a majority names. `remainingMs` is what was left of the lease at
   * the end of the wait, Infinity for one without an end; `isOwnClient`: this very client has it.
   */
  readonly holders: readonly {
    readonly holderId: string;
    readonly remainingMs: number;
    readonly isOwnClient: boolean;
  }[];

  /** Made by this library only. */
  constructor(
    message: string,
    options: CoordinationErrorOptions & {
      readonly holders?: AcquireTimeoutError['holders'] | undefined;
    } = {},
  ) {
    super(message, options);
    this.holders = options.holders ?? [];
  }

  /** The same, with the holders. */
  override toJSON(): object {
    return { ...super.toJSON(), holders: this.holders };
  }
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
  static override readonly name = 'NotHeldError';
  /** Fixed for this class. */
  override readonly name = 'NotHeldError';
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
  static override readonly name = 'LeaseLostError';
  /** Fixed for this class. */
  override readonly name = 'LeaseLostError';
  /** Fixed for this class. */
  override readonly code = 'ERR_LEASE_LOST' as const;
  /** `expired`: a fixed lease or a `maxHoldMs` ran out; `unproven`: it could not be renewed in time; `taken` and
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
  static override readonly name = 'DeadlockError';
  /** Fixed for this class. */
  override readonly name = 'DeadlockError';
  /** Fixed for this class. */
  override readonly code = 'ERR_DEADLOCK' as const;
}

/**
 * The call was sent, and a copy of it has no answer, or one that shows nothing: whether it was carried out could not be
 * learnt in time.
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
  static override readonly name = 'OutcomeUnknownError';
  /** Fixed for this class. */
  override readonly name = 'OutcomeUnknownError';
  /** Fixed for this class. */
  override readonly code = 'ERR_OUTCOME_UNKNOWN' as const;
}

/**
 * No connection, no answer, or only refusals in time (`cause`): nothing was done, or it is being taken back.
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
  static override readonly name = 'CommandTimeoutError';
  /** Fixed for this class. */
  override readonly name = 'CommandTimeoutError';
  /** Fixed for this class. */
  override readonly code = 'ERR_COMMAND_TIMEOUT' as const;
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
  static override readonly name = 'PermitsMismatchError';
  /** Fixed for this class. */
  override readonly name = 'PermitsMismatchError';
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
 * Too few replicas had a grant in time (option `replicas`): it was released, and nothing is held. `cause` says why
 * they could not be asked, if that is so; with a LeaseLostError the grant was lost meanwhile, as in a failover.
 *
 * @example
 * ```ts
 * const replicas = { min: 1, timeoutMs: 200 };
 * const error: unknown = await lock.acquire({ replicas }).catch((thrown: unknown) => thrown);
 * if (error instanceof ReplicasError) {
 *   console.warn(`${error.acknowledged} of ${error.min} replicas: try later`);
 * }
 * ```
 */
export class ReplicasError extends CoordinationError {
  /** Fixed for this class. */
  static override readonly name = 'ReplicasError';
  /** Fixed for this class. */
  override readonly name = 'ReplicasError';
  /** Fixed for this class. */
  override readonly code = 'ERR_REPLICAS' as const;
  /** How many replicas were known to have the grant. */
  readonly acknowledged: number;
  /** How many were wanted. */
  readonly min: number;

  /** Made by this library only. */
  constructor(
    message: string,
    acknowledged: number,
    min: number,
    options?: CoordinationErrorOptions,
  ) {
    super(message, options);
    this.acknowledged = acknowledged;
    this.min = min;
  }

  /** The same, with both numbers. */
  override toJSON(): object {
    return { ...super.toJSON(), acknowledged: this.acknowledged, min: this.min };
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
  static override readonly name = 'ClosedError';
  /** Fixed for this class. */
  override readonly name = 'ClosedError';
  /** Fixed for this class. */
  override readonly code = 'ERR_CLOSED' as const;
}
