import { CommandTimeoutError, OutcomeUnknownError } from '../errors.js';
import { asError } from '../core/wire/replies.js';
import type { TombstoneFollower } from '../core/delivery/delivery.js';
import type { Returned } from './protocol.js';

/** Proof of an acquisition of permits, and the simplest way to give them back. */
export interface Permits extends AsyncDisposable {
  /** How many permits. */
  readonly count: number;
  /**
   * Gives them back, exactly once; when that is done, another call does nothing. Disposing does the
   * same, but never rejects: what failed is reported as an `error` event.
   *
   * Failure: when no answer comes in time, it goes on behind until it is done, at most once, and
   * through outages of any length while it was not sent. Another call then waits for that, as long
   * as a call may take, and rejects again while it is not done. Only a release that was sent, and of
   * which nothing could be learnt for ten minutes, is given up: an `error` event tells so, and the
   * next call releases anew, without knowing whether the first one did. Permits of a process that
   * dies stay taken. Permits of a semaphore that is gone by then, by its `ttlMs` or deleted, are gone
   * with it: it is not made anew, and one that was set anew gets none of them (one that Java has set
   * may).
   * @throws OutcomeUnknownError when it was sent and no answer came within `commandTimeoutMs`,
   * CommandTimeoutError when there was no connection to send it on.
   * @throws RangeError when they do not fit into 32 bits any more; ClosedError.
   */
  release(): Promise<void>;
}

/** What permits need of the semaphore that granted them. */
export interface PermitsOwner {
  /** Tells the server that they are free, and the permits what came of that, now and later. Not
   * called again while an earlier call may still be carried out. */
  release(permits: GrantedPermits): Promise<void>;
  /** Waits for `work`, but not longer than for an answer; rejects when the client was closed. */
  inTime(work: Promise<void>): Promise<void>;
  /** A background failure. */
  failed(error: Error): void;
}

/** Permits of a counting semaphore that were granted to a caller. */
export class GrantedPermits implements Permits, TombstoneFollower {
  readonly taken: Returned;
  /** Names this grant in events; the server knows nothing of it. */
  readonly holderId: string;
  readonly grantedAt: number;
  readonly #owner: PermitsOwner;
  /** Under way in its caller's time. Not kept for longer: a promise keeps its async context. */
  #releasing: Promise<void> | undefined;
  /** Why its caller was not told what came of it: it goes on behind. */
  #unsettled: Error | undefined;
  /** What came of that one. */
  #outcome: 'done' | 'forgotten' | undefined;
  /** Those who wait for the outcome. */
  #waiting: Set<() => void> | undefined;

  constructor(owner: PermitsOwner, taken: Returned, holderId: string, grantedAt: number) {
    this.#owner = owner;
    this.taken = taken;
    this.holderId = holderId;
    this.grantedAt = grantedAt;
  }

  get count(): number {
    return this.taken.permits;
  }

  release(): Promise<void> {
    if (this.#outcome === 'done') {
      return Promise.resolve();
    }
    const unsettled = this.#unsettled;
    this.#releasing ??= unsettled === undefined ? this.#release() : this.#goOn(unsettled);
    return this.#releasing;
  }

  /** The call of a release has ended, for its caller. */
  ended(error?: Error): void {
    this.#releasing = undefined;
    const goesOn = error instanceof OutcomeUnknownError || error instanceof CommandTimeoutError;
    this.#unsettled = goesOn ? error : undefined;
    if (error === undefined) {
      this.#outcome = 'done';
    }
  }

  tombstoneSet(): void {
    this.#known('done');
  }

  forgotten(): void {
    this.#known('forgotten');
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

  /** Says what came of the release before, and makes another one when that is not known for ever. */
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

  #known(outcome: 'done' | 'forgotten'): void {
    this.#outcome = outcome;
    for (const tell of this.#waiting ?? []) {
      tell();
    }
  }
}
