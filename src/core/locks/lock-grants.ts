import type { Command, PendingCall } from '../wire/call.js';
import { releaseTerms, type ReleaseTerms } from './release-terms.js';
import { outside } from '../base/async-context.js';
import type { Holder } from '../observe/events.js';
import { GrantLifecycle, type ReleaseResult } from '../grant/grant-lifecycle.js';
import { LockHold, type HoldOwner } from './hold.js';
import type { Lease } from '../lease/lease.js';
import type { LockProtocol } from './lock-protocol.js';
import type { LockState } from './lock-state.js';
import type { LeaseTerms } from '../base/arguments.js';
import type { WaitQueue } from './wait-queue.js';

/** Looks after the holds of one lock from their grant to their end. */
export class LockGrants extends GrantLifecycle<LockHold> implements HoldOwner {
  readonly state: LockState;
  readonly protocol: LockProtocol;

  constructor(state: LockState, protocol: LockProtocol) {
    super(state.services, protocol);
    this.state = state;
    this.protocol = protocol;
  }

  /** What a hold within `hold` stands on: the same lease, or one beside it for this side of the
   * lock, which begins with its first grant. */
  leaseWithin(hold: LockHold): Lease {
    const { lease } = hold;
    if (hold.lockId === this.protocol.lockId) {
      return lease;
    }
    if (lease.companion?.active !== true) {
      // It is in use by the hold: nobody is in the way.
      this.services.names.enter(this.protocol);
      // Redisson has both sides under one id. That goes once: no id is ever granted anew, or a late
      // release of the first companion would take a later one.
      const isFirst = lease.companion === undefined;
      lease.companion = this.createLease(
        isFirst ? hold.holderId : this.services.client.newHolderId(),
      );
      lease.companion.beside = hold.holderId;
    }
    return lease.companion;
  }

  /** A hold that stands on `lease`; the caller puts it there. */
  createHold(
    lease: Lease,
    terms: LeaseTerms,
    outer: LockHold | undefined,
    fencingToken: bigint | undefined,
  ): LockHold {
    const { lockId } = this.protocol;
    const { renewed } = terms;
    const grantedAt = this.services.clock.now();
    return new LockHold(this, lease, { lockId, outer, renewed, grantedAt, fencingToken });
  }

  /** Reports a wait for this lock that lasts; returns what stops that. */
  watchForStall(startedAt: number): () => void {
    const { services, protocol } = this;
    const { lockId: id, resource, kind } = protocol;
    const findHolders = async (): Promise<readonly Holder[]> => {
      const { holders } = await services.delivery.read(resource, protocol.obstacles());
      return holders;
    };
    return services.client.slowWaits.watch({ id, resource, kind, findHolders }, startedAt);
  }

  /** The local waiters of this lock. */
  queue(): WaitQueue {
    const { queues } = this.state;
    const { lockId } = this.protocol;
    let queue = queues.get(lockId);
    if (queue === undefined) {
      queue = this.protocol.createQueue(this.state, () => queues.delete(lockId));
      queues.set(lockId, queue);
    }
    return queue;
  }

  inScope<T>(hold: LockHold, task: () => T): T {
    return this.state.scopes.run(hold.scopeEntry, task);
  }

  /**
   * The server has let a new holder of this client in: whoever of this client cannot be in beside it
   * is out, though nobody has told yet (by force, by a flush). So no two of one client are ever told
   * `held` beside each other, whatever happened on the server.
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

  #endAll(kind: string, key: string): void {
    for (const lease of this.services.watchdog.leasesOf(kind, key)) {
      // Should the server know it after all, it is taken back, too.
      lease.hasUnackedCopy = true;
      lease.lose('taken');
    }
  }

  /** The lock was freed by force, by `call`. What was asked for before that is lost with it, also what
   * was granted after it was sent. */
  forced({ order, sentAt, lastSentAt, unackedCopies }: PendingCall): void {
    const { services, protocol } = this;
    for (const lease of services.watchdog.leasesOf(protocol.kind, protocol.key)) {
      if (lease.order < order) {
        lease.lose('deleted');
        if (lease.isReordered) {
          // It may have been granted behind the forced release.
          this.#inBackground(this.#release(lease.identity.holderId, releaseTerms('forced', lease)));
        }
      }
    }
    if (unackedCopies > 0 || lastSentAt !== sentAt) {
      // A copy of it may have run behind later calls: what they got is asked about.
      services.watchdog.pollAll();
    }
    this.passed();
    this.wake();
  }

  /** The server counts a re-entry that came to nothing, or may do so yet: state the number of
   * what is alive again. At none, that is the release of the holder. */
  restate(lease: Lease): void {
    this.#inBackground(this.stateAlive(lease));
  }

  /** Takes back what a given-up acquisition may have got, which was one hold. `stray`: a copy of it
   * may still run. */
  cancel(holderId: string, hasUnackedCopy: boolean): void {
    const terms = releaseTerms('ended', { alive: 0, hasUnackedCopy, peak: 1, most: 1 });
    this.#inBackground(this.#release(holderId, terms));
  }

  /** Re-entries on their way count as alive: if one of those fails, it states the number again. */
  protected override stateAlive(lease: Lease): Command<ReleaseResult> {
    const terms = releaseTerms('ended', lease);
    if (terms.count === 0) {
      this.letGo(lease);
      lease.end();
    }
    lease.peak = Math.max(1, terms.count);
    return this.#release(lease.identity.holderId, terms);
  }

  protected override answered(result: ReleaseResult): void {
    const { isRaced, channel } = this.protocol;
    if (isRaced) {
      this.state.fairness.released(channel, result);
    }
  }

  protected override released(hold: LockHold): void {
    hold.turn?.free();
    if (hold.state === 'released') {
      // One that was found lost stays: whoever goes on inside is refused.
      hold.over();
    }
  }

  protected override takeBack(lease: Lease): void {
    this.#inBackground(this.#release(lease.identity.holderId, releaseTerms('lost', lease)));
  }

  /** Looks after the turn of another client's waiter, where the server tells one at a time. */
  override passed(): void {
    const { protocol } = this;
    const followUp = protocol.followUp?.bind(protocol);
    if (followUp !== undefined) {
      this.state.followUps.watch(protocol.key, followUp);
    }
  }

  /** The lease is renewed no more, and the name is free. */
  protected override letGo(lease: Lease): void {
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
    const queue = this.state.queues.get(lockId);
    if (queue !== undefined) {
      // The waiters there belong to other contexts.
      outside(() => queue.wakeUp());
    }
  }

  #release(holderId: string, terms: ReleaseTerms): Command<ReleaseResult> {
    const { isRaced, channel } = this.protocol;
    if (isRaced && terms.count === 0) {
      this.state.fairness.releasing(channel);
    }
    return this.protocol.release(holderId, terms);
  }

  /** Settles a release that nobody waits for. */
  #inBackground(command: Command<ReleaseResult>): void {
    const answered = (result: ReleaseResult): void => {
      this.answered(result);
      // "Nobody has it" to a waiter that leaves, or to a copy: another one may have been told.
      if (result.is === 'passed' || result.is === 'deleted') {
        this.passed();
      }
    };
    this.services.delivery.inBackground(command, { done: () => this.wake(), answered });
  }
}
