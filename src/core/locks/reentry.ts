import { DeadlockError, type LeaseLostError, type LeaseLostReason } from '../../errors.js';
import { WrongTypeError } from '../../server-errors.js';
import { contention, RETRIED_LEASE_MIN_MS, type AcquisitionTerms } from './acquisition.js';
import { ABOUT_HOLD, type Call, type PendingCall, type Receiver } from '../wire/call.js';
import { translate } from '../delivery/translate.js';
import { failing } from '../base/failing.js';
import type { LockHold } from './hold.js';
import { LateGrants } from '../lease/late-grants.js';
import type { Lease } from '../lease/lease.js';
import type { LeaseHolder } from '../lease/lease-parts.js';
import type { Lengthening } from '../lease/lease-deadline.js';
import type { LockGrants } from './lock-grants.js';
import type { Verdict } from './wait-queue.js';

/** What a re-entry has asked for, whether its lease begins with it, and its call, which may lengthen that. */
interface Entering {
  readonly lengthening: Lengthening;
  readonly isFirst: boolean;
  readonly leaseMs: number;
}

/** One re-entry through a hold: waits for other re-entries, then states one hold more. */
export class Reentry<G> implements LeaseHolder {
  /** A re-entry whose outcome is not known yet does not ask for renewal. */
  readonly renewed = false;
  readonly #grants: LockGrants<G>;
  readonly #terms: AcquisitionTerms;
  readonly #outer: LockHold;
  readonly #late: LateGrants = new LateGrants();

  constructor(grants: LockGrants<G>, terms: AcquisitionTerms, outer: LockHold) {
    this.#grants = grants;
    this.#terms = terms;
    this.#outer = outer;
  }

