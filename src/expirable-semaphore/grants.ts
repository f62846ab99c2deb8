import { OutcomeUnknownError } from '../errors.js';
import type { Command, PendingCall } from '../core/wire/call.js';
import type { CountReply } from '../core/delivery/count-reply.js';
import type { Events, Holder } from '../core/observe/events.js';
import type { Waited } from '../core/observe/slow-wait.js';
import { GrantLifecycle } from '../core/grant/grant-lifecycle.js';
import type { ReleaseResult } from '../core/grant/release.js';
import type { Lease } from '../core/lease/lease.js';
import { PermitQueue } from '../core/permits/permit-queue.js';
import { ToldPermits } from '../core/permits/told-permits.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import type { LeaseTerms } from '../core/base/arguments.js';
import { LeasedPermitSource, type LeasedPermitWaiter } from './leased-permit-source.js';
import { LeasedPermit } from './permit.js';
import { singleId, idsOf, type PermitIds } from './permit-ids.js';
import type { ExpirableSemaphoreProtocol } from './protocol.js';

/** A shorter lease may end before its answer arrives; such a permit is granted all the same. */
const RETRIED_LEASE_MIN_MS = 100;

/** The state that the permit-expirable semaphores of one client share. */
export class ExpirableSemaphoreState {
  /** Local waiters, by key. */
  readonly queues: Map<string, PermitQueue<LeasedPermitWaiter>> = new Map();
  /** Permits of this client that are held, by id. */
  readonly permits: Map<string, LeasedPermit> = new Map();
  readonly told: ToldPermits;

  constructor(events: Events) {
    this.told = new ToldPermits(events);
  }
}

/** Looks after the permits of one semaphore from their grant to their end. */
export class PermitGrants extends GrantLifecycle<LeasedPermit> {
  readonly protocol: ExpirableSemaphoreProtocol;
  readonly #state: ExpirableSemaphoreState;

  constructor(
    services: EndpointServices,
    protocol: ExpirableSemaphoreProtocol,
    state: ExpirableSemaphoreState,
  ) {
    super(services, protocol);
    this.protocol = protocol;
    this.#state = state;
  }

  /** The permits that the server has granted to `call`; undefined when its answer took longer than
   * their lease of at least RETRIED_LEASE_MIN_MS. `lifeMs`: remaining life of the semaphore; < 0:
   * no limit. */
  grant(
    ids: PermitIds,
    terms: LeaseTerms,
    call: PendingCall,
    lifeMs: number,
  ): LeasedPermit[] | undefined {
    const { clock, names } = this.services;
    const { renewal } = this.protocol;
    const now = clock.now();
    const permits: LeasedPermit[] = [];
    for (const id of idsOf(ids)) {
      const lease = this.createLease(id);
      lease.start(call, terms.leaseMs);
      lease.limit(call.sentAt, lifeMs);
      if (terms.leaseMs >= RETRIED_LEASE_MIN_MS && !lease.covers(now)) {
        lease.end();
        return undefined;
      }
      const permit = new LeasedPermit(this, lease, terms.renewed, now);
      // Not a push, which would allocate room for seventeen: the lease of a permit has one holder.
      lease.holders = [permit];
      permits.push(permit);
    }
    for (const permit of permits) {
      // This cannot fail: the acquisition has entered the name.
      names.enter(this.protocol);
      this.#state.permits.set(permit.id, permit);
      this.services.keep(permit.lease, renewal);
    }
    return permits;
  }

  /** The permit of this client with this id, while it is held. */
  find(id: string): LeasedPermit | undefined {
    const permit = this.#state.permits.get(id);
    return permit?.lease.identity.key === this.protocol.key && permit.isHeld ? permit : undefined;
  }

  /** Loses the permits of a semaphore that `call` deleted: all that were asked for before it, also
   * those that were granted after it was sent. */
  deleted({ order, sentAt, lastSentAt, unackedCopies }: PendingCall): void {
    const { watchdog } = this.services;
    for (const lease of watchdog.leasesOf(this.protocol.kind, this.protocol.key)) {
      if (lease.order < order) {
        lease.lose('deleted');
        if (lease.isReordered) {
          // It may have been granted after the deletion, by a semaphore that was set since.
          this.giveBack(singleId(lease.identity.holderId));
        }
      }
    }
    if (unackedCopies > 0 || lastSentAt !== sentAt) {
      // A copy may have run after later calls: a poll shows whether their permits still exist.
      watchdog.pollAll();
    }
    this.wake();
  }

