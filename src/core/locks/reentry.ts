import { DeadlockError, type LeaseLostError, type LeaseLostReason } from '../../errors.js';
import { WrongTypeError } from '../../server-errors.js';
import { contention, RETRIED_LEASE_MIN_MS, type AcquisitionTerms } from './acquisition.js';
import { ABOUT_HOLD, type Call, type Receiver } from '../wire/call.js';
import { translate } from '../delivery/translate.js';
import type { LockHold } from './hold.js';
import type { Lease, LeaseHolder } from '../lease/lease.js';
import type { Lengthening } from '../lease/lease-deadline.js';
import type { LockGrants } from './lock-grants.js';
import type { Verdict } from './wait-queue.js';

/** One re-entry through a hold: waits for other re-entries, then states one hold more. */
export class Reentry<H extends LockHold = LockHold> implements LeaseHolder {
  /** A re-entry whose outcome is not known yet does not ask for renewal. */
  readonly renewed = false;
  readonly #grants: LockGrants<H>;
  readonly #terms: AcquisitionTerms;
  readonly #outer: LockHold;

  constructor(grants: LockGrants<H>, terms: AcquisitionTerms, outer: LockHold) {
    this.#grants = grants;
    this.#terms = terms;
    this.#outer = outer;
  }

  /** Resolves with a hold, or with undefined when the outer hold was released meanwhile. */
  async run(): Promise<H | undefined> {
    const taken = await this.#takeMutex();
    if (!taken) {
      return undefined;
    }
    try {
      // The outer hold was released while the mutex was handed over: nothing is left to re-enter,
      // and nobody else waits for the mutex.
      if (this.#outer.state === 'released') {
        return undefined;
      }
      this.#outer.assertHeld();
      return await this.#enter();
    } catch (error) {
      this.#freeMutex();
      throw error;
    }
  }

  /** The lease was lost while the re-entry was under way. */
  lost(error: LeaseLostError): void {
    this.#terms.waitLimit.end({ why: 'lost', error });
  }

  /** False when the outer hold was released first. */
  async #takeMutex(): Promise<boolean> {
    const { services, protocol } = this.#grants;
    const { resource } = protocol;
    const { waitLimit, waits } = this.#terms;
    const { reentries } = this.#outer;
    // Re-entries into a shared lock need not exclude each other.
    if (protocol.isShared || reentries.tryTake()) {
      return true;
    }
    if (reentries.owner !== undefined && this.#grants.locks.scopes.isInside(reentries.owner)) {
      throw new DeadlockError(
        `re-entering "${resource}" here would wait for the hold that this code runs in`,
        { resource },
      );
    }
    if (!waits) {
      throw contention(resource, 0);
    }
    const stopWatching = this.#grants.watchForStall(waitLimit.startedAt);
    const result = await reentries.take(waitLimit);
    stopWatching();
    if (result === 'ended' && waitLimit.ending !== undefined) {
      throw services.client.errorOf(waitLimit.ending, resource, () =>
        contention(resource, this.#waitedMs),
      );
    }
    if (result === 'closed' && this.#outer.state === 'lost') {
      this.#outer.assertHeld();
    }
    return result === 'taken';
  }

