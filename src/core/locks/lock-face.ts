import { DeadlockError } from '../../errors.js';
import { startAcquisition, type AcquisitionTerms } from './acquisition.js';
import type { PendingCall } from '../wire/call.js';
import { enterAndStart } from '../names.js';
import type { Holder } from '../observe/events.js';
import type { LockHold, Hold } from './hold.js';
import type { AsGranted, HoldFace } from './hold-face.js';
import { LockGrants } from './lock-grants.js';
import type { LockProtocol } from './lock-protocol.js';
import { LockQuestions } from './lock-questions.js';
import { Reentry } from './reentry.js';
import type { LockServices } from './lock-services.js';
import type { Scopes } from './scopes.js';
import { checkWithin } from './within.js';
import { Locking, type LockAcquireOptions } from './locking.js';

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
   * Fairness: first come, first served inside one client; between clients the one that
   * waits longest, but for the runs of `handOff: 'direct'`. Inside a scope of a hold of this lock it re-enters, one
   * branch at a time.
   *
   * Cancellation: an aborted or timed-out call leaves no key, queue entry or timer, at the latest
   * when its own lease would have ended.
   *
   * Failure: without a `waitMs`, its own or the client's, it goes on through outages until it is granted.
   * @throws AcquireTimeoutError when `waitMs` ran out while the lock was held by another.
   * @throws TooManyWaitersError when `maxWaiters` of this client wait for it already.
   * @throws CommandTimeoutError when `waitMs` ran out and Redis had not answered.
   * @throws ReplicasError when too few `replicas` had the grant in time: it was released. AccessDeniedError when the
   * server refuses to wait for them.
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
   * Acquires as `acquire` does, runs `task` inside the hold's async scope, and releases.
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

/** The public object of one lock. Its holds are of type `H`. */
export class LockFace<H extends HoldFace = HoldFace>
  extends Locking<H, LockProtocol>
  implements Lock
{
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

  async isLocked(): Promise<boolean> {
    return await this.inUse(() => this.#questions.isLocked());
  }

  async holders(): Promise<Holder[]> {
    return await this.inUse(() => this.#questions.holders());
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
    return await this.inUse(() => this.#questions.holdCount(holderId));
  }

  async remainingLeaseMs(): Promise<number | null> {
    return await this.inUse(() => this.#questions.remainingLeaseMs());
  }

  async forceRelease(): Promise<boolean> {
    const told = (held: number | undefined, call: PendingCall): void => {
      if (held === 1) {
        this.#grants.forced(call);
      }
    };
    const { count, call } = await this.inUse(() =>
      this.countOnce((request) => this.protocol.forceRelease(request), told),
    );
    told(count, call);
    return count === 1;
  }

  get #questions(): LockQuestions {
    return (this.#asked ??= new LockQuestions(this.services.delivery, this.protocol));
  }

  protected override begin(given: unknown, waiting: boolean): Promise<H> {
    return this.checked(
      given,
      waiting,
      (options) => checkWithin(options, this.protocol),
      (terms, named) => {
        const { reentry } = this.services.client.settings;
        const within = named === undefined && reentry === 'explicit' ? null : named;
        const around = within === null ? this.#scopeHold() : undefined;
        const { leaseMs, renewed, maxHoldMs, replicas, waits, waitLimit, maxWaiters } = terms;
        const own = { leaseMs, renewed, maxHoldMs, replicas, waits, waitLimit, maxWaiters };
        return this.#enter({ ...own, within, around });
      },
    );
  }

  #enter(terms: AcquisitionTerms): Promise<H> {
    const { lockId, sibling } = this.protocol;
    const outer = terms.within === undefined ? this.#scopeHold() : terms.within;
    if (outer === undefined || outer === null) {
      return enterAndStart(this.#grants, terms, startAcquisition);
    }
    return outer.lockId === lockId || sibling?.admits === true
      ? this.#reenter(terms, outer)
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
    hold.assertNotOver();
    const { kind } = hold.lease.identity;
    throw new DeadlockError(
      `acquiring the ${this.protocol.kind} of "${this.name}" here would wait for the ${kind} that ` +
        `this code holds: release it first, or take the write lock from the start`,
      { resource: this.name },
    );
  }

  async #reenter(terms: AcquisitionTerms, outer: LockHold): Promise<H> {
    try {
      outer.assertNotOver();
      const hold = await new Reentry(this.#grants, terms, outer).run();
      if (hold !== undefined) {
        terms.waitLimit.dispose();
        return hold;
      }
    } catch (error) {
      terms.waitLimit.dispose();
      throw error;
    }
    // The outer hold was released while this re-entry waited: it acquires afresh, and is not refused for that.
    return await this.#enter({ ...terms, maxWaiters: undefined });
  }
}
