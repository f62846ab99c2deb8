import { LeaseLostError, NotHeldError } from '../errors.js';
import { asError } from './decode.js';
import type { Lease, LeaseHolder } from './lease.js';
import { LocalMutex } from './local-mutex.js';
import { lossSignal } from './loss-signal.js';
import type { ScopedHold } from './scopes.js';
import { checkInteger, checkTask, INT32_MAX } from './validate.js';

/** Proof of one acquisition, and the only way to give it back. */
export interface Hold extends AsyncDisposable {
  /** Name of the lock. */
  readonly lockName: string;
  /** `<client id>:<async id>`, exactly as stored in Redis. */
  readonly holderId: string;
  /** 1 for the outermost hold, one more per re-entry. */
  readonly depth: number;
  /** Fenced locks only: equal on re-entry, larger on every later grant. */
  readonly fencingToken?: bigint;
  /** `suspect`: cannot be proven just now, but its deadline has not passed. `lost`: for ever. */
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  /**
   * Aborts with LeaseLostError once ownership can no longer be proven. `aborted`, `reason` and
   * `throwIfAborted()` are computed from the clock when used, so they are right on the first line
   * after a pause; a signal derived with `AbortSignal.any` learns it by event, a moment later.
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
   * Makes the lease last at least `leaseMs` from now; a longer one is not shortened.
   *
   * Failure: on a timeout the old deadline stays; the server may keep the lock a little longer.
   * @param leaseMs - 1 to 2147483647 milliseconds.
   * @throws LeaseLostError when the lease was lost, NotHeldError when it was released.
   * @throws CommandTimeoutError when it was not sent, OutcomeUnknownError when no answer came.
   */
  extend(leaseMs: number): Promise<void>;
  /**
   * Runs `task` inside this hold's async scope, where acquiring the same lock re-enters.
   * @throws LeaseLostError or NotHeldError when the hold has ended; `task` is then not run.
   */
  run<T>(task: () => T | Promise<T>): Promise<T>;
  /**
   * Gives the hold back; a second call does nothing.
   *
   * Failure: when no answer comes, release goes on behind; the lock is free at the latest when
   * its lease ends.
   * @throws LeaseLostError when the lease ended before.
   * @throws OutcomeUnknownError when it was sent and no answer came within `commandTimeoutMs`,
   * CommandTimeoutError when there was no connection to send it on.
   */
  release(): Promise<void>;
}

/** What a hold needs of the lock that granted it. */
export interface HoldOwner {
  /** Tells the server that a hold ended; called once. */
  release(hold: LockHold): Promise<void>;
  extend(hold: LockHold, leaseMs: number): Promise<void>;
  /** Runs a task in the scope of a hold. */
  inScope<T>(hold: LockHold, task: () => T): T;
  /** A hold was lost. */
  lost(hold: LockHold, error: LeaseLostError): void;
  /** A background failure. */
  failed(error: Error): void;
}

/** What makes one hold different from the others of its lock. */
export interface HoldTerms {
  readonly lockId: string;
  readonly outer: LockHold | undefined;
  readonly renewed: boolean;
  readonly grantedAt: number;
  readonly fencingToken: bigint | undefined;
}

/** The hold of any kind of lock. */
export class LockHold implements Hold, LeaseHolder, ScopedHold {
  readonly lease: Lease;
  readonly depth: number;
  declare readonly fencingToken?: bigint;
  readonly lockId: string;
  readonly outer: LockHold | undefined;
  readonly renewed: boolean;
  readonly grantedAt: number;
  /** Keeps the re-entries through this hold apart; made when the first one comes. */
  #reentries: LocalMutex | undefined;
  readonly #owner: HoldOwner;
  #releasing: Promise<void> | undefined;
  /** The server said at the release that the lease had ended before. */
  #lostAtRelease: LeaseLostError | undefined;
  #abort: AbortController | undefined;

  constructor(owner: HoldOwner, lease: Lease, terms: HoldTerms) {
    this.#owner = owner;
    this.lease = lease;
    this.depth = (terms.outer?.depth ?? 0) + 1;
    this.lockId = terms.lockId;
    this.outer = terms.outer;
    this.renewed = terms.renewed;
    this.grantedAt = terms.grantedAt;
    if (terms.fencingToken !== undefined) {
      this.fencingToken = terms.fencingToken;
    }
  }

  get lockName(): string {
    return this.lease.identity.resource;
  }

  get holderId(): string {
    return this.lease.identity.holderId;
  }

  /** Why it was lost; a hold that was released before cannot be lost any more. */
  get #error(): LeaseLostError | undefined {
    return this.#releasing === undefined ? this.lease.error : this.#lostAtRelease;
  }

  get state(): Hold['state'] {
    if (this.#error !== undefined) {
      return 'lost';
    }
    return this.#releasing === undefined ? this.lease.state : 'released';
  }

  get isHeld(): boolean {
    return this.#releasing === undefined && this.lease.error === undefined;
  }

  get remainingMs(): number {
    return this.#releasing === undefined ? this.lease.remainingMs : 0;
  }

  get signal(): AbortSignal {
    this.#abort ??= lossSignal(() => this.#error);
    return this.#abort.signal;
  }

  /** The mutex of this hold. */
  get reentries(): LocalMutex {
    this.#reentries ??= new LocalMutex();
    return this.#reentries;
  }

  assertHeld(): void {
    if (this.#error !== undefined) {
      throw this.#error;
    }
    if (this.#releasing !== undefined) {
      const resource = this.lockName;
      throw new NotHeldError(`the hold on "${resource}" was released`, { resource });
    }
  }

  async extend(leaseMs: number): Promise<void> {
    checkInteger('leaseMs', leaseMs, 1, INT32_MAX);
    this.assertHeld();
    await this.#owner.extend(this, leaseMs);
  }

  async run<T>(task: () => T | Promise<T>): Promise<T> {
    checkTask('task', task);
    this.assertHeld();
    return await this.#owner.inScope(this, task);
  }

  release(): Promise<void> {
    const error = this.#error;
    if (error !== undefined) {
      return Promise.reject(error);
    }
    if (this.#releasing !== undefined) {
      // Released before: the first call reports what came of it.
      return this.#releasing.catch(() => {});
    }
    this.#releasing = this.#owner.release(this);
    this.#reentries?.close();
    return this.#releasing;
  }

  /** The server said at the release that the lease had ended before. */
  lostBefore(error: LeaseLostError): void {
    this.#lostAtRelease = error;
    this.lost(error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.release();
    } catch (error) {
      // A loss has had its own event.
      if (!(error instanceof LeaseLostError)) {
        this.#owner.failed(asError(error));
      }
    }
  }

  /** What a log wants to know of a hold. */
  toJSON(): object {
    const { lockName, holderId, depth, state, remainingMs, fencingToken } = this;
    const token = fencingToken === undefined ? {} : { fencingToken: String(fencingToken) };
    return { lockName, holderId, depth, ...token, state, remainingMs };
  }

  lost(error: LeaseLostError): void {
    this.#reentries?.close();
    this.#abort?.abort(error);
    this.#owner.lost(this, error);
  }
}
