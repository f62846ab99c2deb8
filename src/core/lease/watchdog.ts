import type { Clock, Timer } from '../base/clock.js';
import type { Receiver } from '../wire/call.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Routes } from '../connection/router.js';
import type { Lease } from './lease.js';
import type { Lengthening } from './lease-deadline.js';
import { HeldLeases } from './held-leases.js';
import { itemOf, judgeAll, type Renewal, type RenewalAnswer } from './renewal.js';
import { batchesOf } from '../base/batches.js';
import type { ObjectKind } from '../observe/events.js';

/**
 * Renews every lease of a client on one timer, each third of the client's lease, and polls the
 * fixed ones in the same commands, so that a forced release or a flush is found for them too.
 */
export class Watchdog {
  readonly #leases = new HeldLeases();
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

  /** All leases that are held. */
  get leases(): Iterable<Lease> {
    return this.#leases;
  }

  /** The leases of one object. */
  leasesOf(kind: ObjectKind, key: string): readonly Lease[] {
    return this.#leases.of(kind, key);
  }

  /** Renews or polls every lease now, since some may have ended. */
  pollAll(): void {
    this.#round(false);
  }

  /** Asks about every lease now, and renews none. */
  lookAtAll(): void {
    this.#round(false, 0);
  }

  /** Asks about every lease under this key now, and renews none, since some may have ended: also
   * about those that are being renewed, for that answer may be older. False when there is none. */
  look(key: string): boolean {
    const isUp = this.#routes.whyDown(key) === undefined;
    const groupOf = (): string => key;
    let found = false;
    for (const [renewal, leases] of this.#leases.under(key)) {
      found ||= leases.length > 0;
      // Where nothing can be sent, the reconnection polls.
      const due = isUp ? leases.filter(({ error }) => error === undefined) : [];
      for (const batch of batchesOf(due, groupOf, ({ alive }) => alive)) {
        this.#renew(renewal, batch, 0);
      }
    }
    return found;
  }

  /** Starts to renew or poll a lease that was granted. */
  add(lease: Lease, renewal: Renewal): void {
    this.#leases.add(lease, renewal);
    lease.arm(2 * this.#periodMs);
    this.#timer ??= this.#schedule();
    if (lease.renewed && !lease.covers(this.#clock.now() + this.#periodMs)) {
      // A grant that took long to arrive may not last until the next round.
      this.#renew(renewal, [lease]);
    }
  }

  /** Removes a lease, before its release is sent: a lease that is being released is never renewed.
   * False when it was removed before. */
  delete(lease: Lease): boolean {
    return this.#leases.delete(lease);
  }

  /** The connection is back: every lease is renewed, and what was suspect becomes held or lost. */
  connectionUp(): void {
    this.pollAll();
  }

  /** The connection is gone: nothing can be proven until it is back. */
  connectionDown(cause: Error): void {
    for (const lease of this.#leases) {
      if (this.#routes.whyDown(lease.identity.key) !== undefined) {
        lease.doubt(cause);
        lease.arm(Number.POSITIVE_INFINITY);
      }
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#leases.clear();
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

  /** `isLate`: a whole period has passed, so that what is still unanswered is overdue. */
  #round(isLate: boolean, leaseMs?: number): void {
    const due = new Map<Renewal, Lease[]>();
    for (const [renewal, leases] of this.#leases.byKind()) {
      const chosen = due.get(renewal) ?? [];
      due.set(renewal, chosen);
      for (const lease of leases) {
        if (this.#isDue(lease, isLate)) {
          chosen.push(lease);
        }
      }
    }
    const groupOf = ({ identity }: Lease): string => this.#routes.groupOf(identity.key);
    for (const [renewal, leases] of due) {
      // Each hold of a reader has a key of its own.
      for (const batch of batchesOf(leases, groupOf, ({ alive }) => alive)) {
        this.#renew(renewal, batch, leaseMs);
      }
    }
  }

  /** True when the lease is to be renewed or polled now. A lease whose server cannot be asked
   * becomes suspect. */
  #isDue(lease: Lease, isLate: boolean): boolean {
    // A lease whose deadline has passed is lost, and not renewed.
    if (lease.error !== undefined) {
      return false;
    }
    lease.arm(2 * this.#periodMs);
    const cause = this.#routes.whyDown(lease.identity.key);
    if (cause === undefined && !lease.renewing) {
      return true;
    }
    if (cause !== undefined || isLate) {
      lease.doubt(cause);
    }
    return false;
  }

  /** `leaseMs`: of the leases that are renewed; 0 asks only. */
  #renew(renewal: Renewal, leases: readonly Lease[], leaseMs = this.#leaseMs): void {
    const terms = leases.map((lease) => (lease.renewed ? leaseMs : 0));
    const items = leases.map((lease, i) => itemOf(lease, terms[i] ?? 0));
    const lengthenings: Lengthening[] = [];
    leases.forEach((lease, i) => {
      lease.renewing = true;
      if (terms[i] !== 0) {
        lengthenings.push(lease.lengthening());
      }
    });
    const answered = (): void => {
      for (const lease of leases) {
        lease.renewing = false;
      }
    };
    const receiver: Receiver<readonly RenewalAnswer[]> = {
      answered: (answers, call) => {
        answered();
        judgeAll(leases, answers, { sentAt: call.sentAt, now: this.#clock.now() }, terms);
        lengthenings.forEach((lengthening) => lengthening.settled());
      },
      failed: (error) => {
        // A reconnection starts a round of its own; after any other error the next round retries.
        answered();
        leases.forEach((lease) => lease.doubt(error));
      },
    };
    // Never sent again: the next round makes its own command, with a later deadline.
    this.#delivery.start(renewal(items), receiver, false);
  }
}
