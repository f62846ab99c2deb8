import { LeaseLostError, type LeaseLostReason } from '../../errors.js';
import { WrongTypeError } from '../../server-errors.js';
import { deadline, type Clock, type Timer } from '../base/clock.js';
import type { CleanUp } from '../delivery/clean-up.js';
import { LINGER_MS, LINGERS_MAX, type AnswerObserver } from '../delivery/pending-reply.js';
import type { PendingCall } from '../wire/call.js';
import type { GoingRelease, Grant } from './grant.js';

/** The server's answer to a release: the object is free; other holds keep it; it was handed to the next in its
 * line; it was opened for a moment to those in no line; or the holder did not have it: another holder has it,
 * or none. */
export interface ReleaseResult {
  readonly is: 'freed' | 'kept' | 'handed' | 'opened' | 'taken' | 'deleted';
}

/** A release that is on its way when its lease ends is given up so much later, unless it has an answer. */
const STOP_AGAIN_MS = 100;

/** Answers that the holder had it. */
const RELEASED: ReadonlySet<ReleaseResult['is']> = new Set(['freed', 'kept', 'handed', 'opened']);

/** The part of an object that the releases of its grants need. */
export interface ReleaseOwner<G> {
  readonly services: {
    readonly clock: Clock;
    readonly delivery: { readonly cleanUp: Pick<CleanUp, 'stop'> };
  };
  /** Waits for `known`, as long as a call may take or `limitMs`; rejects when the client was closed. */
  inTime(known: Promise<void>, limitMs?: number): Promise<void>;
  /** The error of a release whose time is up. */
  outOfTime(call: PendingCall): Error;
  /** A release was answered. */
  answered(result: ReleaseResult): void;
  /** The release of a grant has been settled, with or without success. */
  released(grant: G): void;
  /** Tells that a grant was released. */
  announceRelease(grant: G): void;
}

/**
 * The release of one grant, from its call to its outcome, which may come long after its caller has
 * given up. The outcome is judged here alone, and told once: the grant was released or lost.
 */
export class Release<G extends Grant> implements AnswerObserver<ReleaseResult>, GoingRelease {
  /** The loss that the server's answer has shown. */
  loss: LeaseLostError | undefined;
  readonly #owner: ReleaseOwner<G>;
  /** Kept until the outcome is told. */
  #grant: G | undefined;
  readonly #lost: ((error: LeaseLostError) => void) | undefined;
  #isSettled = false;
  #timer: Timer | undefined;
  #call: PendingCall | undefined;
  /** The loss that was told. */
  #lostAs: LeaseLostError | undefined;
  /** Callbacks of the calls that wait for the outcome. */
  #waiting: Set<() => void> | undefined;

  /** `lost` is called when the grant was lost, after that was told. */
  constructor(owner: ReleaseOwner<G>, grant: G, lost?: (error: LeaseLostError) => void) {
    this.#owner = owner;
    this.#grant = grant;
    this.#lost = lost;
  }

  started(call: PendingCall): void {
    this.#call = call;
  }

  answered(result: ReleaseResult, call: PendingCall): void {
    this.#owner.answered(result);
    const grant = this.#grant;
    if (grant === undefined) {
      this.#timer?.cancel();
      return;
    }
    const { lease } = grant;
    // "Not held by you" to a later copy: the first has released it, if it was held when sent.
    if (RELEASED.has(result.is) || (call.mayHaveBegun && lease.covers(call.sentAt))) {
      this.#tellRelease(grant);
    } else {
      const reason = result.is === 'taken' ? 'taken' : 'deleted';
      const isProven = lease.covers(this.#owner.services.clock.now());
      this.#found(grant, isProven ? reason : 'expired');
    }
  }

  failed(error: Error): void {
    const grant = this.#grant;
    if (grant === undefined) {
      this.#timer?.cancel();
      return;
    }
    if (error instanceof WrongTypeError) {
      // The object was overwritten by something of another type.
      this.#found(grant, 'taken', error);
    } else {
      this.#tellLoss(grant, lossOf(grant, 'unproven', error));
    }
  }

  /** The caller waits no longer. Where no answer comes while the lease lasts, nobody knows more than
   * that it has ended. */
  givenUp(cause: unknown): void {
    const grant = this.#grant;
    if (grant === undefined) {
      return;
    }
    grant.releaseGoesOn(this);
    const { error, openMs, mayOutlast, hasUnackedCopy } = grant.lease;
    if (error === undefined && openMs > 0) {
      // Again then: other holds may have kept the lease.
      const { clock } = this.#owner.services;
      this.#timer = deadline(clock, openMs, () => this.givenUp(cause));
      return;
    }
    const call = this.#call;
    this.#tellLoss(grant, error ?? lossOf(grant, 'unproven', cause));
    // Nothing is left to be released, so a copy that runs late changes nothing. A call that could not be sent has an
    // end by itself, when there is a connection again.
    if (call?.refusal !== undefined && !mayOutlast && !hasUnackedCopy) {
      this.#stop(call);
    }
  }

  /** The call has its outcome, or none in time: the grant is over here, before anybody hears of that. */
  settle(grant: G): void {
    if (!this.#isSettled) {
      this.#isSettled = true;
      this.#owner.released(grant);
    }
  }

  async again(): Promise<void> {
    if (this.#call !== undefined) {
      await this.#untilKnown();
    }
    if (this.#call !== undefined) {
      throw this.#owner.outOfTime(this.#call);
    }
    if (this.#lostAs !== undefined) {
      throw this.#lostAs;
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
      for (let i = 0; i < LINGERS_MAX && this.#call?.isBeingRetried === true; i += 1) {
        await this.#owner.inTime(known, LINGER_MS);
      }
    } finally {
      this.#waiting.delete(tell);
    }
  }

  /** The lease has ended on the server, too: nothing is left to be released. */
  #stop(call: PendingCall): void {
    const { clock, delivery } = this.#owner.services;
    if (!delivery.cleanUp.stop(call)) {
      // It is on its way just now.
      this.#timer = clock.after(STOP_AGAIN_MS, () => this.#stop(call));
    }
  }

  /** The server has shown a loss. */
  #found(grant: G, reason: LeaseLostReason, cause?: Error): void {
    const loss = lossOf(grant, reason, cause);
    this.loss = loss;
    const { lease } = grant;
    this.#tellLoss(grant, loss, () => {
      // The other grants depend on the same lease.
      lease.lose(reason, loss);
      lease.loseCompanion(reason, loss);
    });
  }

  #tellRelease(grant: G): void {
    this.#over();
    this.settle(grant);
    this.#owner.announceRelease(grant);
  }

  #tellLoss(grant: G, loss: LeaseLostError, others?: () => void): void {
    this.#lostAs = loss;
    this.#over();
    grant.lostBefore(loss);
    this.settle(grant);
    others?.();
    this.#lost?.(loss);
  }

  #over(): void {
    this.#timer?.cancel();
    this.#grant = undefined;
    this.#call = undefined;
    for (const tell of this.#waiting ?? []) {
      tell();
    }
  }
}

function lossOf(grant: Grant, reason: LeaseLostReason, cause: unknown): LeaseLostError {
  const { resource } = grant.lease.identity;
  const message = `the lease on "${resource}" was found lost at its release: ${reason}`;
  return new LeaseLostError(message, reason, { resource, cause });
}
