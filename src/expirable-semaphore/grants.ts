import { ChurnMap } from '../core/base/churn-map.js';
import { OutcomeUnknownError } from '../errors.js';
import type { Command, PendingCall } from '../core/wire/call.js';
import type { CountReply } from '../core/delivery/count-reply.js';
import type { Holder } from '../core/observe/events.js';
import type { WaitSpan } from '../core/observe/slow-wait.js';
import { GrantLifecycle } from '../core/grant/grant-lifecycle.js';
import type { ReleaseResult } from '../core/grant/release.js';
import type { Lease } from '../core/lease/lease.js';
import { PermitQueue } from '../core/permits/permit-queue.js';
import { Statements } from '../core/permits/statements.js';
import type { Request } from '../core/delivery/requests.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { checkBound, type LeaseTerms } from '../core/base/arguments.js';
import { LeasedPermitSource, type LeasedPermitWaiter } from './leased-permit-source.js';
import { LeasedPermit } from './permit.js';
import { singleId, idsOf, type PermitIds } from './permit-ids.js';
import type { ExpirableSemaphoreProtocol } from './protocol.js';

/** A shorter lease may end before its answer arrives; such a permit is granted all the same. */
const RETRIED_LEASE_MIN_MS = 100;

/** The state that the permit-expirable semaphores of one client share. */
export class ExpirableSemaphoreState {
  /** Local waiters, by key. */
  readonly queues: ChurnMap<string, PermitQueue<LeasedPermitWaiter>> = new ChurnMap();
  /** Permits of this client that are held, by id. */
  readonly permits: ChurnMap<string, LeasedPermit> = new ChurnMap();
  readonly statements: Statements = new Statements();
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

  /** The leases of the permits that the server has granted to `call`; undefined when its answer took longer
   * than leases of at least RETRIED_LEASE_MIN_MS. `lifeMs`: remaining life of the semaphore; < 0: no limit. */
  leases(
    ids: PermitIds,
    terms: LeaseTerms,
    call: PendingCall,
    lifeMs: number,
  ): Lease[] | undefined {
    const now = this.services.clock.now();
    const leases: Lease[] = [];
    for (const id of idsOf(ids)) {
      const lease = this.createLease(id);
      lease.start(call, terms.leaseMs);
      lease.limit(call.sentAt, lifeMs);
      if (terms.leaseMs >= RETRIED_LEASE_MIN_MS && !lease.covers(now)) {
        lease.end();
        return undefined;
      }
      leases.push(lease);
    }
    return leases;
  }

  keep(leases: readonly Lease[]): void {
    for (const lease of leases) {
      // This cannot fail: the acquisition has entered the name.
      this.services.names.enter(this.protocol);
      this.services.keep(lease, this.protocol.renewal);
    }
  }

  permitsOn(leases: readonly Lease[], { renewed, maxHoldMs }: LeaseTerms): LeasedPermit[] {
    const now = this.services.clock.now();
    return leases.map((lease) => {
      const permit = this.permitOn(lease, renewed, now);
      lease.bind(permit, maxHoldMs, lease.sentAt);
      return permit;
    });
  }

  permitOn(lease: Lease, renewed: boolean, now: number): LeasedPermit {
    const permit = new LeasedPermit(this, lease, renewed, now);
    // Not a push, which would allocate room for seventeen: the lease of a permit has one holder.
    lease.holders = [permit];
    this.#state.permits.set(permit.id, permit);
    return permit;
  }

  /** Nobody was told of these permits. */
  undo(leases: readonly Lease[], ids: PermitIds): void {
    for (const lease of leases) {
      if (lease.active) {
        this.letGo(lease);
        lease.end();
      }
    }
    this.giveBack(ids);
  }

  /** The permit of this client with this id, until it is over. */
  find(id: string): LeasedPermit | undefined {
    const permit = this.#state.permits.get(id);
    const isOurs = permit?.lease.identity.key === this.protocol.key;
    return isOurs && (permit.state === 'held' || permit.state === 'suspect') ? permit : undefined;
  }

  /** Loses the permits of a semaphore that `call` deleted. */
  deleted(call: PendingCall): void {
    // It may have been granted after the deletion, by a semaphore that was set since.
    this.loseAll(call, ({ identity }) => this.giveBack(singleId(identity.holderId)));
    this.wake();
  }

  /** The local waiters of this semaphore, for one that joins them at once. */
  queue(): PermitQueue<LeasedPermitWaiter> {
    const { queues } = this.#state;
    const { key } = this.protocol;
    const present = this.presentQueue;
    if (present !== undefined) {
      return present;
    }
    const source = new LeasedPermitSource(this.protocol, this.services.client);
    const queue = new PermitQueue<LeasedPermitWaiter>(this.services, source, () => {
      if (queues.get(key) === queue) {
        queues.delete(key);
      }
    });
    queues.set(key, queue);
    return queue;
  }

  /** The local waiters, where there are any. */
  get presentQueue(): PermitQueue<LeasedPermitWaiter> | undefined {
    return this.#state.queues.get(this.protocol.key);
  }

  /** True when nobody has set the number of permits, as the local waiters were told last. */
  get isUninitialised(): boolean {
    return this.presentQueue?.news.isUninitialised === true;
  }

  /** True when this client has stated the number of permits before. */
  get wasSeen(): boolean {
    return this.protocol.number?.wasSeen === true;
  }

  /** States the number of permits before a use, if that is due. What the use has to wait for; mostly nothing. `always`:
   * an object that takes no other number asks each time. */
  declare(always = false): Promise<unknown> | undefined {
    const { number } = this.protocol;
    if (number === undefined) {
      return undefined;
    }
    if (number.isOpen) {
      this.presentQueue?.numbers.stated();
    }
    return number.before(always);
  }

  /** The number of permits was set: the local waiters need not wait until an answer shows it. */
  numberSet(): void {
    const queue = this.presentQueue;
    if (queue !== undefined) {
      queue.news.isUninitialised = false;
    }
  }

  /** Starts to report a wait for this semaphore as stalled; returns a function that ends this. */
  watchForStall(span: WaitSpan): () => void {
    const { services, protocol } = this;
    const { resource, kind, key } = protocol;
    const findHolders = (): Promise<readonly Holder[]> =>
      services.delivery.read(resource, protocol.holders());
    const isUninitialised = (): boolean => this.isUninitialised;
    const isOwn = (holderId: string): boolean => this.find(holderId) !== undefined;
    const asked = { findHolders, isUninitialised, isOwn };
    return services.client.slowWaits.watch(
      { id: `${kind}:${key}`, resource, kind, ...asked },
      span,
    );
  }

  /** Sets when a permit of any client expires; false when it has expired or is unknown. */
  async updateLease(id: string, leaseMs: number): Promise<boolean> {
    const permit = this.find(id);
    if (permit === undefined) {
      const { count } = await this.#sendLease(id, leaseMs);
      return count === 1;
    }
    const { lease } = permit;
    checkBound(leaseMs, lease.boundMs);
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
    this.presentQueue?.wakeUp();
  }

  protected override stateAlive(lease: Lease): Command<ReleaseResult> {
    this.letGo(lease);
    lease.end();
    return this.protocol.release(singleId(lease.identity.holderId));
  }

  override released(permit: LeasedPermit): void {
    permit.settled();
  }

  protected override takeBack(lease: Lease): void {
    this.giveBack(singleId(lease.identity.holderId));
  }

  protected override letGo(lease: Lease): void {
    this.#state.permits.delete(lease.identity.holderId);
    if (this.services.letGo(lease)) {
      this.services.names.leave(this.protocol);
    }
  }
}
