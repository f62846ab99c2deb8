import type { Lease } from '../core/lease/lease.js';
import { Grant, type GrantOwner } from '../core/grant/grant.js';
import { GrantFace, type Shown } from '../core/grant/grant-face.js';

/**
 * Proof of one acquisition of a permit, and the way to give it back. Until then, or until it is
 * lost, it keeps the process alive.
 *
 * @example
 * ```ts
 * const permit: Permit = await client.getPermitExpirableSemaphore('seats').acquire();
 * console.log(permit.id, permit.remainingMs);
 * await permit.release();
 * ```
 */
export interface Permit extends AsyncDisposable {
  /** 32 lower-case hex digits; on the wire 16 bytes. */
  readonly id: string;
  /** `suspect`: cannot be proven just now; an answer of the server decides. `lost`: for ever. */
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  /**
   * Aborts with LeaseLostError once the permit is lost. `aborted`, `reason` and
   * `throwIfAborted()` are computed from the clock when used, so they are right on the first line
   * after a pause; a signal derived with `AbortSignal.any` aborts by event, a moment later.
   */
  readonly signal: AbortSignal;
  /** True only until the local deadline, counted from before the command was sent. */
  readonly isHeld: boolean;
  /** Milliseconds until the local deadline; 0 when it is not held. */
  readonly remainingMs: number;
  /**
   * Passes while the permit is held.
   * @throws LeaseLostError when the lease was lost.
   * @throws NotHeldError when it was released.
   */
  assertHeld(): void;
  /**
   * Makes the lease last at least `leaseMs` from now; a longer one is not shortened (see
   * `updateLease`), and none outlives its semaphore (`ttlMs` of `trySetPermits`).
   *
   * Failure: on a timeout the old deadline stays; when it passes, the permit is given back.
   * @param leaseMs - 1 to 2147483647 milliseconds.
   * @throws RangeError outside that, or beyond the `maxHoldMs` of its holder.
   * @throws LeaseLostError when the lease was lost, NotHeldError when it was released.
   * @throws CommandTimeoutError when it was not sent, or refused; OutcomeUnknownError without an answer.
   */
  extend(leaseMs: number): Promise<void>;
  /**
   * Ends the permit here and leaves it taken, for the process that calls `client.adopt` with the string, within the
   * lease. It gets another id then. The state here is `released`.
   *
   * The string is a secret: anybody who has it, and the right to use the semaphore, can adopt the permit, once.
   *
   * Failure: when no answer comes, the permit stays what it was; the lease may be longer on the server.
   * @param options - `leaseMs`, 1 to 2147483647 milliseconds: the least time that the server keeps the permit from now
   * on, by default the client's `leaseMs`. A longer lease is not shortened.
   * @throws LeaseLostError when the lease was lost, NotHeldError when it was released.
   * @throws CommandTimeoutError when it was not sent, or refused; OutcomeUnknownError without an answer.
   */
  detach(options?: { leaseMs?: number | undefined }): Promise<string>;
  /**
   * For code that handles holds and permits alike: nobody is told who waits for a permit, so `listener` is
   * never called.
   * @returns a function that takes the listener back.
   * @throws TypeError unless `listener` is a function.
   */
  onContended(listener: () => void): () => void;
  /**
   * Gives the permit back; once it is released, another call does nothing.
   *
   * Failure: when no answer comes, or Redis refuses, the release goes on in the background, and the
   * permit is not renewed any more; it is free at the latest when its lease ends. Another call then
   * waits for the outcome, as long as a call may take. When the answer comes, or the lease ends
   * without one, `released` or `lost` is emitted, and `state` may become `lost`.
   * @throws LeaseLostError when the lease ended before.
   * @throws OutcomeUnknownError when the release was sent and no answer came within
   * `commandTimeoutMs`; CommandTimeoutError when nothing was carried out: there was no connection to
   * send it on, or Redis refused it, as `cause` says.
   */
  release(): Promise<void>;
}

/** A permit on a lease of its own, as the internals know it. */
export class LeasedPermit extends Grant implements Shown {
  readonly #owner: GrantOwner<LeasedPermit>;

  constructor(owner: GrantOwner<LeasedPermit>, lease: Lease, renewed: boolean, grantedAt: number) {
    super(lease, renewed, grantedAt);
    this.#owner = owner;
  }

  protected override get owner(): GrantOwner<LeasedPermit> {
    return this.#owner;
  }

  get id(): string {
    return this.lease.identity.holderId;
  }

  override toJSON(): object {
    const { id, state, remainingMs } = this;
    const { kind, resource: name } = this.lease.identity;
    return { kind, name, id, state, remainingMs };
  }
}

/** The object that the program has of a permit. */
export class PermitFace extends GrantFace<LeasedPermit> implements Permit {
  /** A program may keep this alone, and release the permit by it: so the permit is kept. */
  get id(): string {
    this.shown.keepFace(this);
    return this.shown.id;
  }

  protected override get label(): string {
    return 'Permit';
  }

  /** What a log shows is not read by the program. */
  protected override get facts(): object {
    return super.toJSON();
  }

  /** What is made of this may be read again, with the id. */
  override toJSON(): object {
    this.shown.keepFace(this);
    return super.toJSON();
  }
}
