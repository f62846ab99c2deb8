import type { Lease } from '../lease/lease.js';
import { Grant, type GrantOwner } from '../grant/grant.js';
import { BranchMutex } from './branch-mutex.js';
import type { ScopeEntry, ScopedHold } from './scopes.js';
import { checkTask } from '../base/arguments.js';

/**
 * Proof of one acquisition, and the only way to release it. Until it is released or lost it keeps
 * the process alive.
 *
 * @example
 * ```ts
 * const hold = await client.getLock('invoice:42').acquire();
 * try {
 *   await work(hold.signal); // aborts when the hold is lost
 *   hold.assertHeld();
 * } finally {
 *   await hold.release();
 * }
 * ```
 */
export interface Hold extends AsyncDisposable {
  /** Name of the lock. */
  readonly lockName: string;
  /** `<client id>:<async id>`, exactly as stored in Redis. */
  readonly holderId: string;
  /** 1 for the outermost hold, one more per re-entry. */
  readonly depth: number;
  /** Fenced locks only: equal on re-entry, larger on every later grant. */
  readonly fencingToken?: bigint;
  /** `suspect`: cannot be proven just now, but its deadline has not passed. `lost`: for good. */
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  /**
   * Aborts with LeaseLostError once ownership can no longer be proven. `aborted`, `reason` and
   * `throwIfAborted()` are computed from the clock when used, so they are right on the first line
   * after a pause; a signal derived with `AbortSignal.any` aborts by event, a moment later.
   */
  readonly signal: AbortSignal;
  /** True only until the local deadline, counted from before the command was sent. */
  readonly isHeld: boolean;
  /** Milliseconds until the local deadline; 0 when it is not held. */
  readonly remainingMs: number;
  /**
   * Passes while the hold is held.
   * @throws LeaseLostError when the lease was lost.
   * @throws NotHeldError when it was released.
   */
  assertHeld(): void;
  /**
   * Makes the lease last at least `leaseMs` from now; a longer lease is not shortened.
   *
   * Failure: on a timeout the old deadline stays, and the lock is released when that passes.
   * @param leaseMs - 1 to 2147483647 milliseconds.
   * @throws LeaseLostError when the lease was lost, NotHeldError when it was released.
   * @throws CommandTimeoutError when it was not sent, or refused; OutcomeUnknownError without an answer.
   */
  extend(leaseMs: number): Promise<void>;
  /**
   * Runs `task` inside this hold's async scope, where acquiring the same lock re-enters.
   * @throws LeaseLostError or NotHeldError when the hold has ended; `task` is then not run.
   */
  run<T>(task: () => T | Promise<T>): Promise<T>;
  /**
   * Releases the hold; once it is released, another call does nothing.
   *
   * Failure: when no answer comes, or Redis refuses, the release goes on in the background, and the
   * hold is not renewed any more; the lock is free at the latest when its lease ends. Another call
   * then waits for the outcome, as long as a call may take. When the answer comes, or the lease ends
   * without one, `released` or `lost` is emitted, and `state` may become `lost`.
   * @throws LeaseLostError when the lease had ended before.
   * @throws OutcomeUnknownError when the release was sent and no answer came within
   * `commandTimeoutMs`; CommandTimeoutError when nothing was carried out: there was no connection to
   * send it on, or Redis refused it, as `cause` says.
   */
  release(): Promise<void>;
}

/**
 * The hold of a fenced lock.
 *
 * @example
 * ```ts
 * const hold: FencedHold = await client.getFencedLock('ledger').acquire();
 * await save({ token: hold.fencingToken }); // the store refuses a smaller one
 * await hold.release();
 * ```
 */
export interface FencedHold extends Hold {
  /** Equal on re-entry, larger on every later grant: the guarded system refuses a smaller one. */
  readonly fencingToken: bigint;
}

/** The part of a lock that its holds need. */
export interface HoldOwner extends GrantOwner<LockHold> {
  /** The lock of the hold; see `LockProtocol.lockId`. */
  readonly lockId: string;
  /** Runs a task in the scope of a hold. */
  inScope<T>(hold: LockHold, task: () => T): T;
}

/** The properties that each hold of a lock has of its own. */
export interface HoldTerms {
  readonly outer: LockHold | undefined;
  readonly renewed: boolean;
  readonly grantedAt: number;
  readonly fencingToken: bigint | undefined;
}

/** The hold of any kind of lock. */
export class LockHold extends Grant implements Hold, ScopedHold {
  readonly depth: number;
  declare readonly fencingToken?: bigint;
  readonly #owner: HoldOwner;
  #turn: BranchMutex | undefined;
  #outer: LockHold | undefined;
  #scopeEntry: ScopeEntry<LockHold> | undefined;
  #isOver = false;
  /** Created with the first re-entry through this hold. */
  #reentries: BranchMutex | undefined;

  constructor(owner: HoldOwner, lease: Lease, terms: HoldTerms) {
    super(lease, terms.renewed, terms.grantedAt);
    this.#owner = owner;
    this.depth = (terms.outer?.depth ?? 0) + 1;
    this.#outer = terms.outer;
    if (terms.fencingToken !== undefined) {
      // Not enumerable: a log of `{ ...hold }` must not meet a bigint, which JSON cannot show.
      Object.defineProperty(this, 'fencingToken', { value: terms.fencingToken });
    }
  }

  protected override get owner(): HoldOwner {
    return this.#owner;
  }

  get lockId(): string {
    return this.#owner.lockId;
  }

  /** The mutex of the hold that it re-entered through, which it keeps until its own end. */
  get turn(): BranchMutex | undefined {
    return this.#turn;
  }

  set turn(turn: BranchMutex) {
    this.#turn = turn;
  }

  get outer(): LockHold | undefined {
    while (this.#outer !== undefined && this.#outer.#isOver) {
      this.#outer = this.#outer.#outer;
    }
    return this.#outer;
  }

  get scopeEntry(): ScopeEntry<LockHold> {
    this.#scopeEntry ??= { hold: this };
    return this.#scopeEntry;
  }

  get lockName(): string {
    return this.lease.identity.resource;
  }

  get holderId(): string {
    return this.lease.identity.holderId;
  }

  /** Makes the re-entries through this hold exclude each other. */
  get reentries(): BranchMutex {
    this.#reentries ??= new BranchMutex();
    return this.#reentries;
  }

  /** The release has been settled: scopes and re-entries forget this hold. */
  over(): void {
    this.#isOver = true;
    // Holds re-entered through this one still refer to it: it must not keep others that are over.
    this.#outer = this.outer;
    if (this.#scopeEntry !== undefined) {
      this.#scopeEntry.hold = undefined;
    }
  }

  async run<T>(task: () => T | Promise<T>): Promise<T> {
    checkTask('task', task);
    this.assertHeld();
    return await this.owner.inScope(this, task);
  }

  protected override get label(): string {
    return 'Hold';
  }

  override toJSON(): object {
    const { lockName, holderId, depth, state, remainingMs, fencingToken } = this;
    const token = fencingToken === undefined ? {} : { fencingToken: String(fencingToken) };
    const { kind } = this.lease.identity;
    return { kind, lockName, holderId, depth, ...token, state, remainingMs };
  }

  protected override ended(): void {
    this.#reentries?.close();
  }
}
