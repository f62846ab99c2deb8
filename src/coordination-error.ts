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
  /** What loggers read off the class. Like `name` a literal: a minified class has lost its name. */
  static override readonly name: string = 'CoordinationError';
  /** The name of the class. */
  abstract override readonly name: string;
  /** Fixed per class, for switches and logs. */
  abstract readonly code: string;
  /** The name of the object the call was about; empty when it was about the client. */
  readonly resource: string;

  /** Made by this library only. */
  constructor(message: string, options: CoordinationErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.resource = options.resource ?? '';
  }

  /** What a log needs: JSON leaves out the message and the cause of other errors. */
  toJSON(): object {
    const { name, code, message, resource, cause } = this;
    const because = cause instanceof Error ? { cause: `${cause.name}: ${cause.message}` } : {};
    return { name, code, message, resource, ...because };
  }
}