  #freeMutex(): void {
    if (!this.#grants.protocol.isShared) {
      this.#outer.reentries.free();
    }
  }

  #enter(): Promise<H> {
    const { services, protocol } = this.#grants;
    const { resource, key } = protocol;
    const { waitLimit, leaseMs } = this.#terms;
    if (waitLimit.ending !== undefined) {
      throw services.client.errorOf(waitLimit.ending, resource, () =>
        contention(resource, this.#waitedMs),
      );
    }
    const lease = this.#grants.leaseWithin(this.#outer);
    // From here on a release of the outer hold counts this re-entry, as the server may do already.
    lease.add(this);
    const lengthening = lease.lengthening();
    return new Promise((resolve, reject) => {
      let isOver = false;
      const failed = (error: unknown, mayHaveRun: boolean): void => {
        if (!isOver) {
          isOver = true;
          this.#takeBack(lease, lengthening, mayHaveRun);
          reject(error);
        }
      };
      const { identity, alive, beside } = lease;
      const command = protocol.acquire(identity.holderId, alive, leaseMs, 'none', beside);
      const receiver: Receiver<Verdict> = {
        answered: (verdict, answered) => {
          if (verdict.is !== 'granted') {
            this.#lose(lease, verdict.is === 'gone' ? verdict.reason : 'taken');
          }
          const isFirst = !lease.isGranted;
          if (lease.error !== undefined) {
            failed(lease.error, true);
          } else if (!isOver) {
            isOver = true;
            const isTooLate = isFirst && !this.#startsInTime(answered, lease);
            resolve(
              isTooLate
                ? this.#enterAnew(lease, lengthening)
                : this.#granted(answered, lease, lengthening, isFirst),
            );
          }
        },
        failed: (error) => {
          const cause = translate(error, resource);
          if (cause instanceof WrongTypeError) {
            this.#lose(lease, 'taken', cause);
          }
          failed(cause, call.sent);
        },
      };
      const call = services.delivery.start(command, receiver, ABOUT_HOLD);
      waitLimit.onEnd = (ending) =>
        failed(
          services.client.errorOf(ending, resource, () =>
            services.delivery.timeout(resource, key, call.sent, this.#waitedMs, call.refusal),
          ),
          services.delivery.abandon(call),
        );
    });
  }

  /** Starts the lease of a companion with its first grant; false when the answer took longer. */
  #startsInTime(call: Call<Verdict>, lease: Lease): boolean {
    const { leaseMs } = this.#terms;
    lease.start(call, leaseMs);
    return lease.covers(this.#grants.services.clock.now()) || leaseMs < RETRIED_LEASE_MIN_MS;
  }

  /** The companion is over before anybody was told of it: another one takes its place. */
  #enterAnew(lease: Lease, lengthening: Lengthening): Promise<H> {
    lease.remove(this);
    lease.lose('expired');
    this.#takeBack(lease, lengthening, true);
    return this.#enter();
  }

  /** A re-entry that the server refuses shows that its outer hold is lost as well. */
  #lose(lease: Lease, reason: LeaseLostReason, cause?: WrongTypeError): void {
    this.#outer.lease.lose(reason, cause);
    lease.lose(reason, cause);
  }

  #granted(call: Call<Verdict>, lease: Lease, lengthening: Lengthening, isFirst: boolean): H {
    lease.hasUnackedCopy ||= lease.beside !== undefined && call.unackedCopies > 0;
    if (call.unackedCopies === 0) {
      lengthening.settled();
    }
    const terms = this.#terms;
    const { services, protocol } = this.#grants;
    terms.waitLimit.onEnd = undefined;
    // The first hold on a companion re-enters nothing.
    const outer = lease === this.#outer.lease ? this.#outer : undefined;
    const hold = this.#grants.createHold(lease, terms, outer, outer?.fencingToken);
    lease.holders.splice(lease.holders.indexOf(this), 1, hold);
    lease.prove(call.sentAt, terms.leaseMs);
    if (isFirst) {
      services.keep(lease, protocol.renewal);
    }
    if (!protocol.isShared) {
      hold.turn = this.#outer.reentries;
      hold.turn.owner = hold;
    }
    this.#grants.announce(hold, terms.waitLimit.startedAt);
    return hold;
  }

  #takeBack(lease: Lease, lengthening: Lengthening, mayHaveRun: boolean): void {
    this.#terms.waitLimit.onEnd = undefined;
    // Only a late copy on a companion can be granted without an earlier hold of its holder.
    lease.hasUnackedCopy ||= lease.beside !== undefined && mayHaveRun;
    if (!mayHaveRun) {
      lengthening.settled();
    }
    lease.remove(this);
    if (lease.active) {
      this.#grants.restate(lease);
    }
  }

  get #waitedMs(): number {
    return this.#grants.services.clock.now() - this.#terms.waitLimit.startedAt;
  }
}
