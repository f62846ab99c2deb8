import type { Clock, Timer } from '../base/clock.js';
import { AT_ONCE, OF_ROUND, type Call, type CallTerms, type Receiver } from '../wire/call.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Routes } from '../connection/router.js';
import { isNotRun } from '../connection/error-answers.js';
import type { Lease } from './lease.js';
import { lastAll, type Granted } from './lease-parts.js';
import type { Lengthening } from './lease-deadline.js';
import { HeldLeases } from './held-leases.js';
import { itemOf, judgeAll, type Renewal, type RenewalAnswer } from './renewal.js';
import { soon } from '../base/async-context.js';
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
  /** All leases are asked about at the end of this turn. */
  #isAsking = false;
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

  /** The lease that others are told to wait for by its key and holder id. */
  exclusive(key: string, holderId: string): Lease | undefined {
    return this.#leases.exclusive(key, holderId);
  }

  /** Renews or polls every lease now, since some may have ended. */
  pollAll(): void {
    this.#round(false);
  }

  /** The proof of a lease has ended by a step of a clock, as perhaps that of others: their answers decide. */
  readonly ask = (lease: Lease): void => {
    // One that is under way was sent before the step, and proves nothing after it.
    lease.renewing = false;
    if (!this.#isAsking) {
      this.#isAsking = true;
      soon(() => {
        this.#isAsking = false;
        this.pollAll();
      });
    }
  };

  /** Asks about every lease now, and renews none. */
  lookAtAll(): void {
    for (const [renewal, leases] of this.#leases.byKind()) {
      for (const batch of this.#batches(this.#seen(leases))) {
        this.#ask(renewal, batch, () => {});
      }
    }
  }

  /** Asks about every lease under this key now, renews none, and calls `done` when that is known. */
  look(key: string, done: () => void): void {
    let open = 1;
    const settled = (): void => {
      open -= 1;
      if (open === 0) {
        done();
      }
    };
    for (const [renewal, leases] of this.#leases.under(key)) {
      for (const batch of this.#batches(this.#seen(leases))) {
        open += 1;
        this.#ask(renewal, batch, settled);
      }
    }
    settled();
  }

  /** Starts to renew or poll a lease that was granted. */
  add(lease: Lease, renewal: Renewal, granted: Granted = 'whole'): void {
    this.#leases.add(lease, renewal);
    lease.arm(2 * this.#periodMs);
    this.#timer ??= this.#schedule();
    if (granted === 'window') {
      this.#confirm(lease, renewal);
    } else if (
      granted === 'whole' &&
      lease.renewed &&
      !lease.isAtBound &&
      !lease.covers(this.#clock.now() + this.#periodMs)
    ) {
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
  #round(isLate: boolean): void {
    const due = new Map<Renewal, Lease[]>();
    for (const [renewal, leases] of this.#leases.byKind()) {
      const chosen = due.get(renewal) ?? [];
      due.set(renewal, chosen);
      for (const lease of leases) {
        if (isLate && lease.renewed) {
          lastAll(lease.holders);
        }
        if (this.#isDue(lease, isLate)) {
          chosen.push(lease);
        }
      }
    }
    for (const [renewal, leases] of due) {
      for (const batch of this.#batches(leases)) {
        this.#renew(renewal, batch);
      }
    }
  }

  /** Leases that one command can carry. Each hold of a reader has a key of its own. */
  #batches(leases: readonly Lease[]): Lease[][] {
    const groupOf = ({ identity }: Lease): string => this.#routes.groupOf(identity.key);
    return batchesOf(leases, groupOf, ({ alive }) => alive);
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

  /** Those that can be asked about: a lost lease is over, and after an outage all are renewed. */
  #seen(leases: Iterable<Lease>): Lease[] {
    return [...leases].filter(
      ({ error, identity }) =>
        error === undefined && this.#routes.whyDown(identity.key) === undefined,
    );
  }

  /** Asks about leases beside the rounds, also where one of those is under way, whose answer may be
   * older. It neither counts as a renewal, nor does it keep one from being made. */
  #ask(renewal: Renewal, leases: readonly Lease[], settled: () => void): void {
    const terms = leases.map(() => 0);
    const receiver: Receiver<readonly RenewalAnswer[]> = {
      answered: (answers, { sentAt }) => {
        try {
          judgeAll(leases, answers, { sentAt, now: this.#clock.now() }, terms);
        } finally {
          settled();
        }
      },
      // The next renewal says more.
      failed: () => settled(),
    };
    this.#delivery.start(renewal(leases.map((lease) => itemOf(lease, 0))), receiver, OF_ROUND);
  }

  /**
   * Renews a lease that was granted for a part of its time. The command is given to the socket before anybody
   * knows of the grant: whatever its owner does first, the server carries it out within that time.
   */
  #confirm(lease: Lease, renewal: Renewal): void {
    const call = this.#renew(renewal, [lease], AT_ONCE, () => lease.close());
    if (call.sent) {
      lease.open(call.sentAt, lease.cut(this.#leaseMs));
    }
  }

  #renew(
    renewal: Renewal,
    leases: readonly Lease[],
    callTerms: CallTerms = OF_ROUND,
    failed?: () => void,
  ): Call<unknown> {
    const terms = leases.map((lease) => (lease.renewed ? lease.cut(this.#leaseMs) : 0));
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
      failed: (error, call) => {
        // A reconnection starts a round of its own; after any other error the next round retries.
        answered();
        failed?.();
        leases.forEach((lease) => lease.doubt(error));
        if (!call.mayHaveRun && isNotRun(error)) {
          lengthenings.forEach((lengthening) => lengthening.settled());
        }
      },
    };
    // Never sent again: the next round makes its own command, with a later deadline.
    return this.#delivery.start(renewal(items), receiver, callTerms);
  }
}
