import { AcquireTimeoutError, DeadlockError, NotHeldError } from '../../errors.js';
import { startAcquisition, type AcquisitionTerms } from './acquisition.js';
import { optionsOf, taskOf, type Task } from '../base/using-arguments.js';
import type { PendingCall } from '../wire/call.js';
import { Face } from '../face.js';
import { enterAndStart } from '../name-entry.js';
import type { Holder } from '../observe/events.js';
import { LockHold, type Hold } from './hold.js';
import { LockGrants, type AsGranted } from './lock-grants.js';
import type { LockProtocol } from './lock-protocol.js';
import { LockQuestions } from './lock-questions.js';
import { describe } from '../base/key-names.js';
import { checkOptions, type OptionSet } from '../base/options.js';
import { Reentry } from './reentry.js';
import type { LockServices } from './lock-services.js';
import type { Scopes } from './scopes.js';
import { checkLease, checkWaiting, type AcquireOptions } from '../base/arguments.js';

/**
 * Options of one acquisition of a lock.
 *
 * @example
 * ```ts
 * const outer = await lock.acquire({ waitMs: 5_000 });
 * const inner = await lock.acquire({ within: outer }); // re-enters at once
 * await inner.release();
 * await outer.release();
 * ```
 */
export interface LockAcquireOptions extends AcquireOptions {
  /** Re-enter through this hold, also outside its async scope. */
  within?: Hold | undefined;
}

/**
 * A reentrant lock: at most one holder at a time, over all processes that share the name.
 *
 * @example
 * ```ts
 * const lock: Lock = client.getLock('invoice:42');
 * await lock.using(async (hold) => {
 *   await work(hold.signal);
 * });
 * const hold = await lock.tryAcquire(); // null when somebody else has it
 * await hold?.release();
 * ```
 */
export interface Lock {
  /** The name that the lock was made with. */
  readonly name: string;
  /**
   * Waits until the lock is held. The wait and the hold keep the process alive.
   *
   * Fairness: first come, first served inside one client; between clients as `handOff` says: the
   * first to ask after a release, or the one that waits longest. Inside a scope of a hold of this lock it re-enters, one branch at a time.
   *
   * Cancellation: an aborted or timed-out call leaves no key, queue entry or timer, at the latest
   * when its own lease would have ended.
   *
   * Failure: without `waitMs` it goes on through outages until it is granted.
   * @throws AcquireTimeoutError when `waitMs` ran out while the lock was held by another.
   * @throws CommandTimeoutError when `waitMs` ran out and Redis had not answered.
   * @throws LeaseLostError inside the scope of a lost hold; DeadlockError when it would wait for
   * a hold of its own scope; NotHeldError when `within` is not a held hold of this lock.
   * @throws WrongTypeError when the name is in use by another kind of object; ClosedError.
   */
  acquire(options?: LockAcquireOptions): Promise<Hold>;
  /**
   * Like `acquire`, but resolves with null on contention. Without `waitMs` it asks once and
   * settles within `commandTimeoutMs`.
   */
  tryAcquire(options?: LockAcquireOptions): Promise<Hold | null>;
  /** The same with the options first, as in Web Locks. */
  using<T>(
    options: LockAcquireOptions | undefined,
    task: (hold: Hold) => T | Promise<T>,
  ): Promise<T>;
  /**
   * Acquires, runs `task` inside the hold's async scope, and releases.
   *
   * Failure: the task's own error always wins. When the task succeeded and the lease is found lost
   * afterwards, it rejects with LeaseLostError.
   */
  using<T>(task: (hold: Hold) => T | Promise<T>, options?: LockAcquireOptions): Promise<T>;
  /** True when any client holds the lock. */
  isLocked(): Promise<boolean>;
  /**
   * All who hold the lock now, Java included; for a read lock the readers, for a write lock the
   * writer. Many readers are read page by page: a reader that is there during the whole read is
   * listed exactly once, one that comes or goes meanwhile may be listed or not.
   */
  holders(): Promise<Holder[]>;
  /** The server's hold count of the current async scope; 0 when the scope holds nothing. */
  holdCount(): Promise<number>;
  /** Milliseconds left on the lease; null when free, Infinity when a foreign key has no expiry. */
  remainingLeaseMs(): Promise<number | null>;
  /**
   * Frees the lock, whoever holds it; runs at most once, however often the network sends it.
   * A holder learns of it through its signal: in this client with the answer, acquisitions that
   * began before the call included. Other clients are told at once; where the message is lost, they
   * learn of it with their next renewal, as do all but some 500 of the readers of a read lock.
   * @returns true if the lock was held.
   * @throws OutcomeUnknownError when no answer came in time; the call is then not run later.
   */
  forceRelease(): Promise<boolean>;
}

const OPTIONS: OptionSet = {
  of: 'an acquisition of a lock',
  known: ['waitMs', 'leaseMs', 'signal', 'within'],
  elsewhere: { permits: 'a lock has no permits, a semaphore has' },
};

/** A lock without holders leaves no key of its own name on the server: the name is free once no call
 * uses it. */
const leavesName = (): boolean => true;

/** The public object of one lock. Its holds are of type `H`. */
export class LockFace<H extends LockHold = LockHold> extends Face<LockProtocol> implements Lock {
  readonly #scopes: Scopes<LockHold>;
  readonly #grants: LockGrants<H>;
  #asked: LockQuestions | undefined;

  constructor(locks: LockServices, protocol: LockProtocol, asGranted: AsGranted<H>) {
    super(locks.services, protocol);
    this.#scopes = locks.scopes;
    this.#grants = new LockGrants(locks, protocol, asGranted);
  }

  protected override get label(): string {
    return 'Lock';
  }

