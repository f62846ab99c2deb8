import { ClosedError, CommandTimeoutError, OutcomeUnknownError } from '../errors.js';
import { asError } from '../core/wire/replies.js';
import type { TombstoneFollower } from '../core/delivery/tombstone.js';
import type { ObjectKind } from '../core/observe/events.js';
import { Printable } from '../core/observe/printable.js';
import { provenOnly, type Returned } from './protocol.js';

/**
 * Proof of an acquisition of permits, and the simplest way to give them back.
 *
 * @example
 * ```ts
 * const permits: Permits = await client.getSemaphore('uploads').acquire(2);
 * try {
 *   await work(AbortSignal.timeout(60_000));
 * } finally {
 *   await permits.release(); // all of them, exactly once
 * }
 * ```
 */
export interface Permits extends AsyncDisposable {
  /** Number of permits. */
  readonly count: number;
  /**
   * Gives the permits back, exactly once; after that, another call does nothing. Disposing does the
   * same, but never rejects: a failure is reported as an `error` event.
   *
   * Failure: when no answer comes in time, the release goes on in the background until it is done,
   * at most once, and through outages of any length while it was not sent. Another call then waits
   * for its outcome, as long as a call may take, and rejects again while there is none. Only a
   * release that was sent and whose outcome stays unknown for ten minutes is given up: an `error`
   * event reports it, and the next call releases anew what is known to be out. Where the server has
   * forgotten the grant (by an eviction) and a release of it has no answer, nothing is given back: the
   * call resolves, and an `error` event reports that permits may be lost. Permits of a process that
   * dies are not returned. When the semaphore is gone by then, by its `ttlMs` or
   * deleted, its permits are gone too: a release does not make it anew, and gives nothing to one
   * that was set anew (except to one that Java has set).
   * @throws OutcomeUnknownError when the release was sent and no answer came within
   * `commandTimeoutMs`; CommandTimeoutError when nothing was carried out in that time: there was no
   * connection to send it on, or Redis refused it, as `cause` says.
   * @throws RangeError when the count would not fit into 32 bits any more; ClosedError.
   */
  release(): Promise<void>;
}

/** The part of a semaphore that its permits use. */
export interface PermitsOwner {
  /** The semaphore. */
  readonly protocol: { readonly kind: ObjectKind; readonly resource: string };
  /** Releases the permits on the server and reports the outcome to them, also a late one. Not
   * called again while an earlier release may still run. */
  release(permits: GrantedPermits): Promise<void>;
  /** Tells that permits were released, or with an error that nobody will know. */
  announceRelease(permits: GrantedPermits, error?: Error): void;
  /** Waits for `work`, at most `commandTimeoutMs`; rejects when the client was closed. */
  inTime(work: Promise<void>): Promise<void>;
  /** A release that was given up is settled: reports where nothing shows whether it had run. */
  tombstoneSet(answer: unknown): void;
  /** Reports a failure in the background. */
  failed(error: Error): void;
}

/** Permits of a counting semaphore that were granted to a caller. */
export class GrantedPermits extends Printable implements Permits, TombstoneFollower {
  #taken: Returned;
  readonly #holderId: string;
  readonly #grantedAt: number;
  readonly #owner: PermitsOwner;
  /** The call of `release` under way. Not kept for longer: a promise keeps its async context. */
  #releasing: Promise<void> | undefined;
  /** The error that the caller got while the release goes on in the background. */
  #unsettled: Error | undefined;
  /** The outcome of that release. */
  #outcome: 'done' | 'forgotten' | undefined;
  /** The end of these permits was told. */
  #isTold = false;
  /** Callbacks of the calls that wait for the outcome. */
  #waiting: Set<() => void> | undefined;

  constructor(owner: PermitsOwner, taken: Returned, holderId: string, grantedAt: number) {
    super();
    this.#owner = owner;
    this.#taken = taken;
    this.#holderId = holderId;
    this.#grantedAt = grantedAt;
  }

  get taken(): Returned {
    return this.#taken;
  }

  /** Names this grant in events; it is not on the server. */
  get holderId(): string {
    return this.#holderId;
  }

  get grantedAt(): number {
    return this.#grantedAt;
  }

  protected override get label(): string {
    return 'Permits';
  }

  override toJSON(): object {
    const { kind, resource: name } = this.#owner.protocol;
    return { kind, name, count: this.count, state: this.#state };
  }

  get #state(): 'held' | 'releasing' | 'released' {
    if (this.#outcome === 'done') {
      return 'released';
    }
    const isUnderWay = this.#releasing !== undefined || this.#unsettled !== undefined;
    return isUnderWay ? 'releasing' : 'held';
  }

  get count(): number {
    return this.#taken.permits;
  }

  release(): Promise<void> {
    if (this.#outcome === 'done') {
      return Promise.resolve();
    }
    const unsettled = this.#unsettled;
    this.#releasing ??= unsettled === undefined ? this.#release() : this.#goOn(unsettled);
    return this.#releasing;
  }

  /** The call of a release has settled; with a timeout the release goes on in the background. */
  ended(error?: Error): void {
    this.#releasing = undefined;
    const goesOn = error instanceof OutcomeUnknownError || error instanceof CommandTimeoutError;
    this.#unsettled = goesOn ? error : undefined;
    if (error === undefined) {
      this.#known('done');
    } else if (goesOn && error.cause instanceof ClosedError) {
      // A client that is closed finishes nothing.
      this.#known('forgotten', error);
    }
  }

  tombstoneSet(answer: unknown): void {
    this.#owner.tombstoneSet(answer);
    this.#known('done');
  }

  forgotten(error: Error): void {
    this.#taken = provenOnly(this.#taken);
    this.#known('forgotten', error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.release();
    } catch (error) {
      this.#owner.failed(asError(error));
    }
  }

  #release(): Promise<void> {
    this.#outcome = undefined;
    return this.#owner.release(this);
  }

  /** Reports the outcome of the earlier release, or releases anew when it can never be known. */
  async #goOn(unsettled: Error): Promise<void> {
    try {
      if (this.#outcome === undefined) {
        await this.#untilKnown();
      }
      if (this.#outcome === undefined) {
        throw unsettled;
      }
    } catch (error) {
      this.#releasing = undefined;
      throw error;
    }
    if (this.#outcome === 'forgotten') {
      await this.#release();
    }
  }

  async #untilKnown(): Promise<void> {
    let tell!: () => void;
    const known = new Promise<void>((resolve) => {
      tell = resolve;
    });
    this.#waiting ??= new Set();
    this.#waiting.add(tell);
    try {
      await this.#owner.inTime(known);
    } finally {
      this.#waiting.delete(tell);
    }
  }

  /** The outcome is told once: a release that is made again tells no second one. */
  #known(outcome: 'done' | 'forgotten', error?: Error): void {
    this.#outcome = outcome;
    if (!this.#isTold) {
      this.#isTold = true;
      this.#owner.announceRelease(this, error);
    }
    for (const tell of this.#waiting ?? []) {
      tell();
    }
  }
}
