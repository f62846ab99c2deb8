import { AcquireTimeoutError } from '../../errors.js';
import type { LocalQueue } from '../acquisition.js';
import { LeasedAcquisition, type LeasedTerms } from '../leased-acquisition.js';
import { HELD_AROUND } from '../observe/events.js';
import { firstOf } from '../observe/last-seen.js';
import type { HoldInScope, Surroundings } from '../observe/wait-circle.js';
import type { Lease } from '../lease/lease.js';
import { endOthers, excluding } from './exclusion.js';
import type { LockHold } from './hold.js';
import type { LockGrants } from './lock-grants.js';
import type { ScopeEntry } from './scopes.js';
import { Attempt } from './ticket.js';
import type { EnteredTicket, GrantedTicket, LockGrant, LockWaiter } from './wait-queue.js';
import type { Within } from './within.js';

/** A shorter lease may end before its answer arrives: it is then returned as it is, not retried. */
export const RETRIED_LEASE_MIN_MS = 100;

/** The checked options of the caller. */
export interface AcquisitionTerms extends LeasedTerms {
  readonly within: Within;
  /** The hold in whose scope it waits, where it does not re-enter through that. */
  readonly around: LockHold | undefined;
  /** The locks that the call holds already, where it acquires several. */
  readonly acquired?: readonly { readonly hold: LockHold | undefined }[] | undefined;
  readonly entered?: EnteredTicket | undefined;
  /** Of several locks that have a `maxHoldMs`, which counts from the last of them on. */
  readonly isOfBounded?: boolean;
}

/** The error of an acquisition that ran out of time while the lock was held, by another or by the
 * scope that waits. */
export function contention(
  resource: string,
  waitedMs: number,
  isHeldAround: boolean,
  holders: AcquireTimeoutError['holders'] = [],
): AcquireTimeoutError {
  const first = firstOf(holders);
  const others = first === undefined ? 'held by somebody else' : `held by ${first}`;
  const around = first === undefined ? HELD_AROUND : `${HELD_AROUND}, ${first}`;
  const what = isHeldAround ? around : others;
  const message = `"${resource}" was still ${what} after ${Math.round(waitedMs)} ms`;
  return new AcquireTimeoutError(message, { resource, holders });
}

/** One outermost acquisition of a lock. */
class LockAcquisition<G>
  extends LeasedAcquisition<G, AcquisitionTerms, LockGrants<G>>
  implements LockWaiter, Surroundings
{
  /** Of the call that waits; answers come outside of every scope. */
  readonly #scopes: readonly ScopeEntry<LockHold>[] = this.grants.locks.scopes.entries;

  get leaseMs(): number {
    return this.terms.leaseMs;
  }

  get renewed(): boolean {
    return this.terms.renewed;
  }

  get wantsReplicas(): boolean {
    return this.terms.replicas !== undefined;
  }

  get isBounded(): boolean {
    return this.terms.maxHoldMs !== undefined || this.terms.isOfBounded === true;
  }

  get entered(): EnteredTicket | undefined {
    return this.terms.entered;
  }

  get startedAt(): number {
    return this.terms.waitLimit.startedAt;
  }

  granted(ticket: GrantedTicket, grant: LockGrant): Lease | undefined {
    const { grants, terms } = this;
    const { services } = grants;
    const lease = grants.createLease(ticket.holderId);
    lease.hasUnackedCopy = ticket.hasUnackedCopy;
    lease.start(grant.acquiring, grant.leaseMs);
    if (!lease.covers(services.clock.now()) && terms.leaseMs >= RETRIED_LEASE_MIN_MS) {
      this.cameTooLate(grant.acquiring, grant.leaseMs);
      return undefined;
    }
    endOthers(grants);
    this.#holds(lease, grant.fencingToken, () => grants.keep(lease, grant.isWindow));
    return lease;
  }

  passed(lease: Lease, fencingToken: bigint | undefined): void {
    this.#holds(lease, fencingToken, () => {});
  }

  #holds(lease: Lease, fencingToken: bigint | undefined, keep: () => void): void {
    const { grants, terms } = this;
    if (terms.replicas === undefined) {
      const hold = this.#hold(lease, fencingToken);
      const given = grants.give(hold, terms.waitLimit.origin);
      keep();
      this.#announce(hold);
      this.succeed(given);
      return;
    }
    this.awaitReplicas(lease, [lease], terms.replicas, {
      grant: () => {
        const hold = this.#hold(lease, fencingToken);
        const given = grants.give(hold, terms.waitLimit.origin);
        this.#announce(hold);
        return given;
      },
      undo: () => {
        if (lease.active) {
          grants.restate(lease);
        }
      },
    });
    keep();
  }

  #announce(hold: LockHold): void {
    const { grants, terms } = this;
    grants.announce(hold, terms.waitLimit.startedAt);
    grants.locks.others.began(hold.lease, grants.protocol);
  }

  #hold(lease: Lease, fencingToken: bigint | undefined): LockHold {
    const hold = this.grants.createHold(lease, this.terms, undefined, fencingToken);
    // A push would allocate room for seventeen holds, and most leases have one.
    lease.holders = [hold];
    lease.bind(hold, this.terms.maxHoldMs, lease.sentAt);
    return hold;
  }

  protected override localQueue(): LocalQueue<LockWaiter> {
    return this.waits ? this.grants.queue() : new Attempt(this.grants, this);
  }

  protected override contention(): Error {
    const { waitLimit } = this.terms;
    const { resource } = this.grants.protocol;
    return contention(resource, this.waitedMs, this.isHeldAround(), waitLimit.holders);
  }

  protected override watchForStall(): () => void {
    return this.grants.watchForStall(this.terms.waitLimit, this);
  }

  isHeldAround(): boolean {
    return this.terms.around?.isHeld === true;
  }

  get holds(): readonly { readonly hold: LockHold | undefined }[] {
    return [...this.#scopes, ...(this.terms.acquired ?? [])];
  }

  isBehind({ lockId, state }: HoldInScope): boolean {
    const { lockId: own, isShared, sibling } = this.grants.protocol;
    return state === 'held' && (lockId === own ? !isShared : lockId === sibling?.lockId);
  }

  protected override get isHeldHere(): boolean {
    return excluding(this.grants).some((lease) => lease.isProven);
  }
}

/** Starts one that counts as a user of its object. */
export function startAcquisition<G>(grants: LockGrants<G>, terms: AcquisitionTerms): Promise<G> {
  return new Promise((resolve) => {
    new LockAcquisition(grants, terms, resolve).start();
  });
}
