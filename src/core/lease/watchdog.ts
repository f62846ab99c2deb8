import type { Clock, Timer } from '../base/clock.js';
import type { Prepared, Receiver } from '../wire/call.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Routes } from '../connection/router.js';
import type { Lease } from './lease.js';
import { LeasesByKey } from './leases-by-key.js';
import { batchesOf } from '../base/batches.js';

/** One lease of a renewal command: 0 asks whether it is still held, and renews nothing. */
export interface RenewalClaim {
  readonly key: string;
  readonly holderId: string;
  readonly leaseMs: number;
  /** Holds of this holder. */
  readonly count: number;
}

/** What a renewal says of a lease. */
export function claimOf(lease: Lease, leaseMs: number): RenewalClaim {
  const { key, holderId } = lease.identity;
  return { key, holderId, leaseMs, count: lease.alive };
}

/** How the leases of one kind of object are renewed, one constant a kind: many with one script
 * call, which answers for each: 1 held, 0 gone, 2 somebody else has it. `1:20000` is held, and the
 * object itself will be gone in so many ms. */
export type Renewal = (claims: readonly RenewalClaim[]) => Prepared<ArrayLike<string>>;

/**
 * Renews every lease of a client on one timer, each third of the client's lease, and asks about
 * the fixed ones on the way, so that they too learn of a forced release or a flush.
 */
export class Watchdog {
  readonly #leases = new Map<Lease, Renewal>();
  readonly #byKey = new LeasesByKey();
  readonly #clock: Clock;
  readonly #routes: Routes;
  readonly #delivery: Pick<Delivery, 'start'>;
  readonly #leaseMs: number;
  readonly #periodMs: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, routes: Routes, delivery: Pick<Delivery, 'start'>, leaseMs: number) {
    this.#clock = clock;
    this.#routes = routes;
    this.#delivery = delivery;
    this.#leaseMs = leaseMs;
    this.#periodMs = leaseMs / 3;
  }

  /** Every lease that is held. */
  get leases(): Iterable<Lease> {
    return this.#leases.keys();
  }

  /** Those of one object. */
  leasesOf(kind: string, key: string): readonly Lease[] {
    return this.#byKey.of(kind, key);
  }

  /** Asks about every lease now, of which some may have ended. */
  look(): void {
    this.#round(false);
  }

  /** Takes charge of a lease that was granted. */
  add(lease: Lease, renewal: Renewal): void {
    this.#leases.set(lease, renewal);
    this.#byKey.add(lease);
    lease.arm(2 * this.#periodMs);
    this.#timer ??= this.#schedule();
    if (lease.renewed && !lease.covers(this.#clock.now() + this.#periodMs)) {
      // A grant that was long on its way may not last until the next round.
      this.#renew(renewal, [lease]);
    }
  }

  /** Lets go of a lease, before its release is sent: a lease that is being released is never
   * renewed. False when it was let go before. */
  delete(lease: Lease): boolean {
    this.#byKey.delete(lease);
    return this.#leases.delete(lease);
  }

  /** The connection is back: every lease is renewed, and what was suspect becomes held or lost. */
  connectionUp(): void {
    this.look();
  }

  /** The connection is gone: nothing can be proven until it is back. */
  connectionDown(cause: Error): void {
    for (const lease of this.#leases.keys()) {
      if (this.#routes.whyDown(lease.identity.key) !== undefined) {
        lease.doubt(cause);
        lease.arm(Number.POSITIVE_INFINITY);
      }
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#leases.clear();
    this.#byKey.clear();
  }

  #schedule(): Timer {
    return this.#clock.after(this.#periodMs, () => {
      this.#timer = undefined;
      if (this.#leases.size > 0) {
        this.#timer = this.#schedule();
        this.#round(true);
      }
    });
  }

  /** `isDue`: a whole period has passed, so that what is still unanswered is overdue. */
  #round(isDue: boolean): void {
    const due = new Map<Renewal, Lease[]>();
    for (const [lease, renewal] of this.#leases) {
      // Asking for the error first: a deadline that has passed is a loss, not a renewal.
      if (lease.error !== undefined) {
        continue;
      }
      lease.arm(2 * this.#periodMs);
      const cause = this.#routes.whyDown(lease.identity.key);
      if (cause !== undefined || lease.renewing) {
        if (cause !== undefined || isDue) {
          lease.doubt(cause);
        }
        continue;
      }
      const leases = due.get(renewal) ?? [];
      due.set(renewal, leases);
      leases.push(lease);
    }
    const groupOf = ({ identity }: Lease): string => this.#routes.groupOf(identity.key);
    for (const [renewal, leases] of due) {
      // Each hold of a reader has a key of its own.
      for (const batch of batchesOf(leases, groupOf, ({ alive }) => alive)) {
        this.#renew(renewal, batch);
      }
    }
  }

  #renew(renewal: Renewal, leases: readonly Lease[]): void {
    const terms = leases.map((lease) => (lease.renewed ? this.#leaseMs : 0));
    const claims = leases.map((lease, i) => claimOf(lease, terms[i] ?? 0));
    setRenewing(leases, true);
    forRenewed(leases, terms, (lease) => lease.lengthening());
    const receiver: Receiver<ArrayLike<string>> = {
      answered: (answers, call) => {
        setRenewing(leases, false);
        leases.forEach((lease, i) => lease.judge(answers[i], call.sentAt, terms[i] ?? 0));
        forRenewed(leases, terms, (lease) => lease.lengthened());
      },
      failed: (error) => {
        // A reconnection starts a round of its own; any other error is retried with the next.
        setRenewing(leases, false);
        leases.forEach((lease) => lease.doubt(error));
      },
    };
    // Never sent again: the next round makes its own command, with a later deadline.
    this.#delivery.start(renewal(claims), receiver, false);
  }
}

/** Calls `act` with those of `leases` that are renewed, not only asked about. */
function forRenewed(
  leases: readonly Lease[],
  terms: readonly number[],
  act: (lease: Lease) => void,
): void {
  leases.forEach((lease, i) => {
    if (terms[i] !== 0) {
      act(lease);
    }
  });
}

function setRenewing(leases: readonly Lease[], renewing: boolean): void {
  for (const lease of leases) {
    lease.renewing = renewing;
  }
}