  acquire(options?: LockAcquireOptions): Promise<H> {
    return this.#acquire(options, true);
  }

  async tryAcquire(options?: LockAcquireOptions): Promise<H | null> {
    try {
      return await this.#acquire(options, false);
    } catch (error) {
      if (error instanceof AcquireTimeoutError) {
        return null;
      }
      throw error;
    }
  }

  using<T>(options: LockAcquireOptions | undefined, task: Task<H, T>): Promise<T>;
  using<T>(task: Task<H, T>, options?: LockAcquireOptions): Promise<T>;
  async using<T>(
    first: Task<H, T> | LockAcquireOptions | undefined,
    second?: Task<H, T> | LockAcquireOptions,
  ): Promise<T> {
    const task = taskOf(first, second);
    const hold = await this.#acquire(optionsOf(first, second), true);
    let result: T;
    try {
      result = await hold.run(() => task(hold));
    } catch (error) {
      // The task's own error wins over an error of the release.
      await hold[Symbol.asyncDispose]();
      throw error;
    }
    await hold.release();
    return result;
  }

  async isLocked(): Promise<boolean> {
    return await this.inUse(() => this.#questions.isLocked(), leavesName);
  }

  async holders(): Promise<Holder[]> {
    return await this.inUse(() => this.#questions.holders(), leavesName);
  }

  async holdCount(): Promise<number> {
    const own = this.#scopeHold();
    if (own === undefined) {
      this.services.client.assertOpen(this.name);
      return 0;
    }
    const isOurs = own.lockId === this.protocol.lockId;
    const lease = isOurs ? own.lease : own.lease.companion;
    const holderId = lease?.identity.holderId ?? '';
    return await this.inUse(() => this.#questions.holdCount(holderId), leavesName);
  }

  async remainingLeaseMs(): Promise<number | null> {
    return await this.inUse(() => this.#questions.remainingLeaseMs(), leavesName);
  }

  async forceRelease(): Promise<boolean> {
    const told = (held: number | undefined, call: PendingCall): void => {
      if (held === 1) {
        this.#grants.forced(call);
      }
    };
    const { count, call } = await this.inUse(
      () => this.countOnce((request) => this.protocol.forceRelease(request), told),
      leavesName,
    );
    told(count, call);
    return count === 1;
  }

  get #questions(): LockQuestions {
    return (this.#asked ??= new LockQuestions(this.services.delivery, this.protocol));
  }

  #acquire(given: unknown, waiting: boolean): Promise<H> {
    try {
      const options = checkOptions('options', given, OPTIONS);
      const { waitMs, signal } = checkWaiting(options);
      const { leaseMs, renewed } = checkLease(options, this.services.client.settings.leaseMs);
      const within = this.#checkWithin(options);
      this.services.client.assertOpen(this.name);
      signal?.throwIfAborted();
      // Only `acquire` without `waitMs` has no limit; a single attempt has the limit of a command.
      const waits = waitMs === undefined ? waiting : waitMs > 0;
      const limitMs = waits ? waitMs : this.services.client.settings.commandTimeoutMs;
      const waitLimit = this.services.client.waitLimit({ limitMs, signal });
      return this.#enter({ leaseMs, renewed, waits, waitLimit }, within);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #enter(terms: AcquisitionTerms, within: LockHold | undefined): Promise<H> {
    const { lockId, sibling } = this.protocol;
    const outer = within ?? this.#scopeHold();
    if (outer === undefined) {
      return enterAndStart(this.#grants, terms, startAcquisition);
    }
    return outer.lockId === lockId || sibling?.admits === true
      ? this.#reenter(terms, outer, within)
      : this.#refuseToWaitFor(outer, terms);
  }

  /** The nearest enclosing hold of this lock, or else of the other side of a read-write lock. */
  #scopeHold(): LockHold | undefined {
    const { lockId, sibling } = this.protocol;
    const scopes = this.#scopes;
    return scopes.enclosing(lockId) ?? (sibling && scopes.enclosing(sibling.lockId));
  }

  #refuseToWaitFor(hold: LockHold, terms: AcquisitionTerms): never {
    terms.waitLimit.dispose();
    hold.assertHeld();
    const { kind } = hold.lease.identity;
    throw new DeadlockError(
      `acquiring the ${this.protocol.kind} of "${this.name}" here would wait for the ${kind} that ` +
        `this code holds: release it first, or take the write lock from the start`,
      { resource: this.name },
    );
  }

  async #reenter(
    terms: AcquisitionTerms,
    outer: LockHold,
    within: LockHold | undefined,
  ): Promise<H> {
    try {
      outer.assertHeld();
      const hold = await new Reentry(this.#grants, terms, outer).run();
      if (hold !== undefined) {
        terms.waitLimit.dispose();
        return hold;
      }
    } catch (error) {
      terms.waitLimit.dispose();
      throw error;
    }
    // The outer hold was released while this re-entry waited: it acquires afresh.
    return await this.#enter(terms, within);
  }

  #checkWithin(options: object): LockHold | undefined {
    const { within } = options as { within?: unknown };
    if (within === undefined) {
      return undefined;
    }
    if (!(within instanceof LockHold)) {
      throw new TypeError(`within must be a hold of this lock, got ${describe(within)}`);
    }
    const { lockId, sibling } = this.protocol;
    if (within.lockId !== lockId && within.lockId !== sibling?.lockId) {
      const { kind } = within.lease.identity;
      throw new NotHeldError(
        `within must be a hold that this client has on the ${this.protocol.kind} "${this.name}", ` +
          `got one of the ${kind} "${within.lockName}"`,
        { resource: this.name },
      );
    }
    within.assertHeld();
    return within;
  }
}
