import type { Lease } from '../lease/lease.js';
import type { LockHold } from './hold.js';
import type { Run } from './run.js';
import type { Asks } from './ticket.js';
import type { LockWaiter } from './wait-queue.js';

/** The waiters of one client for a lock that it may pass on among them. */
export abstract class PassingQueue {
  protected readonly asks: Asks;
  /** What this client has of the lock, from its grant until its release is sent. */
  protected run: Run | undefined;
  /** The server has answered that others have it, or has granted it to a waiter here. */
  protected isContended = false;
  readonly #key: string;

  constructor(asks: Asks, key: string) {
    this.asks = asks;
    this.#key = key;
  }

  /** The run in which a hold is. */
  runOf(hold: LockHold): Run | undefined {
    const { run } = this;
    return run?.lease === hold.lease ? run : undefined;
  }

  /** The waiter to which the lock may be passed on: it wants the same of the lease. One that waits for replicas
   * saves little by it, and a run would last too long; one that has a bound is to have all of it: the server grants
   * it. */
  nextIn(run: Run, hold: LockHold): LockWaiter | undefined {
    const next = this.nextWaiter;
    const mayFollow = next?.renewed === true && !next.wantsReplicas && !next.isBounded;
    return mayFollow && run === this.run && this.#allows(run, hold) ? next : undefined;
  }

  /** How many wait here. */
  protected abstract readonly size: number;

  get isEmpty(): boolean {
    return this.size === 0;
  }

  get waiting(): number {
    return this.isContended ? this.size : 0;
  }

  /** Gives the lease of a hold that is over to the next waiter. */
  pass(run: Run, hold: LockHold, next: LockWaiter): void {
    run.passing(hold);
    this.servedHere(next);
    next.passed(run.lease, run.fencingToken);
  }

  /** The hold of this client is over, and its release is about to be sent; or it was lost. */
  ended(lease: Lease): Run | undefined {
    const { run } = this;
    if (run?.lease !== lease) {
      return undefined;
    }
    this.run = undefined;
    return run;
  }

  /** Those to whom it was passed on, whose entries are still in a queue on the server. */
  servedIn?(lease: Lease): readonly string[] | undefined;

  /** The first waiter, if the lock may be passed on to it. */
  protected abstract readonly nextWaiter: LockWaiter | undefined;

  /** The lock is passed on to a waiter, which leaves. */
  protected abstract servedHere(waiter: LockWaiter): void;

  #allows(run: Run, hold: LockHold): boolean {
    const { locks } = this.asks;
    // A forced release is the only counted call of a lock.
    const isForced = locks.services.delivery.hasOpenRequest(this.#key);
    return locks.passesOn && !isForced && run.allows(hold);
  }
}
