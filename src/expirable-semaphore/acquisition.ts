import { AcquireTimeoutError } from '../errors.js';
import { Acquisition, type WaitTerms } from '../core/acquisition.js';
import type { LeaseTerms } from '../core/base/arguments.js';
import type { PermitQueue } from '../core/permits/permit-queue.js';
import type { PermitAnswer } from '../core/permits/permit-source.js';
import { uninitialised } from '../core/permits/uninitialised.js';
import type { PendingCall } from '../core/wire/call.js';
import type { LeasedPermitWaiter } from './leased-permit-source.js';
import type { PermitGrants } from './grants.js';
import type { LeasedPermit } from './permit.js';

/** The value of `first` until the first ask. */
const NO_ID = Buffer.alloc(0);

/** The checked arguments of a call. */
export interface PermitTerms extends LeaseTerms, WaitTerms {
  readonly count: number;
}

/** One call that acquires permits, all of them or none. */
export class PermitAcquisition
  extends Acquisition<LeasedPermit[], PermitTerms, PermitGrants>
  implements LeasedPermitWaiter
{
  first: Buffer = NO_ID;

  get count(): number {
    return this.terms.count;
  }

  get leaseMs(): number {
    return this.terms.leaseMs;
  }

  granted(call: PendingCall, { lifeMs = -1 }: PermitAnswer): boolean {
    const { grants, terms } = this;
    if (this.isOver) {
      grants.giveBack(this);
      return true;
    }
    const permits = grants.grant(this, terms, call, lifeMs);
    if (permits === undefined) {
      // The answer took longer than the lease: the permits are given back, and asked for anew.
      grants.giveBack(this);
      return false;
    }
    grants.services.names.leave(grants.protocol, false);
    this.succeed(permits);
    for (const permit of permits) {
      grants.announce(permit, terms.waitLimit.startedAt);
    }
    return true;
  }

  protected override localQueue(): PermitQueue<LeasedPermitWaiter> {
    return this.grants.queue();
  }

  protected override contention(): Error {
    const { protocol, isUninitialised, wasSeen } = this.grants;
    const { resource } = protocol;
    if (isUninitialised) {
      return uninitialised(resource, 'getPermitExpirableSemaphore', wasSeen);
    }
    const waitedMs = Math.round(this.waitedMs);
    const message = `"${resource}" had not enough permits available within ${waitedMs} ms`;
    return new AcquireTimeoutError(message, { resource });
  }
}
