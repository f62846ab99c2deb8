import { describe } from './key-names.js';

/** Largest duration, count and delta: the limit of Redisson's integers and of Node's timers. */
export const INT32_MAX = 2_147_483_647;

/** Shortest lease that the watchdog can renew in time. */
export const RENEWED_LEASE_MIN_MS = 100;

/** Returns an integer argument inside its range; throws a TypeError or RangeError otherwise. */
export function checkInteger(argument: string, value: unknown, min: number, max: number): number {
  const wanted = `${argument} must be an integer from ${min} to ${max}, got ${describe(value)}`;
  // An infinity is of the right type, but out of every range.
  const isWhole = Number.isInteger(value) || value === Infinity || value === -Infinity;
  if (typeof value !== 'number' || !isWhole) {
    throw new TypeError(wanted);
  }
  if (value < min || value > max) {
    throw new RangeError(wanted);
  }
  return value;
}

/** Returns one of the values that an argument may have; throws a TypeError that names them all. */
export function checkChoice<T extends string>(
  argument: string,
  value: unknown,
  choices: readonly T[],
): T {
  const choice = choices.find((each) => each === value);
  if (choice === undefined) {
    const wanted = choices.map((each) => describe(each)).join(', ');
    throw new TypeError(`${argument} must be one of ${wanted}, got ${describe(value)}`);
  }
  return choice;
}

/** Returns an AbortSignal or undefined; throws a TypeError otherwise. */
export function checkSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) {
    return value;
  }
  throw new TypeError(`signal must be an AbortSignal, got ${describe(value)}`);
}

/** Throws a TypeError unless the value is a function. */
export function checkTask(argument: string, value: unknown): void {
  if (typeof value !== 'function') {
    throw new TypeError(`${argument} must be a function, got ${describe(value)}`);
  }
}

/**
 * How long to wait.
 *
 * @example
 * ```ts
 * const options: WaitOptions = { waitMs: 5_000, signal: AbortSignal.timeout(2_000) };
 * const permits = await client.getSemaphore('uploads').tryAcquire(2, options);
 * ```
 */
export interface WaitOptions {
  /** Longest wait in milliseconds, 0 to 2147483647; no limit by default. It bounds connecting,
   * waiting and the answer. 0 asks once, which may take `commandTimeoutMs`. */
  waitMs?: number | undefined;
  /** Ends the wait: the call rejects with `signal.reason` and leaves nothing behind. */
  signal?: AbortSignal | undefined;
}

/** The checked wait of a call. */
export interface Waiting {
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Checks `waitMs` (0 to 2147483647) and `signal`. */
export function checkWaiting(options: object): Waiting {
  const { waitMs, signal } = options as { waitMs?: unknown; signal?: unknown };
  return {
    waitMs: waitMs === undefined ? undefined : checkInteger('waitMs', waitMs, 0, INT32_MAX),
    signal: checkSignal(signal),
  };
}

/**
 * How to acquire a grant that has a lease.
 *
 * @example
 * ```ts
 * const options: AcquireOptions = { waitMs: 5_000, leaseMs: 60_000 };
 * const hold = await client.getLock('invoice:42').acquire(options); // for a minute, not renewed
 * ```
 */
export interface AcquireOptions {
  /** Longest wait in milliseconds, 0 to 2147483647; bounds connecting, waiting and the answer.
   * 0 asks once, which may take `commandTimeoutMs`.
   * `acquire`: no limit by default. `tryAcquire`: 0 by default. */
  waitMs?: number | undefined;
  /** A fixed lease in milliseconds, 1 to 2147483647, that is not renewed. By default the client's
   * `leaseMs`, renewed every third of it until the release. */
  leaseMs?: number | undefined;
  /** Ends the wait: the call rejects with `signal.reason` and leaves nothing behind. */
  signal?: AbortSignal | undefined;
}

/** The lease of an acquisition: the caller's fixed one, or the client's renewed one. */
export interface LeaseTerms {
  readonly leaseMs: number;
  readonly renewed: boolean;
}

/** Checks `leaseMs` (1 to 2147483647); undefined means the client's lease, renewed. */
export function checkLease(options: object, renewedLeaseMs: number): LeaseTerms {
  const { leaseMs } = options as { leaseMs?: unknown };
  return leaseMs === undefined
    ? { leaseMs: renewedLeaseMs, renewed: true }
    : { leaseMs: checkInteger('leaseMs', leaseMs, 1, INT32_MAX), renewed: false };
}
