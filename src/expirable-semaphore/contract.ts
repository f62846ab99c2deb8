import type { AcquireOptions } from '../core/base/arguments.js';
import type { Permit } from './permit.js';

/**
 * Permits that come back by themselves: each has a lease, so that those of a crashed process end.
 * After Redisson's RPermitExpirableSemaphore, with which it shares its keys and messages.
 *
 * All time is the server's: a client whose clock is ahead cannot take permits that others hold.
 *
 * @example
 * ```ts
 * const seats: PermitExpirableSemaphore = client.getPermitExpirableSemaphore('seats');
 * await seats.trySetPermits(3);
 * await seats.using(async (permit) => {
 *   await work(permit.signal);
 * });
 * ```
 */
export interface PermitExpirableSemaphore {
  /** The name that the semaphore was made with. */
  readonly name: string;
  /**
   * Sets the number of permits, unless one is set.
   *
   * Failure: the number is set at most once, whatever the network does.
   * @param permits - 0 to 2147483647.
   * @param options - `ttlMs`, 1 to 2147483647: life of the semaphore and of all its permits, none
   * of which outlives it, whatever its lease. By default it has no limit.
   * @returns false when one is set already.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  trySetPermits(permits: number, options?: { ttlMs?: number | undefined }): Promise<boolean>;
  /**
   * Sets the number of permits, acquired ones included, while the semaphore is in use. A shrink
   * below the number of acquired permits revokes none: the number available is negative then.
   *
   * Failure: the number is set at most once, whatever the network does.
   * @param permits - 0 to 2147483647.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  setPermits(permits: number): Promise<void>;
  /**
   * Adds to the number of permits, or subtracts from it; keeps the life of the semaphore.
   *
   * Failure: the number is changed at most once, whatever the network does.
   * @param delta - any 32-bit integer.
   * @throws RangeError when the number would leave the 32-bit integers; nothing is changed.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  addPermits(delta: number): Promise<void>;
  /** Number of permits, available or acquired; 0 when none is set. */
  totalPermits(): Promise<number>;
  /** Number of permits that can be acquired now, expired ones included; negative after a shrink. */
  availablePermits(): Promise<number>;
  /** Number of permits that are acquired and have not expired. */
  acquiredPermits(): Promise<number>;
  /**
   * Waits until a permit is granted. With `leaseMs` it expires after that time unless it is
   * released or extended; without, it is renewed until its release, and a crash frees it.
   *
   * Fairness: first come first served inside one client. Between clients the first that asks is
   * served, but when a request was passed over for 5 s, the other clients wait until it is served.
   *
   * Cancellation: an aborted or timed-out call leaves no permit, queue entry or timer, at the
   * latest when its own lease would have ended.
   *
   * Failure: without a `waitMs`, its own or the client's, the call goes on through outages until it is granted. On a
   * name where no number of permits is set it waits until one is. When a permit expires, the next waiter gets
   * in at that moment, without any message.
   * @throws AcquireTimeoutError when `waitMs` ran out while there were not enough permits.
   * @throws TooManyWaitersError when `maxWaiters` of this client wait for it already.
   * @throws CommandTimeoutError when `waitMs` ran out and Redis had not answered.
   * @throws ReplicasError when too few `replicas` had the permit in time: it was given back. AccessDeniedError when the
   * server refuses to wait for them.
   * @throws WrongTypeError when the name is in use by another kind of object; ClosedError.
   */
  acquire(options?: AcquireOptions): Promise<Permit>;
  /**
   * Like `acquire`, but answers null on contention. Without `waitMs` it asks once and settles
   * within `commandTimeoutMs`; while other calls of this client wait, it answers null.
   */
  tryAcquire(options?: AcquireOptions): Promise<Permit | null>;
  /**
   * Like `acquire` for `count` permits, all or none; each is released on its own.
   * @param count - 1 to 1000: the server grants them in one step.
   * @throws RangeError outside that.
   */
  acquireMany(count: number, options?: AcquireOptions): Promise<Permit[]>;
  /** Like `tryAcquire` for `count` permits (1 to 1000), all or none. */
  tryAcquireMany(count: number, options?: AcquireOptions): Promise<Permit[] | null>;
  /** The same with the options first, as in Web Locks. */
  using<T>(
    options: AcquireOptions | undefined,
    task: (permit: Permit) => T | Promise<T>,
  ): Promise<T>;
  /**
   * Acquires as `acquire` does, runs `task`, and releases.
   *
   * Failure: the task's own error always wins; a lease found lost after a task that succeeded
   * rejects with LeaseLostError.
   */
  using<T>(task: (permit: Permit) => T | Promise<T>, options?: AcquireOptions): Promise<T>;
  /**
   * Releases a permit by its id, of any client. An owner in another client is told of it at once;
   * where the message is lost, it learns of it with its next renewal, a third of its client's lease
   * later at most. Until then it may believe that it holds a permit that is held by another.
   *
   * Failure: the permit is released at most once, whatever the network does.
   * @param permitId - 32 lower-case hex digits.
   * @throws NotHeldError when the permit is unknown or has expired.
   * @throws OutcomeUnknownError when no answer came in time. A permit of this client is then
   * released in the background; any other is not released later.
   */
  release(permitId: string): Promise<void>;
  /** Like `release`, but answers false when the permit is unknown or has expired. */
  tryRelease(permitId: string): Promise<boolean>;
  /**
   * Sets when a permit of any client expires: `leaseMs` from now, also sooner than before. From
   * then on this client does not renew it; another client that renews it goes on doing so. An owner
   * in another client is told of an earlier end, and looks when that has come; where the message is
   * lost, it learns of it with its next renewal, a third of its client's lease later at most. Until
   * then it may believe that it holds a permit that is held by another.
   *
   * Failure: the lease is set at most once. While the outcome is unknown, a permit of this client
   * counts as held only until the earlier end of its old and its new lease; when that passes, the
   * permit is lost, and given back.
   * @param permitId - 32 lower-case hex digits.
   * @param leaseMs - 1 to 2147483647 milliseconds.
   * @returns false when the permit is unknown or has expired, or was lost before the answer came.
   * @throws RangeError beyond the `maxHoldMs` of a permit of this client.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  updateLease(permitId: string, leaseMs: number): Promise<boolean>;
  /**
   * Removes the semaphore and all its permits; waiters go on waiting until permits are set again.
   * The signals of its permits abort: in this client before the call settles, also for permits
   * whose grant was still on its way; in other clients at once, where the message is lost with
   * their next renewal, as for all but the 500 permits that would have expired first.
   * @returns true if there was one.
   */
  delete(): Promise<boolean>;
}
