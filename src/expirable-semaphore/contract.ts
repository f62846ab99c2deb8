import type { AcquireOptions } from '../core/base/arguments.js';
import type { Permit } from './permit.js';

/**
 * Permits that come back by themselves: each lives on a lease, so a crash frees what it held.
 * After Redisson's RPermitExpirableSemaphore, with which it shares its keys and messages.
 *
 * All time is the server's: no client with a clock ahead can take permits that others still hold.
 */
export interface PermitExpirableSemaphore {
  /** The name it was made with. */
  readonly name: string;
  /**
   * Sets the number of permits, unless one is set.
   *
   * Failure: it is done at most once, whatever the network does.
   * @param permits - 0 to 2147483647.
   * @param options - `ttlMs`, 1 to 2147483647: life of the semaphore and of all its permits, none of
   * which outlives it, whatever its lease. By default it has no limit.
   * @returns false when one is set already.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  trySetPermits(permits: number, options?: { ttlMs?: number }): Promise<boolean>;
  /**
   * Sets the number of permits, taken ones included, while it is in use. After a shrink below what
   * is taken nothing is revoked, and less than nothing is available.
   *
   * Failure: it is done at most once, whatever the network does.
   * @param permits - 0 to 2147483647.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  setPermits(permits: number): Promise<void>;
  /**
   * Adds to the number of permits, or takes from it; keeps the life of the semaphore.
   *
   * Failure: it is done at most once, whatever the network does.
   * @param delta - any 32-bit integer.
   * @throws RangeError when the number would leave the 32-bit integers; nothing is changed.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  addPermits(delta: number): Promise<void>;
  /** Number of permits, available or taken; 0 when none is set. */
  totalPermits(): Promise<number>;
  /** Number of permits that can be taken now, expired ones included; negative after a shrink. */
  availablePermits(): Promise<number>;
  /** Number of permits that are taken and have not expired. */
  acquiredPermits(): Promise<number>;
  /**
   * Waits until a permit is granted. With `leaseMs` it expires that much later unless it is
   * released or extended; without, it is renewed until its release, and a crash frees it.
   *
   * Fairness: first come first served inside one client. Between clients whoever asks first is
   * served, but a request that was passed over for 5 s makes the others stand back.
   *
   * Cancellation: an aborted or timed-out call leaves no permit, queue entry or timer, at the
   * latest when its own lease would have ended.
   *
   * Failure: without `waitMs` it goes on through outages until it gets in. On a name where no
   * number of permits is set it waits until one is. Waiters get in at the moment the next permit
   * expires, without any message.
   * @throws AcquireTimeoutError when `waitMs` ran out while there were not enough permits.
   * @throws CommandTimeoutError when `waitMs` ran out and Redis had not answered.
   * @throws WrongTypeError when the name is in use by another kind of object; ClosedError.
   */
  acquire(options?: AcquireOptions): Promise<Permit>;
  /**
   * Like `acquire`, but contention is answered with null. Without `waitMs` it asks once and
   * settles within `commandTimeoutMs`; while others of this client wait it is refused.
   */
  tryAcquire(options?: AcquireOptions): Promise<Permit | null>;
  /**
   * Like `acquire` for `count` permits, all or none; each is released by itself.
   * @param count - 1 to 1000: the server grants them in one step.
   * @throws RangeError outside that.
   */
  acquireMany(count: number, options?: AcquireOptions): Promise<Permit[]>;
  /** Like `tryAcquire` for `count` permits (1 to 1000), all or none. */
  tryAcquireMany(count: number, options?: AcquireOptions): Promise<Permit[] | null>;
  /**
   * Acquires, runs `task`, and releases.
   *
   * Failure: the task's own error always wins; a lease found lost after a task that succeeded
   * rejects with LeaseLostError.
   */
  using<T>(task: (permit: Permit) => T | Promise<T>, options?: AcquireOptions): Promise<T>;
  /**
   * Releases a permit by its id, whoever acquired it. Its owner in another client learns of it with
   * its next renewal, a third of its client's lease later at most: until then it may believe that it
   * holds a permit which somebody else has got.
   *
   * Failure: it is done at most once, whatever the network does.
   * @param permitId - 32 lower-case hex digits.
   * @throws NotHeldError when the permit is unknown or has expired.
   * @throws OutcomeUnknownError when no answer came in time. A permit of this client is released
   * behind then; any other is not released later.
   */
  release(permitId: string): Promise<void>;
  /** Like `release`, but answers false when the permit is unknown or has expired. */
  tryRelease(permitId: string): Promise<boolean>;
  /**
   * Sets when a permit expires, whoever acquired it: `leaseMs` from now, sooner than before too.
   * From then on this client does not renew it; another client that renews it goes on doing so.
   * The owner in another client learns of an earlier end with its next renewal, a third of its
   * client's lease later at most: until then it may believe that it holds a permit which somebody
   * else has got.
   *
   * Failure: it is done at most once. While its outcome is unknown, a permit of this client counts
   * as held only for as long as both its old and its new lease cover; when that time passes it is
   * lost, and given back.
   * @param permitId - 32 lower-case hex digits.
   * @param leaseMs - 1 to 2147483647 milliseconds.
   * @returns false when the permit is unknown or has expired, or was lost before the answer came.
   * @throws OutcomeUnknownError when no answer came in time; it is then not done later.
   */
  updateLease(permitId: string, leaseMs: number): Promise<boolean>;
  /**
   * Removes the semaphore with all its permits; waiters go on waiting until permits are set again.
   * Those who hold permits learn of it through their signal: in this client before the call settles,
   * those included whose permits were still on their way; else with the next renewal.
   * @returns true if there was one.
   */
  delete(): Promise<boolean>;
}
