import { AcquireTimeoutError } from '../../errors.js';
import { Acquisition, type LocalQueue, type WaitTerms } from '../acquisition.js';
import type { LeaseTerms } from '../base/arguments.js';
import type { Lease } from '../lease/lease.js';
import type { LockHold } from './hold.js';
import type { LockGrants } from './lock-grants.js';
import { Attempt } from './ticket.js';
import type { GrantedTicket, LockGrant, LockWaiter } from './wait-queue.js';

/** A shorter lease may end before its answer arrives: it is then returned as it is, not retried. */
export const RETRIED_LEASE_MIN_MS = 100;

/** The checked options of the caller. */
export interface AcquisitionTerms extends LeaseTerms, WaitTerms {}

/** The error of an acquisition that ran out of time while the lock was held by another. */
export function contention(resource: string, waitedMs: number): AcquireTimeoutError {
  const message = `"${resource}" was still held by somebody else after ${Math.round(waitedMs)} ms`;
  return new AcquireTimeoutError(message, { resource });
}

/** One outermost acquisition of a lock. */
class LockAcquisition<H extends LockHold = LockHold>
  extends Acquisition<H, AcquisitionTerms, LockGrants<H>>
  implements LockWaiter
{
  get leaseMs(): number {
    return this.terms.leaseMs;
  }

  get renewed(): boolean {
    return this.terms.renewed;
  }

  granted(ticket: GrantedTicket, grant: LockGrant): Lease | undefined {
    const { grants, terms } = this;
    const { services, protocol } = grants;
    const lease = grants.createLease(ticket.holderId);
    lease.hasUnackedCopy = ticket.hasUnackedCopy;
    lease.start(grant.acquiring, grant.leaseMs);
    if (!lease.covers(services.clock.now()) && terms.leaseMs >= RETRIED_LEASE_MIN_MS) {
      // The answer to the grant took longer than the lease.
      return undefined;
    }
    grants.endOthers();
    this.#holds(lease, grant.fencingToken, () =>
      services.keep(lease, protocol.renewal, grant.isWindow),
    );
    return lease;
  }

  passed(lease: Lease, fencingToken: bigint | undefined): void {
    this.#holds(lease, fencingToken, () => {});
  }

  #holds(lease: Lease, fencingToken: bigint | undefined, keep: () => void): void {
    const { grants, terms } = this;
    const hold = grants.createHold(lease, terms, undefined, fencingToken);
    // A push would allocate room for seventeen holds, and most leases have one.
    lease.holders = [hold];
    keep();
    this.succeed(hold);
    grants.announce(hold, terms.waitLimit.startedAt);
  }

  protected override localQueue(): LocalQueue<LockWaiter> {
    return this.waits ? this.grants.queue() : new Attempt(this.grants, this);
  }

  protected override contention(): Error {
    return contention(this.grants.protocol.resource, this.waitedMs);
  }

  /** A lock without holders leaves no key of its own name on the server. */
  protected override get isGone(): boolean {
    return true;
  }
}

/** Starts one that counts as a user of its object. */
export function startAcquisition<H extends LockHold>(
  grants: LockGrants<H>,
  terms: AcquisitionTerms,
): Promise<H> {
  return new Promise((resolve, reject) => {
    new LockAcquisition(grants, terms, resolve, reject).start();
  });
}
