import { AcquireTimeoutError } from '../errors.js';
import { LeasedAcquisition, type LeasedTerms } from '../core/leased-acquisition.js';
import type { Lease } from '../core/lease/lease.js';
import { firstOf } from '../core/observe/last-seen.js';
import type { PermitQueue } from '../core/permits/permit-queue.js';
import type { PermitAnswer } from '../core/permits/permit-source.js';
import type { DeclaredNumber } from '../core/permits/declared-number.js';
import { uninitialised } from '../core/permits/uninitialised.js';
import type { PendingCall } from '../core/wire/call.js';
import type { LeasedPermitWaiter } from './leased-permit-source.js';
import type { PermitGrants } from './grants.js';
import { PermitFace } from './permit.js';

/** The value of `first` until the first ask. */
const NO_ID = Buffer.alloc(0);

/** The checked arguments of a call. */
export interface PermitTerms extends LeasedTerms {
  readonly count: number;
}

/** One call that acquires permits, all of them or none. */
export class PermitAcquisition
  extends LeasedAcquisition<PermitFace[], PermitTerms, PermitGrants>
  implements LeasedPermitWaiter
{
  first: Buffer = NO_ID;

  get count(): number {
    return this.terms.count;
  }

  get leaseMs(): number {
    return this.terms.leaseMs;
  }

  get number(): DeclaredNumber | undefined {
    return this.grants.protocol.number;
  }

  granted(call: PendingCall, answer: PermitAnswer): boolean {
    const { grants, terms } = this;
    const { lifeMs = -1 } = answer;
    if (this.isOver) {
      grants.giveBack(this);
      return true;
    }
    const error = this.number?.judge(answer);
    if (error !== undefined) {
      grants.giveBack(this);
      this.failed(error);
      return true;
    }
    const leases = grants.leases(this, terms, call, lifeMs);
    if (leases === undefined) {
      this.cameTooLate(call, terms.leaseMs);
      grants.giveBack(this);
      return false;
    }
    const [first] = leases;
    if (terms.replicas === undefined || first === undefined) {
      const permits = this.#permits(leases);
      grants.keep(leases);
      this.succeed(permits);
    } else {
      this.awaitReplicas(first, leases, terms.replicas, {
        grant: () => this.#permits(leases),
        undo: () => grants.undo(leases, this),
      });
      grants.keep(leases);
    }
    grants.services.names.leave(grants.protocol);
    return true;
  }

  #permits(leases: readonly Lease[]): PermitFace[] {
    const { grants, terms } = this;
    const { origin, startedAt } = terms.waitLimit;
    return grants.permitsOn(leases, terms).map((permit) => {
      grants.announce(permit, startedAt);
      return new PermitFace(permit, origin);
    });
  }

  protected override agreement(): Promise<unknown> | undefined {
    return this.grants.declare();
  }

  protected override localQueue(): PermitQueue<LeasedPermitWaiter> {
    return this.grants.queue();
  }

  protected override get present(): PermitQueue<LeasedPermitWaiter> | undefined {
    return this.grants.presentQueue;
  }

  protected override contention(): Error {
    const { protocol, isUninitialised, wasSeen } = this.grants;
    const { resource } = protocol;
    if (isUninitialised) {
      return uninitialised(resource, 'getPermitExpirableSemaphore', wasSeen);
    }
    const waitedMs = Math.round(this.waitedMs);
    const { holders } = this.terms.waitLimit;
    const first = firstOf(holders);
    const held = first === undefined ? '' : `: the first is held by ${first}`;
    const message = `"${resource}" had not enough permits available within ${waitedMs} ms${held}`;
    return new AcquireTimeoutError(message, { resource, holders });
  }
}
