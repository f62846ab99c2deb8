import { checkBound } from '../base/arguments.js';
import type { LeaseLostError, LeaseLostReason } from '../../errors.js';
import type { Command, PendingCall } from '../wire/call.js';
import type { Lease } from '../lease/lease.js';
import type { GrantOwner, Grant } from './grant.js';
import { Release, type ReleaseOwner, type ReleaseResult } from './release.js';
import type { EndpointServices } from '../endpoint-services.js';
import { itemOf, type Renewal } from '../lease/renewal.js';
import { notDetachable, type Detachable } from './detachable.js';
import { detachedString, isDetachable, type DetachableKind } from './detached.js';
import { extendAll, extendBy } from './extension.js';
import type { Events, ObjectKind } from '../observe/events.js';
import type { Leaks } from '../observe/leaks.js';

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
  /** The commands by which its grants go to another client, where they can. */
  readonly detachable?: Detachable | undefined;
}

/** Manages the grants of one object from their beginning to their end. */
export abstract class GrantLifecycle<G extends Grant> implements GrantOwner<G>, ReleaseOwner<G> {
  readonly services: EndpointServices;
  protected readonly object: LeasedObject;

  constructor(services: EndpointServices, object: LeasedObject) {
    this.services = services;
    this.object = object;
  }

  get events(): Events {
    return this.services.client.events;
  }

  get leaks(): Leaks {
    return this.services.client.leaks;
  }

  /** The lease of a holder that the server has just admitted, or is about to. */
  createLease(holderId: string): Lease {
    const { kind, resource, key } = this.object;
    return this.services.createLease({ kind, resource, key, holderId }, this.leaseLost);
  }

  announce(grant: G, startedAt: number): void {
    const { events } = this.services.client;
    if (!events.wanted('acquired')) {
      return;
    }
    const { kind, resource } = this.object;
    const waitedMs = Math.round(grant.grantedAt - startedAt);
    const { holderId } = grant.lease.identity;
    events.report('acquired', { resource, kind, holderId, waitedMs });
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
    const { delivery } = this.services;
    const sent = delivery.send(this.object.resource, command, 'release', release);
    await this.settle(release, grant, sent);
  }

  /** Settles a release by the call that carries it. */
  protected async settle(release: Release<G>, grant: G, sent: Promise<unknown>): Promise<void> {
    try {
      await sent;
    } catch (error) {
      release.givenUp(error);
      throw release.loss ?? error;
    } finally {
      release.settle(grant);
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
    client.events.report('released', { resource, kind, holderId, heldMs });
  }

  async extend(grant: G, leaseMs: number): Promise<void> {
    const { renewal, resource } = this.object;
    await extendAll(this.services, resource, renewal, [grant.lease], leaseMs);
    grant.assertHeld();
  }

  async detach(grant: G, leaseMs: number | undefined): Promise<string> {
    const { services, object } = this;
    const { resource, key } = object;
    const { lease, fencingToken } = grant;
    const { kind, commands } = this.#detachable(grant);
    checkBound(leaseMs ?? 0, lease.boundMs);
    const least = leaseMs ?? lease.cut(services.client.settings.leaseMs);
    await extendBy(services, resource, commands.detach(itemOf(lease, least)), [lease], least);
    // Something else may have been done with it meanwhile.
    grant.assertHeld();
    this.#detachable(grant);
    const boundMs = lease.boundMs === Infinity ? undefined : Math.max(1, lease.boundMs);
    lease.remove(grant);
    this.leave(lease);
    grant.detached();
    this.released(grant);
    this.announceRelease(grant);
    this.wake();
    const { holderId } = lease.identity;
    return detachedString({ kind, name: resource, key, holderId, fencingToken, boundMs });
  }

  #detachable({ boundBy }: G): { kind: DetachableKind; commands: Detachable } {
    const { kind, resource, detachable: commands } = this.object;
    if (commands === undefined || !isDetachable(kind)) {
      throw notDetachable(resource, `it is a ${kind}`);
    }
    if (boundBy !== undefined) {
      throw notDetachable(resource, boundBy);
    }
    return { kind, commands };
  }

  /** The lease goes on on the server, for another client. */
  protected leave(lease: Lease): void {
    this.letGo(lease);
    lease.end();
  }

  lost(grant: G, error: LeaseLostError): void {
    const { kind, resource } = this.object;
    const { holderId } = grant.lease.identity;
    this.services.client.events.report('lost', { resource, kind, holderId, error });
  }

  failed(error: Error): void {
    this.services.client.failed(error);
  }

  /** The command that states how many grants of a lease are alive. With none the lease ends. */
  protected abstract stateAlive(lease: Lease): Command<ReleaseResult>;

  /** A release was answered. */
  answered(_result: ReleaseResult): void {}

  abstract released(grant: G): void;

  /** Takes back what the server may still count for the holder of a lost lease, or grant late. */
  protected abstract takeBack(lease: Lease): void;

  /** `call` has ended all that there was of the object: what was asked for before it is lost, also where that was
   * granted after it was sent. `again` gets each lease of which a later copy of the acquisition may have run after
   * the end. */
  protected loseAll(call: PendingCall, again: (lease: Lease) => void): void {
    const { order, sentAt, lastSentAt, unackedCopies } = call;
    const { watchdog } = this.services;
    for (const lease of watchdog.leasesOf(this.object.kind, this.object.key)) {
      if (lease.order < order) {
        lease.lose('deleted');
        if (lease.isReordered) {
          again(lease);
        }
      }
    }
    if (unackedCopies > 0 || lastSentAt !== sentAt) {
      // A copy of it may have run after later calls: a poll shows whether what those were granted is there.
      watchdog.pollAll();
    }
  }

  /** The lease ends here, released or lost: it is renewed no more. */
  protected abstract letGo(lease: Lease): void;

  /** True where a wait leaves an entry on the server, which the grant removes. */
  protected get mayBeInLine(): boolean {
    return false;
  }

  /** Wakes the waiters of this client, which need not wait for the message. */
  abstract wake(): void;

  protected readonly leaseLost = (lease: Lease, reason: LeaseLostReason): void => {
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
