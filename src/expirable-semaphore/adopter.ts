import type { Adopter, AdoptionTerms } from '../core/grant/adoption.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import type { Lease } from '../core/lease/lease.js';
import { PermitGrants, type ExpirableSemaphoreState } from './grants.js';
import { clientBytes, newPermitId } from './permit-ids.js';
import { PermitFace } from './permit.js';
import { ExpirableSemaphoreProtocol } from './protocol.js';

/** Adopts the permits of one semaphore. */
export class PermitAdopter implements Adopter<PermitFace> {
  readonly services: EndpointServices;
  readonly protocol: ExpirableSemaphoreProtocol;
  readonly #grants: PermitGrants;

  constructor(
    services: EndpointServices,
    name: string,
    key: string,
    state: ExpirableSemaphoreState,
  ) {
    this.services = services;
    this.protocol = new ExpirableSemaphoreProtocol(
      services,
      name,
      key,
      state.statements,
      undefined,
    );
    this.#grants = new PermitGrants(services, this.protocol, state);
  }

  newId(): string {
    const { id, random } = this.services.client;
    return newPermitId(random, clientBytes(id)).toString('hex');
  }

  createLease(id: string): Lease {
    return this.#grants.createLease(id);
  }

  adopted(lease: Lease, { renewed, maxHoldMs, waitLimit }: AdoptionTerms): PermitFace {
    const grants = this.#grants;
    const permit = grants.permitOn(lease, renewed, this.services.clock.now());
    lease.bind(permit, maxHoldMs, lease.sentAt);
    grants.keep([lease]);
    // Each permit counts as a user of the name, and so did the adoption.
    this.services.names.leave(this.protocol);
    grants.announce(permit, waitLimit.startedAt);
    return new PermitFace(permit, waitLimit.origin);
  }
}
