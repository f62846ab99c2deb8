import type { Adopter, AdoptionTerms } from '../grant/adoption.js';
import type { Detachable } from '../grant/detachable.js';
import type { EndpointServices } from '../endpoint-services.js';
import type { Lease } from '../lease/lease.js';
import { endOthers } from './exclusion.js';
import { anyHold, type HoldFace } from './hold-face.js';
import { LockGrants } from './lock-grants.js';
import type { LockProtocol } from './lock-protocol.js';
import type { LockServices } from './lock-services.js';

export type DetachableProtocol = LockProtocol & { readonly detachable: Detachable };

/** Adopts the holds of one lock. They begin no run: their releases serve those who wait on the server. */
export class LockAdopter implements Adopter<HoldFace> {
  readonly services: EndpointServices;
  readonly protocol: DetachableProtocol;
  readonly #grants: LockGrants<HoldFace>;

  constructor(locks: LockServices, protocol: DetachableProtocol) {
    this.services = locks.services;
    this.protocol = protocol;
    this.#grants = new LockGrants(locks, protocol, anyHold);
  }

  newId(): string {
    return this.services.client.newHolderId();
  }

  createLease(holderId: string): Lease {
    return this.#grants.createLease(holderId);
  }

  adopted(lease: Lease, terms: AdoptionTerms, othersWait: boolean): HoldFace {
    const { detached, maxHoldMs, waitLimit } = terms;
    const grants = this.#grants;
    endOthers(grants);
    const token = detached.fencingToken;
    const hold = grants.createHold(lease, { ...terms, within: null }, undefined, token);
    const given = grants.give(hold, waitLimit.origin);
    lease.holders = [hold];
    lease.bind(hold, maxHoldMs, lease.sentAt);
    grants.keep(lease, false);
    grants.announce(hold, waitLimit.startedAt);
    const { others, queues } = grants.locks;
    others.began(lease, this.protocol);
    // Those may be waiters of this client; where others wait too, the server reports that soon.
    if (othersWait && !queues.has(this.protocol.lockId)) {
      others.heard(lease.identity.holderId, this.protocol.key);
    }
    return given;
  }
}
