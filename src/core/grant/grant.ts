import { LeaseLostError, NotHeldError } from '../../errors.js';
import { asError } from '../wire/replies.js';
import type { Lease } from '../lease/lease.js';
import type { LeaseHolder } from '../lease/lease-parts.js';
import { lossSignal, type LossSignal } from '../lease/loss-signal.js';
import { ContendedListeners } from './contended-listeners.js';
import type { Events } from '../observe/events.js';
import type { Leaks, Watched } from '../observe/leaks.js';
import { checkBound, checkInteger, checkTask, INT32_MAX } from '../base/arguments.js';
import { checkDetaching } from './detached.js';
import { Reachable } from './reachable.js';

/** The part of an object that its grants need. */
export interface GrantOwner<G> {
  /** Tells the server that a grant ended; called once. */
  release(grant: G): Promise<void>;
  extend(grant: G, leaseMs: number): Promise<void>;
  /** Leaves a grant on the server for another client; undefined: with the lease of this client. */
  detach(grant: G, leaseMs: number | undefined): Promise<string>;
  readonly events: Events;
  readonly leaks: Leaks;
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
export abstract class Grant extends Reachable implements LeaseHolder, AsyncDisposable {
  declare readonly fencingToken?: bigint | undefined;
  readonly #lease: Lease;
  readonly #renewed: boolean;
  readonly #grantedAt: number;
  #endsBy: number | undefined;
  #isReleased = false;
  /** The first call of `release`, until it is settled: a promise keeps its async context. */
  #releasing: Promise<void> | undefined;
  #goesOn: GoingRelease | undefined;
  /** Set when the outcome of the release is that the lease had ended before. */
  #lostAtRelease: LeaseLostError | undefined;
  #loss: LossSignal | undefined;
  #listeners: ContendedListeners | undefined;

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

  /** See `LeaseHolder`. */
  get endsBy(): number | undefined {
    return this.#endsBy;
  }

  set endsBy(at: number | undefined) {
    this.#endsBy = at;
  }

  get renewed(): boolean {
    return this.#renewed;
  }

  override get grantedAt(): number {
    return this.#grantedAt;
  }

  override get held(): Watched['held'] {
    return this.lease.identity;
  }

  override get isRenewed(): boolean {
    return !this.isOver && this.#renewed && this.lease.renewed;
  }

  protected override get leaks(): Leaks {
    return this.owner.leaks;
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
    return !this.#isReleased && this.lease.isProven;
  }

  get remainingMs(): number {
    return this.#isReleased ? 0 : this.lease.remainingMs;
  }

  get signal(): AbortSignal {
    this.#loss ??= lossSignal(() => this.#error);
    return this.#loss.signal;
  }

  assertHeld(): void {
    this.assertNotOver();
    if (!this.lease.isProven) {
      const { resource } = this.lease.identity;
      const message = `the lease on "${resource}" is not proven: an answer of the server is to be read`;
      throw new LeaseLostError(message, 'unproven', { resource });
    }
  }

  /** Passes while it was neither lost nor released. */
  assertNotOver(): void {
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
    this.assertNotOver();
    checkBound(leaseMs, this.lease.boundMs);
    await this.owner.extend(this, leaseMs);
  }

  async detach(options?: { leaseMs?: number | undefined }): Promise<string> {
    const leaseMs = checkDetaching(options);
    this.assertNotOver();
    return await this.owner.detach(this, leaseMs);
  }

  /** Why it cannot go to another client just now, if so. */
  get boundBy(): string | undefined {
    return undefined;
  }

  /** It is held by nobody here any more, and was not released. */
  detached(): void {
    this.#isReleased = true;
    this.#ended();
  }

  onContended(listener: () => void, face: object): () => void {
    checkTask('listener', listener);
    this.#listeners ??= new ContendedListeners(this.owner.events, () => this.isOver);
    return this.#listeners.add(listener, !this.isOver && this.watchContention(), face);
  }

  contended(_isFirst: boolean): void {
    this.#listeners?.tell();
  }

  /** It was released or lost. */
  protected get isOver(): boolean {
    return this.#isReleased || this.#error !== undefined;
  }

  /** Sees to it that the client is told when another one waits; returns whether it was. Of most objects
   * nobody is told. */
  protected watchContention(): boolean {
    return false;
  }

  release(): Promise<void> {
    const error = this.#error;
    if (error !== undefined) {
      this.over();
      return Promise.reject(error);
    }
    if (this.#isReleased) {
      return this.#again();
    }
    this.#isReleased = true;
    const releasing = this.owner.release(this);
    this.#releasing = releasing;
    this.#ended();
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
    this.over();
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
    this.#ended();
    this.#loss?.lost(error);
    this.owner.lost(this, error);
  }

  #ended(): void {
    this.endWatch();
    this.ended();
  }

  /** The grant was released or lost. */
  protected ended(): void {}

  /** What matters of it, for logs. */
  abstract toJSON(): object;

  /** Its release was settled, or has reported a loss: its owner knows that it is over. */
  protected over(): void {}
}
