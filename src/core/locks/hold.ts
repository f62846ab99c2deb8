import type { LeaseLostError } from '../../errors.js';
import type { Lease } from '../lease/lease.js';
import { Grant, type GrantOwner } from '../grant/grant.js';
import { BranchMutex } from './branch-mutex.js';
import type { Contended, HeardOthers } from './heard-others.js';
import { OwnEntry, type ScopeEntry, type ScopedHold, type Scopes } from './scopes.js';
import type { Shown } from '../grant/grant-face.js';
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
  /** `suspect`: cannot be proven just now; an answer of the server decides. `lost`: for good. */
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  /**
   * Aborts with LeaseLostError once the hold is lost. `aborted`, `reason` and
   * `throwIfAborted()` are computed from the clock when used, so they are right on the first line
   * after a pause; a signal derived with `AbortSignal.any` aborts by event, a moment later.
   */
  readonly signal: AbortSignal;
  /** True only until the local deadline, counted from before the command was sent. It may become true
   * again while `state` is `suspect`: after a step of the wall clock the server is asked. */
  readonly isHeld: boolean;
  /** Milliseconds until the local deadline; 0 when it is not held. */
  readonly remainingMs: number;
  /**
   * Passes while the hold is held.
   * @throws LeaseLostError when the lease was lost, or cannot be proven before the server has answered.
   * @throws NotHeldError when it was released.
   */
  assertHeld(): void;
  /**
   * Makes the lease last at least `leaseMs` from now; a longer lease is not shortened.
   *
   * Failure: on a timeout the old deadline stays, and the lock is released when that passes.
   * @param leaseMs - 1 to 2147483647 milliseconds.
   * @throws RangeError outside that, or beyond the `maxHoldMs` of its holder.
   * @throws LeaseLostError when the lease was lost, NotHeldError when it was released.
   * @throws CommandTimeoutError when it was not sent, or refused; OutcomeUnknownError without an answer.
   */
  extend(leaseMs: number): Promise<void>;
  /**
   * Ends the hold here and leaves the lock held, for the process that calls `client.adopt` with the string: under the
   * same fencing token, and within the lease. The state here is then `released`. For locks, fair, fenced and write
   * locks; not while it is re-entered, nor with a read lock held inside.
   *
   * The string is a secret: anybody who has it, and the right to use the lock, can adopt the hold, once.
   *
   * Failure: when no answer comes, the hold stays what it was; the lease may be longer on the server.
   * @param options - `leaseMs`, 1 to 2147483647 milliseconds: the least time that the server keeps the lock from now
   * on, by default the client's `leaseMs`. A longer lease is not shortened.
   * @throws TypeError when it cannot be detached: the hold of a read lock or a multi-lock, of a quorum, or a re-entry.
   * @throws LeaseLostError when the lease was lost, NotHeldError when it was released.
   * @throws CommandTimeoutError when it was not sent, or refused; OutcomeUnknownError without an answer.
   */
  detach(options?: { leaseMs?: number | undefined }): Promise<string>;
  /**
   * Runs `task` inside this hold's async scope, where acquiring the same lock re-enters.
   * @throws LeaseLostError or NotHeldError when the hold has ended; `task` is then not run.
   */
  run<T>(task: () => T | Promise<T>): Promise<T>;
  /**
   * Calls `listener` once when another client is known to wait for the lock, so that a long task can release
   * between two of its steps; it may have given up by then. A listener that is set when that is known already
   * is called at the end of the turn. It runs outside of the code that finds it out, and not after the end of
   * the hold; what it throws becomes an `error` event.
   *
   * Failure: it is a hint without a command of its own. Where messages do not reach this client (no right to
   * listen, a cluster without sharded messages), and for Java, nobody says so. It is never called for read locks and
   * quorum clients.
   * @returns a function that takes the listener back.
   * @throws TypeError unless `listener` is a function.
   */
  onContended(listener: () => void): () => void;
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

