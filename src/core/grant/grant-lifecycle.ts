import { CommandTimeoutError, type LeaseLostError, type LeaseLostReason } from '../../errors.js';
import type { Command, PendingCall } from '../wire/call.js';
import type { Lease } from '../lease/lease.js';
import type { GrantOwner, Grant } from './grant.js';
import { Release, type ReleaseOwner, type ReleaseResult } from './release.js';
import type { EndpointServices } from '../endpoint-services.js';
import { itemOf, judgeAll, type Renewal } from '../lease/renewal.js';
import type { ObjectKind } from '../observe/events.js';

/** An object whose grants live on leases. */
export interface LeasedObject {
  /** As events report it. */
  readonly kind: ObjectKind;
  /** The name as the caller knows it. */
  readonly resource: string;
  /** The key, which routes its calls. */
  readonly key: string;
  /** The same function for all objects that can share a renewal command. */
  readonly renewal: Renewal;
}

/** Manages the grants of one object from their beginning to their end. */
export abstract class GrantLifecycle<G extends Grant> implements GrantOwner<G>, ReleaseOwner<G> {
  readonly services: EndpointServices;
  protected readonly object: LeasedObject;

  constructor(services: EndpointServices, object: LeasedObject) {
    this.services = services;
    this.object = object;
  }

  /** The lease of a holder that the server has just admitted, or is about to. */
  createLease(holderId: string): Lease {
    const { kind, resource, key } = this.object;
    return this.services.createLease({ kind, resource, key, holderId }, this.#leaseLost);
  }

  announce(grant: G, startedAt: number): void {
    const { events } = this.services.client;
    if (!events.wanted('acquired')) {
      return;
    }
    const { kind, resource } = this.object;
    const waitedMs = Math.round(grant.grantedAt - startedAt);
    const { holderId } = grant.lease.identity;
    events.emit('acquired', { resource, kind, holderId, waitedMs });
  }

  release(grant: G): Promise<void> {
    return this.releaseOnServer(grant);
  }

  /** Sends the release before it returns. `lost` is called when the grant was lost, also later. */
  async releaseOnServer(grant: G, lost?: (error: LeaseLostError) => void): Promise<void> {
    const { lease } = grant;
    lease.remove(grant);
    const command = this.stateAlive(lease);
    const release = new Release(this, grant, lost);
    try {
      await this.services.delivery.send(this.object.resource, command, 'release', release);
    } catch (error) {
      release.givenUp(error);
      throw release.loss ?? error;
    } finally {
      this.released(grant);
    }
    if (release.loss !== undefined) {
      throw release.loss;
    }
    this.wake();
  }

  async inTime(known: Promise<void>, limitMs?: number): Promise<void> {
    const { client } = this.services;
    client.assertOpen(this.object.resource);
    await client.inTime(known, limitMs ?? client.settings.commandTimeoutMs);
  }

  outOfTime(call: PendingCall): Error {
    return this.services.delivery.outOfTime(this.object.resource, call, 'release');
  }

  announceRelease(grant: G): void {
    const { clock, client } = this.services;
    if (!client.events.wanted('released')) {
      return;
    }
    const heldMs = Math.round(clock.now() - grant.grantedAt);
    const { kind, resource } = this.object;
    const { holderId } = grant.lease.identity;
    client.events.emit('released', { resource, kind, holderId, heldMs });
  }

  async extend(grant: G, leaseMs: number): Promise<void> {
    const { services } = this;
    const { lease } = grant;
    const { renewal, resource } = this.object;
    const command = renewal([itemOf(lease, leaseMs)]);
    lease.isExtended = true;
    const lengthening = lease.lengthening();
    try {
      const { answer, call } = await services.delivery.send(resource, command, 'change');
      judgeAll([lease], answer, { sentAt: call.sentAt, now: services.clock.now() }, [leaseMs]);
      lease.arm(leaseMs);
      if (call.unackedCopies === 0) {
        lengthening.settled();
      }
    } catch (error) {
      if (error instanceof CommandTimeoutError) {
        // It was never sent, or refused.
        lengthening.settled();
      }
      throw error;
    }
    grant.assertHeld();
  }

  lost(grant: G, error: LeaseLostError): void {
    const { kind, resource } = this.object;
    const { holderId } = grant.lease.identity;
    this.services.client.events.emit('lost', { resource, kind, holderId, error });
  }

  failed(error: Error): void {
    this.services.client.failed(error);
  }

  /** The command that states how many grants of a lease are alive. With none the lease ends. */
  protected abstract stateAlive(lease: Lease): Command<ReleaseResult>;

  /** A release was answered. */
  answered(_result: ReleaseResult): void {}

  /** The release of a grant has been settled, with or without success. */
  protected abstract released(grant: G): void;

  /** A release has notified a waiter of another client, or may have. */
  notified(): void {}

  /** Takes back what the server may still count for the holder of a lost lease, or grant late. */
  protected abstract takeBack(lease: Lease): void;

  /** The lease ends here, released or lost: it is renewed no more. */
  protected abstract letGo(lease: Lease): void;

  /** True where a wait leaves an entry on the server, which the grant removes. */
  protected get mayBeInLine(): boolean {
    return false;
  }

  /** Wakes the waiters of this client, which need not wait for the message. */
  abstract wake(): void;

  readonly #leaseLost = (lease: Lease, reason: LeaseLostReason): void => {
    this.letGo(lease);
    const mayOutlast = reason === 'unproven' || (reason === 'expired' && lease.mayOutlast);
    const isUnclear = mayOutlast || lease.hasUnackedCopy || lease.companion !== undefined;
    if (isUnclear || (this.mayBeInLine && reason !== 'expired')) {
      // The server may still count it as held: for up to a whole lease, or, since the two share one
      // TTL, as long as its companion. The release is sent after the calls that lengthened it. It
      // also removes an entry in the wait queue that a failover has brought back.
      this.takeBack(lease);
    }
    this.wake();
  };
}
