import { LeaseLostError, NotHeldError } from '../../errors.js';
import { asError } from '../wire/replies.js';
import type { Lease, LeaseHolder } from '../lease/lease.js';
import { lossSignal, type LossSignal } from '../lease/loss-signal.js';
import { Printable } from '../observe/printable.js';
import { checkInteger, INT32_MAX } from '../base/arguments.js';

/** The part of an object that its grants need. */
export interface GrantOwner<G> {
  /** Tells the server that a grant ended; called once. */
  release(grant: G): Promise<void>;
  extend(grant: G, leaseMs: number): Promise<void>;
  /** A grant was lost. */
  lost(grant: G, error: LeaseLostError): void;
  /** Something failed in the background. */
  failed(error: Error): void;
}

/** The release of a grant that goes on after its call has failed. */
export interface GoingRelease {
  /** Waits for its outcome, as long as a call may take; rejects while there is none, and with a loss. */
  again(): Promise<void>;
}

/** A grant lives on a lease and belongs to a caller: the hold of a lock, or permits. */
export abstract class Grant extends Printable implements LeaseHolder, AsyncDisposable {
  /** Its internals are hidden from loggers, which would walk through the whole client. */
  readonly #lease: Lease;
  readonly #renewed: boolean;
  readonly #grantedAt: number;
  #isReleased = false;
  /** The first call of `release`, until it is settled: a promise keeps its async context. */
  #releasing: Promise<void> | undefined;
  #goesOn: GoingRelease | undefined;
  /** Set when the outcome of the release is that the lease had ended before. */
  #lostAtRelease: LeaseLostError | undefined;
  #loss: LossSignal | undefined;

  constructor(lease: Lease, renewed: boolean, grantedAt: number) {
    super();
    this.#lease = lease;
    this.#renewed = renewed;
    this.#grantedAt = grantedAt;
  }

  /** Each subclass has an owner of its own kind. */
  protected abstract get owner(): GrantOwner<this>;

  get lease(): Lease {
    return this.#lease;
  }

  get renewed(): boolean {
    return this.#renewed;
  }

  get grantedAt(): number {
    return this.#grantedAt;
  }

  /** Why the grant was lost; a grant that was released first cannot be lost any more. */
  get #error(): LeaseLostError | undefined {
    return this.#isReleased ? this.#lostAtRelease : this.lease.error;
  }

  get state(): 'held' | 'suspect' | 'lost' | 'released' {
    if (this.#error !== undefined) {
      return 'lost';
    }
    return this.#isReleased ? 'released' : this.lease.state;
  }

  get isHeld(): boolean {
    return !this.#isReleased && this.lease.error === undefined;
  }

  get remainingMs(): number {
    return this.#isReleased ? 0 : this.lease.remainingMs;
  }

  get signal(): AbortSignal {
    this.#loss ??= lossSignal(() => this.#error);
    return this.#loss.signal;
  }

  assertHeld(): void {
    if (this.#error !== undefined) {
      throw this.#error;
    }
    if (this.#isReleased) {
      const { resource } = this.lease.identity;
      throw new NotHeldError(`the hold on "${resource}" was released`, { resource });
    }
  }

  async extend(leaseMs: number): Promise<void> {
    checkInteger('leaseMs', leaseMs, 1, INT32_MAX);
    this.assertHeld();
    await this.owner.extend(this, leaseMs);
  }

  release(): Promise<void> {
    const error = this.#error;
    if (error !== undefined) {
      return Promise.reject(error);
    }
    if (this.#isReleased) {
      return this.#again();
    }
    this.#isReleased = true;
    const releasing = this.owner.release(this);
    this.#releasing = releasing;
    this.ended();
    return releasing;
  }

  /** The first call reports how the release ended, unless that goes on. */
  async #again(): Promise<void> {
    await this.#releasing?.catch(() => {});
    await this.#goesOn?.again();
  }

  /** The first call of `release` has failed, and its outcome is open. */
  releaseGoesOn(release: GoingRelease): void {
    this.#goesOn = release;
  }

  /** The first call of `release` is settled. */
  settled(): void {
    this.#releasing = undefined;
  }

  /** The lease had ended before the release; nobody knew that when it was called. */
  lostBefore(error: LeaseLostError): void {
    this.#lostAtRelease = error;
    this.lost(error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.release();
    } catch (error) {
      // A loss is reported by its own event.
      if (!(error instanceof LeaseLostError)) {
        this.owner.failed(asError(error));
      }
    }
  }

  lost(error: LeaseLostError): void {
    if (this.#isReleased) {
      // Its outcome was not known.
      this.#lostAtRelease = error;
    }
    this.ended();
    this.#loss?.abort(error);
    this.owner.lost(this, error);
  }

  /** The grant was released or lost. */
  protected ended(): void {}
}
