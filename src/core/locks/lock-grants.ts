import type { Call, Command, PendingCall, Receiver } from '../wire/call.js';
import { releaseTerms, type ReleaseTerms } from './release-terms.js';
import { outside } from '../base/async-context.js';
import type { Holder, ObjectKind } from '../observe/events.js';
import { GrantLifecycle } from '../grant/grant-lifecycle.js';
import type { ReleaseResult } from '../grant/release.js';
import { LockHold, type HoldOwner } from './hold.js';
import type { Lease } from '../lease/lease.js';
import { PassingQueue } from './passing-queue.js';
import { releaseOrPass, tellLost, type PassingOwner } from './passing.js';
import type { LockProtocol } from './lock-protocol.js';
import type { LockServices } from './lock-services.js';
import type { LeaseTerms } from '../base/arguments.js';
import type { Asks } from './ticket.js';
import type { Position, Verdict, WaitQueue } from './wait-queue.js';

/** Returns the hold as what the holds of its lock all are; throws if it is not. */
export type AsGranted<H extends LockHold> = (hold: LockHold) => H;

/** For locks whose holds have nothing special. */
export const anyHold = (hold: LockHold): LockHold => hold;

/** Manages the holds of one lock from their grant to their end. */
export class LockGrants<H extends LockHold = LockHold>
  extends GrantLifecycle<LockHold>
  implements HoldOwner, Asks, PassingOwner
{
  readonly locks: LockServices;
  readonly protocol: LockProtocol;
  readonly #asGranted: AsGranted<H>;

  constructor(locks: LockServices, protocol: LockProtocol, asGranted: AsGranted<H>) {
    super(locks.services, protocol);
    this.locks = locks;
    this.protocol = protocol;
    this.#asGranted = asGranted;
  }

  get lockId(): string {
    return this.protocol.lockId;
  }

  /** The lease of a re-entry through `hold`: the same one, or its companion for this side of the
   * lock, which begins with its first grant. */
  leaseWithin(hold: LockHold): Lease {
    const { lease } = hold;
    if (hold.lockId === this.protocol.lockId) {
      return lease;
    }
    if (lease.companion?.active !== true) {
      // The hold uses the name already, so no object of another kind is in the way.
      this.services.names.enter(this.protocol);
      // Redisson uses one id for both sides. Only the first companion can have it: a late release
      // of that one would end a later companion with the same id.
      const isFirst = lease.companion === undefined;
      lease.companion = this.createLease(
        isFirst ? hold.holderId : this.services.client.newHolderId(),
      );
      lease.companion.beside = hold.holderId;
    }
    return lease.companion;
  }

  /** Creates a hold on `lease`; the caller adds it to the lease. */
  createHold(
    lease: Lease,
    terms: LeaseTerms,
    outer: LockHold | undefined,
    fencingToken: bigint | undefined,
  ): H {
    const grantedAt = this.services.clock.now();
    const properties = { outer, renewed: terms.renewed, grantedAt, fencingToken };
    return this.#asGranted(new LockHold(this, lease, properties));
  }

  /** Reports a wait for this lock that lasts long; returns a function that stops watching. */
  watchForStall(startedAt: number): () => void {
    const { services, protocol } = this;
    const { lockId: id, resource, kind } = protocol;
    const findHolders = async (): Promise<readonly Holder[]> =>
      (await services.delivery.read(resource, protocol.obstacles())).holders;
    return services.client.slowWaits.watch({ id, resource, kind, findHolders }, startedAt);
  }

  /** The local waiters of this lock. */
  queue(): WaitQueue {
    const { protocol, lockId, locks } = this;
    const queue = locks.queues.get(lockId) ?? protocol.createQueue(this);
    locks.queues.set(lockId, queue);
    return queue;
  }

  /** The queue of a lock that is passed on. */
  get #passingQueue(): (WaitQueue & PassingQueue) | undefined {
    const queue = this.locks.queues.get(this.lockId);
    return queue instanceof PassingQueue ? queue : undefined;
  }

  /** Passes the lock on inside this client, or releases it on the server. */
  override release(hold: LockHold): Promise<void> {
    const queue = this.#passingQueue;
    return queue === undefined ? super.release(hold) : releaseOrPass(queue, hold, this);
  }

  get #isHandedOn(): boolean {
    return this.locks.handsOff && this.protocol.canBeHandedOn;
  }

  /** Clients race for it after a release. */
  get #isRaced(): boolean {
    return this.protocol.isRaced && !this.#isHandedOn;
  }

  emptied(queue?: WaitQueue): void {
    const { queues, handOffs } = this.locks;
    const { lockId, key, canBeHandedOn } = this.protocol;
    if (queue === undefined || queues.get(lockId) === queue) {
      queues.delete(lockId);
      if (canBeHandedOn) {
        handOffs.channels.leave(key);
      }
    }
  }

  get keepsPosition(): boolean {
    return this.protocol.keepsPosition;
  }

  ask(
    holderId: string,
    leaseMs: number,
    position: Position,
    receiver: Receiver<Verdict>,
  ): Call<Verdict> {
    const command = this.protocol.acquire(holderId, 1, leaseMs, position);
    return this.services.delivery.start(command, receiver);
  }

  inScope<T>(hold: LockHold, task: () => T): T {
    return this.locks.scopes.run(hold.scopeEntry, task);
  }

  /**
   * The server has granted the lock to a new holder of this client. The leases of this client that
   * exclude that holder are thus lost, even if nothing has reported it yet (a forced release, a
   * flush). So two holds that exclude each other are never both `held` in one client.
   */
  endOthers(): void {
    const { isShared, kind, key, sibling } = this.protocol;
    if (!isShared) {
      this.#endAll(kind, key);
    }
    if (sibling !== undefined) {
      this.#endAll(sibling.kind, key);
    }
  }

  #endAll(kind: ObjectKind, key: string): void {
    for (const lease of this.services.watchdog.leasesOf(kind, key)) {
      // Makes its loss release it as well, in case the server still counts it.
      lease.hasUnackedCopy = true;
      lease.lose('taken');
    }
  }

  /** This call freed the lock by force. The leases whose acquisitions were sent before it are lost,
   * also those that were granted after it was sent. */
  forced({ order, sentAt, lastSentAt, unackedCopies }: PendingCall): void {
    const { services, protocol } = this;
    for (const lease of services.watchdog.leasesOf(protocol.kind, protocol.key)) {
      if (lease.order < order) {
        lease.lose('deleted');
        if (lease.isReordered) {
          // A later copy of its acquisition may have run after the forced release.
          this.#inBackground(this.#release(lease.identity.holderId, releaseTerms('forced', lease)));
        }
      }
    }
    if (unackedCopies > 0 || lastSentAt !== sentAt) {
      // A copy of it may have run after later calls: poll what those were granted.
      services.watchdog.pollAll();
    }
    if (protocol.canBeHandedOn) {
      // What this client was told of may have been granted before.
      services.watchdog.look(protocol.key, () => undefined);
      this.locks.queues.get(protocol.lockId)?.forced?.();
    }
    this.notified();
    this.wake();
  }

  /** The server counts a re-entry that failed, or may still do so: states again how many holds are
   * alive. With none alive this releases the holder. */
  restate(lease: Lease): void {
    this.#inBackground(this.stateAlive(lease));
  }

  /** Takes back the one hold that a ticket may have been granted, and its entry in a wait queue;
   * sets a tombstone if a copy of an ask may still run. */
  cancel(holderId: string, hasUnackedCopy: boolean): void {
    const terms = releaseTerms('ended', { alive: 0, hasUnackedCopy, peak: 1, most: 1 });
    this.#inBackground(this.#release(holderId, terms));
  }

  /** Re-entries under way count as alive: one that fails states the number again. */
  protected override stateAlive(lease: Lease): Command<ReleaseResult> {
    const terms = releaseTerms('ended', lease);
    const served = this.#passingQueue?.servedIn?.(lease);
    if (terms.count === 0) {
      this.letGo(lease);
      lease.end();
    }
    lease.peak = Math.max(1, terms.count);
    return this.#release(lease.identity.holderId, served ? { ...terms, served } : terms);
  }

  override answered(result: ReleaseResult): void {
    const { protocol } = this;
    if (result.is === 'opened') {
      this.locks.handOffs.serveLater(() => protocol.serveLine());
    }
    if (this.#isRaced) {
      this.locks.fairness.released(protocol.channel, result);
    }
  }

  override released(hold: LockHold): void {
    hold.settled();
    hold.turn?.free();
    if (hold.state === 'released') {
      // A hold found lost stays in its scopes: code that goes on inside them is refused.
      hold.over();
    }
  }

  protected override takeBack(lease: Lease): void {
    this.#inBackground(this.#release(lease.identity.holderId, releaseTerms('lost', lease)));
  }

  /** Follows up on the waiter of another client, where a release notifies one at a time. */
  override notified(): void {
    const { protocol } = this;
    const followUp = protocol.followUp?.bind(protocol);
    if (followUp !== undefined) {
      this.locks.followUps.watch(protocol.key, followUp);
    }
  }

  protected override get mayBeInLine(): boolean {
    return this.protocol.keepsPosition;
  }

  /** The lease is renewed no more, and the name is free. */
  protected override letGo(lease: Lease): void {
    this.locks.handOffs.forget(lease.identity.holderId);
    const run = this.#passingQueue?.ended(lease);
    if (run !== undefined && !lease.active && lease.error !== undefined) {
      tellLost(run.takeUnproven(), lease.error, this);
    }
    this.services.letGo(lease);
    this.services.names.leave(this.protocol, true);
  }

  override wake(): void {
    const { lockId, sibling } = this.protocol;
    this.#wakeUp(lockId);
    if (sibling !== undefined) {
      this.#wakeUp(sibling.lockId);
    }
  }

  #wakeUp(lockId: string): void {
    const queue = this.locks.queues.get(lockId);
    if (queue !== undefined) {
      // The waiters in the queue belong to other async contexts.
      outside(() => queue.wakeUp());
    }
  }

  #release(holderId: string, terms: ReleaseTerms): Command<ReleaseResult> {
    if (this.#isRaced && terms.count === 0) {
      this.locks.fairness.releasing(this.protocol.channel);
    }
    return this.protocol.release(holderId, terms);
  }

  /** Sends a release that no caller waits for. */
  #inBackground(command: Command<ReleaseResult>): void {
    const answered = (result: ReleaseResult): void => {
      this.answered(result);
      // The release of a waiter that gives up, or one that ran twice, may have notified another.
      if (result.is === 'passed' || result.is === 'deleted') {
        this.notified();
      }
    };
    this.services.delivery.inBackground(command, { done: () => this.wake(), answered });
  }
}
