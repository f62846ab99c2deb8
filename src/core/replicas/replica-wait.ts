import type { LeaseLostError } from '../../errors.js';
import { deadline, type Clock, type Timer } from '../base/clock.js';
import type { Lease } from '../lease/lease.js';
import type { LeaseHolder } from '../lease/lease-parts.js';
import type { Renewal } from '../lease/renewal.js';

/** What came of a wait: enough replicas have the grant; too few had it in time, or it was lost, as `cause` says;
 * or its caller has given up, or no retry helps. */
export type Outcome =
  | { readonly is: 'enough' }
  | { readonly is: 'short' | 'lost'; readonly cause: Error | undefined }
  | { readonly is: 'failed'; readonly error: unknown };

export interface ReplicaWaitTerms {
  /** So many replicas have to have it. */
  readonly min: number;
  readonly endsAt: number;
  /** The watchdog prolongs what was granted. */
  readonly renewed: boolean;
  readonly renewal: Renewal;
}

/**
 * A grant that nobody was told of yet, since it waits for replicas. It stands on its leases where the grant will:
 * they are renewed, and the loss of one ends the wait.
 */
export class ReplicaWait implements LeaseHolder {
  /** One command has granted all leases of the grant in one step: this one stands for them. */
  readonly lease: Lease;
  readonly terms: ReplicaWaitTerms;
  /** How many replicas had it when they were last asked. */
  acknowledged = 0;
  endsBy: number | undefined;
  /** Is told of the end. */
  lane: { leave(wait: ReplicaWait): void } | undefined;
  readonly #settle: (outcome: Outcome) => void;
  readonly #timer: Timer;
  /** Why they could not be asked. */
  #cause: Error | undefined;
  #isOver = false;

  /** `settle` is called once. */
  constructor(
    lease: Lease,
    terms: ReplicaWaitTerms,
    clock: Clock,
    settle: (outcome: Outcome) => void,
  ) {
    this.lease = lease;
    this.terms = terms;
    this.#settle = settle;
    this.#timer = deadline(clock, terms.endsAt - clock.now(), () => this.timeIsUp());
  }

  get renewed(): boolean {
    return this.terms.renewed;
  }

  /** So many replicas have it. */
  answered(count: number): void {
    this.acknowledged = count;
    this.#cause = undefined;
    if (count >= this.terms.min) {
      this.#end({ is: 'enough' });
    }
  }

  /** They could not be asked, and will be again. */
  delayed(cause: Error): void {
    this.#cause = cause;
  }

  timeIsUp(): void {
    this.#end({ is: 'short', cause: this.#cause });
  }

  /** Its caller gives up, or no retry helps. */
  failed(error: unknown): void {
    this.#end({ is: 'failed', error });
  }

  lost(error: LeaseLostError): void {
    this.#end({ is: 'lost', cause: error });
  }

  #end(outcome: Outcome): void {
    const isGranted = outcome.is === 'enough' || outcome.is === 'short';
    // A look at the clock may show that its lease is over, which ends this wait as lost.
    if ((isGranted && this.lease.error !== undefined) || this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#timer.cancel();
    this.lane?.leave(this);
    this.#settle(outcome);
  }
}
