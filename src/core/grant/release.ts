import { LeaseLostError, type LeaseLostReason } from '../../errors.js';
import { WrongTypeError } from '../../server-errors.js';
import { deadline, type Clock, type Timer } from '../base/clock.js';
import type { AnswerObserver } from '../delivery/pending-reply.js';
import type { PendingCall } from '../wire/call.js';
import type { Grant } from './grant.js';

/** The server's answer to a release: the object is free; it is free, and the turn of a waiter of
 * another client, which was notified alone; other holds keep it; it was handed to the next in its
 * line; it was opened for a moment to those in no line; or the holder did not have it: another holder
 * has it, or none. */
export type ReleaseResult =
  | {
      readonly is: 'freed';
      /** The number of connections that were notified, this client's own included, where it is
       * known; else 0. */
      readonly receivers: number;
    }
  | { readonly is: 'passed' | 'kept' | 'handed' | 'opened' | 'taken' | 'deleted' };

/** Answers that the holder had it. */
const RELEASED: ReadonlySet<ReleaseResult['is']> = new Set(['freed', 'kept', 'handed', 'opened']);

/** The part of an object that the releases of its grants need. */
export interface ReleaseOwner<G> {
  readonly services: { readonly clock: Clock };
  /** A release was answered. */
  answered(result: ReleaseResult): void;
  /** A release has notified a waiter of another client, or may have. */
  notified(): void;
  /** Tells that a grant was released. */
  announceRelease(grant: G): void;
}

/**
 * The release of one grant, from its call to its outcome, which may come long after its caller has
 * given up. The outcome is judged here alone, and told once: the grant was released or lost.
 */
export class Release<G extends Grant> implements AnswerObserver<ReleaseResult> {
  /** The loss that the server's answer has shown. */
  loss: LeaseLostError | undefined;
  readonly #owner: ReleaseOwner<G>;
  /** Kept until the outcome is told. */
  #grant: G | undefined;
  readonly #lost: ((error: LeaseLostError) => void) | undefined;
  #timer: Timer | undefined;

  /** `lost` is called when the grant was lost, after that was told. */
  constructor(owner: ReleaseOwner<G>, grant: G, lost?: (error: LeaseLostError) => void) {
    this.#owner = owner;
    this.#grant = grant;
    this.#lost = lost;
  }

  answered(result: ReleaseResult, call: PendingCall): void {
    this.#owner.answered(result);
    const grant = this.#grant;
    if (grant === undefined) {
      return;
    }
    const { lease } = grant;
    // "Not held by you" to a later copy: the first has released it, if it was held when sent.
    const ranBefore = call.unackedCopies > 0 && lease.covers(call.sentAt);
    if (RELEASED.has(result.is)) {
      this.#tellRelease(grant);
    } else if (result.is === 'passed' || ranBefore) {
      // If the first answer was lost, that release may have notified another client.
      this.#owner.notified();
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
    const { error, remainingMs } = grant.lease;
    if (error === undefined && remainingMs > 0) {
      // Again then: other holds may have kept the lease.
      const { clock } = this.#owner.services;
      this.#timer = deadline(clock, remainingMs, () => this.givenUp(cause));
    } else {
      this.#tellLoss(grant, error ?? lossOf(grant, 'unproven', cause));
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
    this.#owner.announceRelease(grant);
  }

  #tellLoss(grant: G, loss: LeaseLostError, others?: () => void): void {
    this.#over();
    grant.lostBefore(loss);
    others?.();
    this.#lost?.(loss);
  }

  #over(): void {
    this.#timer?.cancel();
    this.#grant = undefined;
  }
}

function lossOf(grant: Grant, reason: LeaseLostReason, cause: unknown): LeaseLostError {
  const { resource } = grant.lease.identity;
  const message = `the lease on "${resource}" was found lost at its release: ${reason}`;
  return new LeaseLostError(message, reason, { resource, cause });
}
