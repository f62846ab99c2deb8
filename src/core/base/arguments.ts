import { describe } from './key-names.js';
import type { ReplicasOptions } from './replicas-options.js';

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
  /** Longest wait in milliseconds, 0 to 2147483647; it bounds connecting, waiting and the answer.
   * 0 asks once, which may take `commandTimeoutMs`. `acquire` and `using`: by default the client's
   * `waitMs`. `tryAcquire`: 0 by default. `wait` of a latch: no limit by default. */
  waitMs?: number | undefined;
  /** Ends the wait: the call rejects with `signal.reason` and leaves nothing behind. */
  signal?: AbortSignal | undefined;
  /** How many acquisitions of this client may wait for the object already: see AcquireOptions. */
  maxWaiters?: number | undefined;
}

/** The checked wait of a call. */
export interface Waiting {
  /** undefined: no limit. */
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Checks `waitMs` (0 to 2147483647) and `signal`. `defaultMs`: of a call that names no `waitMs`. */
export function checkWaiting(options: object, defaultMs?: number): Waiting {
  const { waitMs, signal } = options as { waitMs?: unknown; signal?: unknown };
  return {
    waitMs: waitMs === undefined ? defaultMs : checkInteger('waitMs', waitMs, 0, INT32_MAX),
    signal: checkSignal(signal),
  };
}

/** Checks `maxWaiters` (1 to 2147483647); `ofClient`: of a call that names none. */
export function checkMaxWaiters(options: object, ofClient?: number): number | undefined {
  const { maxWaiters = ofClient } = options as { maxWaiters?: unknown };
  return maxWaiters === undefined
    ? undefined
    : checkInteger('maxWaiters', maxWaiters, 1, INT32_MAX);
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
   * `acquire` and `using`: by default the client's `waitMs`. `tryAcquire`: 0 by default. */
  waitMs?: number | undefined;
  /** A fixed lease in milliseconds, 1 to 2147483647, that is not renewed. By default the client's
   * `leaseMs`, renewed every third of it until the release. */
  leaseMs?: number | undefined;
  /** Ends the wait: the call rejects with `signal.reason` and leaves nothing behind. */
  signal?: AbortSignal | undefined;
  /** How many acquisitions of this client may wait for the object already, 1 to 2147483647; by default the client's
   * `maxWaiters`. With as many `acquire` and `using` reject with TooManyWaitersError, and `tryAcquire` with a `waitMs`
   * answers null, before anything is sent. Without effect on a call that does not wait. */
  maxWaiters?: number | undefined;
  /** For how many milliseconds it may be held at all, 1 to 2147483647, and more than `leaseMs` where that is given. By
   * default there is no bound: it is renewed until its release. The bound counts from the grant: of a multi-lock from
   * that of its last name. The lease and its renewals are cut to it, `extend` beyond it is a RangeError, and when it
   * comes the hold is lost (`expired`) and released; its task is not stopped. That of a re-entry is one of the whole
   * holder until the re-entry is released. */
  maxHoldMs?: number | undefined;
  /** How many replicas have to have the grant before the call resolves: see ReplicasOptions. By default
   * those of the client. A re-entry waits for none. */
  replicas?: ReplicasOptions | undefined;
}

/** The lease of an acquisition: the caller's fixed one, or the client's renewed one. */
export interface LeaseTerms {
  readonly leaseMs: number;
  readonly renewed: boolean;
  /** undefined: it may be held for as long as it is renewed or extended. */
  readonly maxHoldMs: number | undefined;
}

/** Checks `leaseMs` and `maxHoldMs` (1 to 2147483647); without `leaseMs` it is the client's, renewed. */
export function checkLease(options: object, renewedLeaseMs: number): LeaseTerms {
  const { leaseMs, maxHoldMs: given } = options as { leaseMs?: unknown; maxHoldMs?: unknown };
  const maxHoldMs =
    given === undefined ? undefined : checkInteger('maxHoldMs', given, 1, INT32_MAX);
  if (leaseMs === undefined) {
    return { leaseMs: Math.min(renewedLeaseMs, maxHoldMs ?? Infinity), renewed: true, maxHoldMs };
  }
  const fixedMs = checkInteger('leaseMs', leaseMs, 1, INT32_MAX);
  if (maxHoldMs !== undefined && maxHoldMs <= fixedMs) {
    throw new RangeError(`maxHoldMs must be larger than leaseMs, ${fixedMs}, got ${maxHoldMs}`);
  }
  return { leaseMs: fixedMs, renewed: false, maxHoldMs };
}

/** Throws a RangeError unless a lease of `leaseMs` ends within the `boundMs` that are left of a `maxHoldMs`. */
export function checkBound(leaseMs: number, boundMs: number): void {
  if (leaseMs > boundMs) {
    const left = `${Math.max(0, boundMs)}, what is left of its maxHoldMs`;
    throw new RangeError(`leaseMs must be an integer from 1 to ${left}, got ${leaseMs}`);
  }
}