  /** Resolves with a hold, or with undefined when the outer hold was released meanwhile. */
  async run(): Promise<G | undefined> {
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
      this.#outer.assertNotOver();
      return await this.#enter();
    } catch (error) {
      this.#freeMutex();
      throw error;
    }
  }

  /** The lease was lost while the re-entry was under way. */
  lost(error: LeaseLostError): void {
    this.#terms.waitLimit.end({ why: 'lost', error: this.#outer.loss ?? error });
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
    const { owner } = reentries;
    const isInside = owner !== undefined && this.#grants.locks.scopes.isInside(owner);
    if (isInside && services.client.settings.reentry === 'scope') {
      throw new DeadlockError(
        `re-entering "${resource}" here would wait for the hold that this code runs in`,
        { resource },
      );
    }
    if (!waits) {
      throw contention(resource, 0, isInside);
    }
    const isHeldAround = (): boolean => isInside && reentries.owner === owner;
    const stopWatching = this.#grants.watchForStall(waitLimit, {
      holds: this.#grants.locks.scopes.entries,
      isBehind: (hold) => hold === reentries.owner,
      isHeldAround,
    });
    const result = await reentries.take(waitLimit);
    stopWatching();
    if (result === 'ended' && waitLimit.ending !== undefined) {
      throw services.client.errorOf(waitLimit.ending, resource, () =>
        contention(resource, this.#waitedMs, isHeldAround(), waitLimit.holders),
      );
    }
    if (result === 'closed' && this.#outer.state === 'lost') {
      this.#outer.assertNotOver();
    }
    return result === 'taken';
  }

  #freeMutex(): void {
    if (!this.#grants.protocol.isShared) {
      this.#outer.reentries.free();
    }
  }

  #enter(): Promise<G> {
    const { services, protocol } = this.#grants;
    const { resource, key } = protocol;
    const { waitLimit } = this.#terms;
    if (waitLimit.ending !== undefined) {
      throw services.client.errorOf(waitLimit.ending, resource, () =>
        contention(resource, this.#waitedMs, false),
      );
    }
    const lease = this.#grants.leaseWithin(this.#outer);
    // From here on a release of the outer hold counts this re-entry, as the server may do already.
    lease.add(this);
    const lengthening = lease.lengthening();
    const leaseMs = lease.cut(this.#terms.leaseMs);
    return new Promise((resolve) => {
      let isOver = false;
      const failed = (error: unknown, mayHaveRun: boolean, ask?: PendingCall): void => {
        if (!isOver) {
          isOver = true;
          this.#takeBack(lease, lengthening, mayHaveRun, ask);
          resolve(failing(error, waitLimit.ending));
        }
      };
      const { identity, alive, main } = lease;
      const beside = main?.identity.holderId;
      const command = protocol.acquire(identity.holderId, alive, leaseMs, 'none', beside);
      const receiver: Receiver<Verdict> = {
        answered: (verdict, answered) => {
          if (verdict.is !== 'granted') {
            this.#lose(lease, verdict.is === 'gone' ? verdict.reason : 'taken');
          }
          const isFirst = !lease.isGranted;
          if (lease.error !== undefined) {
            failed(this.#outer.loss ?? lease.error, true);
          } else if (!isOver) {
            isOver = true;
            const isTooLate = isFirst && !this.#startsInTime(answered, lease, leaseMs);
            resolve(
              isTooLate
                ? this.#enterAnew(lease, lengthening, answered)
                : this.#granted(answered, lease, { lengthening, isFirst, leaseMs }),
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
          call,
        );
    });
  }

  /** Starts the lease of a companion with its first grant; false when the answer took longer. */
  #startsInTime(call: Call<Verdict>, lease: Lease, leaseMs: number): boolean {
    lease.start(call, leaseMs);
    return lease.covers(this.#grants.services.clock.now()) || leaseMs < RETRIED_LEASE_MIN_MS;
  }

  /** The companion is over before anybody was told of it: another one takes its place. */
  #enterAnew(lease: Lease, lengthening: Lengthening, { lastSentAt }: PendingCall): Promise<G> {
    lease.remove(this);
    lease.lose('expired');
    this.#takeBack(lease, lengthening, true);
    const { services, protocol } = this.#grants;
    const roundTripMs = services.clock.now() - lastSentAt;
    const { leaseMs } = this.#terms;
    const error = this.#late.add({ resource: protocol.resource, leaseMs, roundTripMs });
    return error === undefined ? this.#enter() : failing(error);
  }

  /** A re-entry that the server refuses shows that its outer hold is lost as well. */
  #lose(lease: Lease, reason: LeaseLostReason, cause?: WrongTypeError): void {
    this.#outer.lease.lose(reason, cause);
    lease.lose(reason, cause);
  }

  #granted(call: Call<Verdict>, lease: Lease, { lengthening, isFirst, leaseMs }: Entering): G {
    lease.hasUnackedCopy ||= lease.main !== undefined && call.unackedCopies > 0;
    if (call.unackedCopies === 0) {
      lengthening.settled();
    }
    const terms = this.#terms;
    const { services, protocol } = this.#grants;
    terms.waitLimit.onEnd = undefined;
    // The first hold on a companion re-enters nothing.
    const outer = lease === this.#outer.lease ? this.#outer : undefined;
    const hold = this.#grants.createHold(lease, terms, outer, outer?.fencingToken);
    const given = this.#grants.give(hold, terms.waitLimit.origin);
    lease.holders.splice(lease.holders.indexOf(this), 1, hold);
    lease.prove(call.sentAt, leaseMs);
    lease.bind(hold, terms.maxHoldMs, hold.grantedAt);
    if (isFirst) {
      services.keep(lease, protocol.renewal);
    }
    if (!protocol.isShared) {
      hold.turn = this.#outer.reentries;
      hold.turn.owner = hold;
    }
    this.#grants.announce(hold, terms.waitLimit.startedAt);
    return given;
  }

  /** `ask`: only copies of this call may still run. */
  #takeBack(lease: Lease, lengthening: Lengthening, mayHaveRun: boolean, ask?: PendingCall): void {
    this.#terms.waitLimit.onEnd = undefined;
    const isOnly = !lease.hasUnackedCopy;
    // Only a late copy on a companion can be granted without an earlier hold of its holder.
    lease.hasUnackedCopy ||= lease.main !== undefined && mayHaveRun;
    if (!mayHaveRun) {
      lengthening.settled();
    }
    lease.remove(this);
    if (lease.active) {
      this.#grants.restate(lease, isOnly ? ask : undefined);
    }
  }

  get #waitedMs(): number {
    return this.#grants.services.clock.now() - this.#terms.waitLimit.startedAt;
  }
}
