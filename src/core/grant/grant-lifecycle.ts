import {
  CommandTimeoutError,
  LeaseLostError,
  WrongTypeError,
  type LeaseLostReason,
} from '../../errors.js';
import type { Command, PendingCall } from '../wire/call.js';
import type { Lease } from '../lease/lease.js';
import type { GrantOwner, Grant } from './grant.js';
import type { EndpointServices } from '../endpoint-services.js';
import { itemOf, judgeAll, type Renewal } from '../lease/renewal.js';
import type { ObjectKind } from '../observe/events.js';

/** The server's answer to a release: the object is free; it is free, and the turn of a waiter of
 * another client, which was notified alone; other holds keep it; it was handed to the next in its
 * line; it was opened for a moment to those in no line; or the holder did not have it: another holder
 * has it, or none. */
export type ReleaseResult =
  | {
      readonly is: 'freed';
      /** The number of connections that were notified, this client's own included, where it is
       * known; else 0. */
      readonly receivers: number;
    }
  | { readonly is: 'passed' | 'kept' | 'handed' | 'opened' | 'taken' | 'deleted' };

/** Answers that the holder had it. */
const RELEASED: ReadonlySet<ReleaseResult['is']> = new Set(['freed', 'kept', 'handed', 'opened']);

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
export abstract class GrantLifecycle<G extends Grant> implements GrantOwner<G> {
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

  async release(grant: G): Promise<void> {
    const { lease } = grant;
    lease.remove(grant);
    const command = this.stateAlive(lease);
    const telling = this.#announcing(grant);
    const { delivery } = this.services;
    try {
      const sending = delivery.send(this.object.resource, command, 'release', telling ?? this);
      const { answer, call } = await sending;
      this.#checkReleased(lease, answer, call);
    } catch (error) {
      // The object was overwritten by something of another type.
      const loss = error instanceof WrongTypeError ? this.#loss('taken', error) : error;
      if (loss instanceof LeaseLostError) {
        grant.lostBefore(loss);
        // The other grants depend on the same lease.
        lease.lose(loss.reason, loss);
        lease.loseCompanion(loss.reason, loss);
      }
      throw loss;
    } finally {
      this.released(grant);
    }
    this.wake();
    telling?.announce();
  }

  /** Tells the release with its answer, if somebody wants to know: another grant may come right behind
   * it. */
  #announcing(grant: G): { answered(result: ReleaseResult): void; announce(): void } | undefined {
    if (!this.services.client.events.wanted('released')) {
      return undefined;
    }
    // Not the grant itself: the call may be kept for long, and the grant belongs to a request.
    const { grantedAt } = grant;
    const { holderId } = grant.lease.identity;
    let isTold = false;
    const announce = (): void => {
      if (!isTold) {
        isTold = true;
        this.#tellRelease(holderId, grantedAt);
      }
    };
    const answered = (result: ReleaseResult): void => {
      this.answered(result);
      if (RELEASED.has(result.is)) {
        announce();
      }
    };
    return { answered, announce };
  }

  announceRelease(grant: G): void {
    if (this.services.client.events.wanted('released')) {
      this.#tellRelease(grant.lease.identity.holderId, grant.grantedAt);
    }
  }

  #tellRelease(holderId: string, grantedAt: number): void {
    const { clock, client } = this.services;
    const heldMs = Math.round(clock.now() - grantedAt);
    const { kind, resource } = this.object;
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
        // It was never sent.
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
  protected notified(): void {}

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

  /** Throws the loss that the server's answer to a release shows, if it shows one. */
  #checkReleased(lease: Lease, { is }: ReleaseResult, call: PendingCall): void {
    if (RELEASED.has(is)) {
      return;
    }
    // "Not held by you" to a later copy: the first has released it, if it was held when sent.
    const ranBefore = call.unackedCopies > 0 && lease.covers(call.sentAt);
    if (is === 'passed' || ranBefore) {
      // If the first answer was lost, that release may have notified another client.
      this.notified();
      return;
    }
    const reason = is === 'taken' ? 'taken' : 'deleted';
    throw this.#loss(lease.covers(this.services.clock.now()) ? reason : 'expired');
  }

  #loss(reason: LeaseLostReason, cause?: Error): LeaseLostError {
    const { resource } = this.object;
    const message = `the lease on "${resource}" was found lost at its release: ${reason}`;
    return new LeaseLostError(message, reason, { resource, cause });
  }
}