  /** The local waiters of this semaphore. */
  queue(): PermitQueue<LeasedPermitWaiter> {
    const { queues } = this.#state;
    const { key } = this.protocol;
    let queue = queues.get(key);
    if (queue === undefined) {
      const source = new LeasedPermitSource(this.protocol, this.services.client);
      queue = new PermitQueue(this.services, source, () => queues.delete(key));
      queues.set(key, queue);
    }
    return queue;
  }

  /** True when nobody has set the number of permits, as the local waiters were told last. */
  get isUninitialised(): boolean {
    return this.#state.queues.get(this.protocol.key)?.news.isUninitialised === true;
  }

  /** True when this client was told the number of permits, and has made or seen the semaphore. */
  get wasSeen(): boolean {
    return this.#state.told.hasSeen(this.protocol.key);
  }

  /** The number of permits was set: the local waiters need not wait until an answer shows it. */
  numberSet(): void {
    const queue = this.#state.queues.get(this.protocol.key);
    if (queue !== undefined) {
      queue.news.isUninitialised = false;
    }
  }

  /** Starts to report a wait for this semaphore as stalled; returns a function that ends this. */
  watchForStall(startedAt: number): () => void {
    const { services, protocol } = this;
    const { resource, kind, key } = protocol;
    const findHolders = (): Promise<readonly Holder[]> =>
      services.delivery.read(resource, protocol.holders());
    const isUninitialised = (): boolean => this.isUninitialised;
    const waited: Waited = { id: `${kind}:${key}`, resource, kind, findHolders, isUninitialised };
    return services.client.slowWaits.watch(waited, startedAt);
  }

  /** Sets when a permit of any client expires; false when it has expired or is unknown. */
  async updateLease(id: string, leaseMs: number): Promise<boolean> {
    const permit = this.find(id);
    if (permit === undefined) {
      const { count } = await this.#sendLease(id, leaseMs);
      return count === 1;
    }
    const { lease } = permit;
    const madeAt = this.services.clock.now();
    // `setting` keeps the deadline true whether the call runs or not, and ends renewal.
    const setting = lease.setting(leaseMs);
    const settle = (count: number | undefined, sentAt: number): void => {
      if (count === undefined) {
        setting.cameToNothing();
      } else if (count === 0) {
        lease.lose('deleted');
      } else {
        setting.carriedOut(sentAt);
      }
    };
    try {
      const late = (count: number | undefined): void => settle(count, madeAt);
      const { count, sentAt } = await this.#sendLease(id, leaseMs, late);
      settle(count, sentAt);
      // The permit may have been lost before the answer came; it was given back then.
      return count === 1 && lease.error === undefined;
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError)) {
        settle(undefined, madeAt);
      }
      throw error;
    }
  }

  #sendLease(
    id: string,
    leaseMs: number,
    late?: (count: number | undefined) => void,
  ): Promise<CountReply> {
    const { resource, key } = this.protocol;
    const build = (request: Request): Command<string> =>
      this.protocol.updateLease(request, id, leaseMs);
    return this.services.delivery.countOnce(resource, key, build, late, true);
  }

  /** Gives back permits that were granted and are not needed any more. */
  giveBack(ids: PermitIds): void {
    this.services.delivery.inBackground(this.protocol.release(ids), { done: () => this.wake() });
  }

  /** Wakes the local waiters, since permits may be available now. */
  override wake(): void {
    this.#state.queues.get(this.protocol.key)?.wakeUp();
  }

  protected override stateAlive(lease: Lease): Command<ReleaseResult> {
    this.letGo(lease);
    lease.end();
    return this.protocol.release(singleId(lease.identity.holderId));
  }

  protected override released(permit: LeasedPermit): void {
    permit.settled();
  }

  protected override takeBack(lease: Lease): void {
    this.giveBack(singleId(lease.identity.holderId));
  }

  protected override letGo(lease: Lease): void {
    if (this.#state.permits.delete(lease.identity.holderId)) {
      this.services.letGo(lease);
      this.services.names.leave(this.protocol, false);
    }
  }
}
