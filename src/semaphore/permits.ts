import { asError } from '../core/decode.js';

/** Proof of an acquisition of permits, and the simplest way to give them back. */
export interface Permits extends AsyncDisposable {
  /** How many permits. */
  readonly count: number;
  /**
   * Gives them back, exactly once; a second call does nothing. Disposing does the same, but never
   * rejects: what failed is reported as an `error` event.
   *
   * Failure: when no answer comes in time, it goes on behind until it is done, through outages and
   * at most once. Permits of a process that dies stay taken. A semaphore that is gone by then, by
   * its `ttlMs` or deleted, gets none back: it is not made anew.
   * @throws OutcomeUnknownError when it was sent and no answer came within `commandTimeoutMs`,
   * CommandTimeoutError when there was no connection to send it on.
   * @throws RangeError when they do not fit into 32 bits any more; ClosedError.
   */
  release(): Promise<void>;
}

/** What permits need of the semaphore that granted them. */
export interface PermitsOwner {
  /** Tells the server that they are free; called once. */
  release(permits: GrantedPermits): Promise<void>;
  /** A background failure. */
  failed(error: Error): void;
}

/** Permits of a counting semaphore that were granted to a caller. */
export class GrantedPermits implements Permits {
  readonly count: number;
  /** Names this grant in events; the server knows nothing of it. */
  readonly holderId: string;
  readonly grantedAt: number;
  readonly #owner: PermitsOwner;
  #releasing: Promise<void> | undefined;

  constructor(owner: PermitsOwner, count: number, holderId: string, grantedAt: number) {
    this.#owner = owner;
    this.count = count;
    this.holderId = holderId;
    this.grantedAt = grantedAt;
  }

  release(): Promise<void> {
    if (this.#releasing !== undefined) {
      // Released before: the first call reports what came of it.
      return this.#releasing.catch(() => {});
    }
    this.#releasing = this.#owner.release(this);
    return this.#releasing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.release();
    } catch (error) {
      this.#owner.failed(asError(error));
    }
  }
}
