import type { LeaseLostError } from '../errors.js';
import { least } from '../core/base/least.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { extendAll } from '../core/grant/extension.js';
import type { Lease } from '../core/lease/lease.js';
import type { LeaseHolder } from '../core/lease/lease-parts.js';
import { hashRenewal } from '../core/locks/hash-renewal.js';
import type { Call } from '../core/wire/call.js';
import type { Candidate } from './vote-parts.js';

const renewal = hashRenewal((holderId) => holderId);

/** What one server has granted to a claim: a lease of each name. */
export class VoteLeases {
  readonly #services: EndpointServices;
  readonly #resource: string;
  readonly #leases: readonly Lease[];
  readonly #candidate: Candidate;

  /** `holder` is notified when one is lost. */
  constructor(
    services: EndpointServices,
    candidate: Candidate,
    holder: LeaseHolder,
    granted: { readonly call: Call<unknown>; readonly leaseMs: number },
  ) {
    const { holderId, names, resource: whole } = candidate;
    this.#services = services;
    this.#candidate = candidate;
    this.#resource = whole;
    this.#leases = names.map(({ resource, key }) => {
      const identity = { kind: 'quorum-lock' as const, resource, key, holderId };
      const lease = services.createLease(identity, (each) => services.letGo(each), {
        report: (_, { cause }) => candidate.voteDoubted(cause),
      });
      // A holder id may be granted again here: that the server has it proves nothing once its lease is over.
      lease.hasUnackedCopy = true;
      lease.holders = [holder];
      lease.start(granted.call, granted.leaseMs);
      return lease;
    });
    this.rebound();
  }

  /** The bound of their claim has changed. */
  rebound(): void {
    for (const lease of this.#leases) {
      lease.endsBy = this.#candidate.endsBy;
    }
  }

  /** They are renewed from now on, which may show at once that one is lost: `holder` has to have them by then. */
  renew(): void {
    this.#leases.forEach((lease) => this.#services.keep(lease, renewal));
  }

  /** The server is not known to have lost all of them. */
  get areGiven(): boolean {
    return this.#leases.some(({ error }) => error === undefined);
  }

  get areProven(): boolean {
    return this.#leases.every(({ isProven }) => isProven);
  }

  /** They are proven, and were confirmed lately. */
  get areHeld(): boolean {
    return this.#leases.every(({ state }) => state === 'held');
  }

  get remainingMs(): number {
    return least(this.#leases.map((lease) => lease.remainingMs));
  }

  /** When the newest command was sent that has confirmed them. */
  get confirmedAt(): number {
    return least(this.#leases.map(({ provenAt, sentAt }) => Math.max(provenAt, sentAt)));
  }

  /** Makes them last at least `leaseMs` from now; rejects where the server has not confirmed that. */
  async extend(leaseMs: number): Promise<void> {
    await extendAll(this.#services, this.#resource, renewal, this.#leases, leaseMs);
    const lost = this.#error;
    if (lost !== undefined) {
      throw lost;
    }
  }

  get #error(): LeaseLostError | undefined {
    return this.#leases.find(({ error }) => error !== undefined)?.error;
  }

  /** They are renewed no more. */
  end(): void {
    for (const lease of this.#leases) {
      this.#services.letGo(lease);
      lease.end();
    }
  }
}
