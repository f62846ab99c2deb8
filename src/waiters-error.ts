import { CoordinationError, type CoordinationErrorOptions } from './coordination-error.js';

/**
 * So many acquisitions of this client wait for the object that one more is not let in (option `maxWaiters`). Nothing
 * was sent: try again later.
 *
 * @example
 * ```ts
 * const error: unknown = await lock.acquire({ maxWaiters: 100 }).catch((thrown: unknown) => thrown);
 * if (error instanceof TooManyWaitersError) {
 *   console.warn(`${error.waiters} wait already: try later`);
 * }
 * ```
 */
export class TooManyWaitersError extends CoordinationError {
  /** Fixed for this class. */
  static override readonly name = 'TooManyWaitersError';
  /** Fixed for this class. */
  override readonly name = 'TooManyWaitersError';
  /** Fixed for this class. */
  override readonly code = 'ERR_TOO_MANY_WAITERS' as const;
  /** How many acquisitions of this client waited for the object. */
  readonly waiters: number;

  /** Made by this library only. */
  constructor(message: string, waiters: number, options?: CoordinationErrorOptions) {
    super(message, options);
    this.waiters = waiters;
  }

  /** The same, with their number. */
  override toJSON(): object {
    return { ...super.toJSON(), waiters: this.waiters };
  }
}