/** What the internals know of a hold. */
export interface ShownHold extends Shown {
  readonly lockName: string;
  readonly holderId: string;
  readonly depth: number;
  readonly fencingToken?: bigint | undefined;
  /** `face` is kept by the scope that the task runs in. */
  run<T>(task: () => T | Promise<T>, face: object): Promise<T>;
}

/** The part of a lock that its holds need. */
export interface HoldOwner extends GrantOwner<LockHold> {
  /** The lock of the hold; see `LockProtocol.lockId`. */
  readonly lockId: string;
  readonly protocol: Contended;
  readonly locks: { readonly others: HeardOthers; readonly scopes: Scopes<LockHold> };
}

/** The properties that each hold of a lock has of its own. */
export interface HoldTerms {
  readonly outer: LockHold | undefined;
  /** It was the scope that it was acquired in that led to `outer`. */
  readonly byScope: boolean;
  readonly renewed: boolean;
  readonly grantedAt: number;
  readonly fencingToken: bigint | undefined;
}

/** The hold of any kind of lock, as the internals know it. */
export class LockHold extends Grant implements ShownHold, ScopedHold {
  declare readonly fencingToken?: bigint | undefined;
  readonly depth: number;
  readonly #owner: HoldOwner;
  readonly #byScope: boolean;
  #turn: BranchMutex | undefined;
  #outer: LockHold | undefined;
  #ownEntry: OwnEntry<LockHold> | undefined;
  #isOver = false;
  /** Created with the first re-entry through this hold. */
  #reentries: BranchMutex | undefined;

  constructor(owner: HoldOwner, lease: Lease, terms: HoldTerms) {
    super(lease, terms.renewed, terms.grantedAt);
    this.#owner = owner;
    this.depth = (terms.outer?.depth ?? 0) + 1;
    this.#outer = terms.outer;
    this.#byScope = terms.byScope;
    if (terms.fencingToken !== undefined) {
      this.fencingToken = terms.fencingToken;
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

  /** A hold that re-entered through this one, by scope and not by name, is still held. */
  get isOutlived(): boolean {
    return this.lease.holders.some(
      (other) =>
        other instanceof LockHold && other.#byScope && other.outer === this && other.isHeld,
    );
  }

  override get boundBy(): string | undefined {
    const { alive, companion } = this.lease;
    if (this.depth > 1 || alive > 1) {
      return 'it was re-entered';
    }
    return companion?.active === true ? 'a read lock is held inside it' : undefined;
  }

  /** Its entry in scopes, which keep its face; watched: only they keep the entry. */
  entryWith(face: object, isWatched: boolean = this.isWatched): ScopeEntry<LockHold> {
    this.#ownEntry ??= new OwnEntry();
    return this.#ownEntry.with(this, face, isWatched);
  }

  override watched(): void {
    this.#ownEntry?.watched();
  }

  /** Why it was lost. */
  get loss(): LeaseLostError | undefined {
    return this.lease.error;
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

  /** Scopes and re-entries forget this hold: work that goes on in its scopes acquires afresh. */
  protected override over(): void {
    this.#isOver = true;
    // Holds re-entered through this one still refer to it: it must not keep others that are over.
    this.#outer = this.outer;
    this.#ownEntry?.forget();
  }

  async run<T>(task: () => T | Promise<T>, face: object): Promise<T> {
    checkTask('task', task);
    this.assertHeld();
    return await this.owner.locks.scopes.run(this.entryWith(face), task);
  }

  override toJSON(): object {
    const { lockName, holderId, depth, state, remainingMs, fencingToken } = this;
    const token = fencingToken === undefined ? {} : { fencingToken: String(fencingToken) };
    const { kind } = this.lease.identity;
    return { kind, lockName, holderId, depth, ...token, state, remainingMs };
  }

  override contended(isFirst: boolean): void {
    super.contended(isFirst);
    if (isFirst) {
      const { kind, resource, holderId } = this.lease.identity;
      this.owner.events.report('contended', { resource, kind, holderId }, () => !this.isOver);
    }
  }

  protected override watchContention(): boolean {
    return this.owner.locks.others.watch(this.lease, this.owner.protocol);
  }

  protected override ended(): void {
    this.#reentries?.close();
  }
}
