import { AccessDeniedError, UnsupportedServerError } from '../../server-errors.js';
import { soon, whenSettled } from '../base/async-context.js';
import { batchesOf } from '../base/batches.js';
import { isReplyError } from '../connection/driver.js';
import type { Router } from '../connection/router.js';
import { isNotNow } from '../connection/error-answers.js';
import { RepeatPause, type PauseParts } from '../connection/repeat-pause.js';
import { accessDenied } from '../connection/server-errors.js';
import type { Delivery } from '../delivery/delivery.js';
import { translate } from '../delivery/translate.js';
import { itemOf, judgeAll, type Renewal } from '../lease/renewal.js';
import type { PendingCall } from '../wire/call.js';
import type { ReplicaWait } from './replica-wait.js';

/** A server that has nothing to do looks ten times a second whether a WAIT has lasted long enough. */
const LATE_MS = 100;

export interface LaneParts extends PauseParts {
  /** The longest pause before a confirmation that was refused is tried again. */
  readonly maxPauseMs: number;
  readonly router: Pick<Router, 'groupOf'>;
  readonly delivery: Pick<Delivery, 'start' | 'abandon'>;
}

/** A confirmation that is under way. */
interface Confirming {
  readonly waits: Set<ReplicaWait>;
  call: PendingCall | undefined;
}

/**
 * The waits for so many replicas of one server. A grant is confirmed first, on the connection of the lane, by the
 * script that renews it: that shows that this server has the grant, and writes, and WAIT proves what its own
 * connection has written, with all that was written before. One WAIT is under way at a time, for all that was
 * confirmed by then; those that come meanwhile are for the next one, which no replica could satisfy sooner.
 */
export class ReplicaLane {
  readonly #min: number;
  readonly #parts: LaneParts;
  /** They are to be confirmed. */
  readonly #fresh = new Set<ReplicaWait>();
  readonly #confirming = new Set<Confirming>();
  /** They are confirmed, by these calls. */
  readonly #written = new Map<ReplicaWait, PendingCall>();
  #isWaiting = false;
  #isScheduled = false;
  readonly #pause: RepeatPause;

  constructor(min: number, parts: LaneParts) {
    this.#min = min;
    this.#parts = parts;
    this.#pause = new RepeatPause(parts, parts.maxPauseMs, () => this.#goOn());
  }

  add(wait: ReplicaWait): void {
    this.#fresh.add(wait);
    this.#goOn();
  }

  /** The wait is over. */
  leave(wait: ReplicaWait): void {
    this.#fresh.delete(wait);
    this.#written.delete(wait);
    for (const confirming of this.#confirming) {
      if (confirming.waits.delete(wait) && confirming.waits.size === 0) {
        this.#confirming.delete(confirming);
        if (confirming.call !== undefined) {
          this.#parts.delivery.abandon(confirming.call);
        }
      }
    }
  }

  /** Once for all that happens in this turn: the answers that come together share one WAIT. */
  #goOn(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      soon(() => {
        this.#isScheduled = false;
        // What would be sent behind a WAIT would have to wait for its end.
        if (!this.#isWaiting && !this.#pause.isOn) {
          this.#confirm();
          this.#wait();
        }
      });
    }
  }

  #confirm(): void {
    const { router } = this.#parts;
    const byRenewal = new Map<Renewal, ReplicaWait[]>();
    for (const wait of this.#fresh) {
      const { renewal } = wait.terms;
      const waits = byRenewal.get(renewal) ?? [];
      byRenewal.set(renewal, waits);
      waits.push(wait);
    }
    this.#fresh.clear();
    for (const [renewal, waits] of byRenewal) {
      for (const batch of batchesOf(waits, ({ lease }) => router.groupOf(lease.identity.key))) {
        this.#send(renewal, batch);
      }
    }
  }

  #send(renewal: Renewal, batch: readonly ReplicaWait[]): void {
    const { delivery, clock } = this.#parts;
    const leases = batch.map(({ lease }) => lease);
    // It lengthens nothing: the server keeps a lease for at least as long as is proven here.
    const items = leases.map((lease) => itemOf(lease, Math.max(1, lease.remainingMs)));
    const terms = leases.map(() => 0);
    const confirming: Confirming = { waits: new Set(batch), call: undefined };
    this.#confirming.add(confirming);
    const receiver = {
      answered: (answers: Parameters<typeof judgeAll>[1], call: PendingCall) => {
        // Those that are lost leave.
        judgeAll(leases, answers, { sentAt: call.sentAt, now: clock.now() }, terms);
        this.#confirming.delete(confirming);
        for (const wait of confirming.waits) {
          this.#written.set(wait, call);
        }
        this.#goOn();
      },
      failed: (error: Error) => {
        this.#confirming.delete(confirming);
        this.#failed(confirming.waits, error);
      },
    };
    const call = delivery.start(renewal(items), receiver, { resend: false, lane: this.#min });
    confirming.call = call;
  }

  /** Waits for the replicas on the connection that has confirmed the oldest of them, for all that it has confirmed. */
  #wait(): void {
    const [oldest] = this.#written.values();
    if (oldest?.writtenBy === undefined) {
      return;
    }
    const waits = new Set<ReplicaWait>();
    let endsAt = Number.POSITIVE_INFINITY;
    for (const [wait, { writtenTo }] of this.#written) {
      if (writtenTo === oldest.writtenTo) {
        waits.add(wait);
        endsAt = Math.min(endsAt, wait.terms.endsAt);
      }
    }
    const leftMs = endsAt - this.#parts.clock.now();
    // So that the first of them knows how many there are when its time is up. 0 would be without end.
    const waitMs = Math.max(1, Math.floor(leftMs - Math.min(LATE_MS, leftMs / 2)));
    const parts = ['WAIT', String(this.#min), String(waitMs)];
    this.#isWaiting = true;
    whenSettled(
      oldest.writtenBy.sendBehind(oldest, parts, waitMs + LATE_MS),
      (reply) => {
        this.#isWaiting = false;
        for (const wait of waits) {
          wait.answered(Number(reply));
        }
        this.#goOn();
      },
      (error) => {
        this.#isWaiting = false;
        for (const wait of waits) {
          if (!this.#written.delete(wait)) {
            waits.delete(wait);
          }
        }
        this.#failed(waits, refusalOf(error) ?? error);
      },
    );
  }

  /** What was confirmed proves nothing on another connection: it is confirmed again. */
  #failed(waits: ReadonlySet<ReplicaWait>, error: Error): void {
    if (error instanceof AccessDeniedError || error instanceof UnsupportedServerError) {
      for (const wait of waits) {
        wait.failed(translate(error, wait.lease.identity.resource));
      }
      this.#goOn();
      return;
    }
    for (const wait of waits) {
      wait.delayed(error);
      this.#fresh.add(wait);
    }
    this.#pause.begin();
  }
}

/** The server does not carry out WAIT, and will not: the user has no right to it, or a proxy does not know it.
 * Undefined for an error that may pass. */
function refusalOf(error: Error): AccessDeniedError | undefined {
  const mayPass = isNotNow(error) || /^UNBLOCKED |replica instances/u.test(error.message);
  return isReplyError(error) && !mayPass ? accessDenied('', error) : undefined;
}
