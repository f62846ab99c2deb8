import type { Prepared } from './call.js';
import { MEMORY_MS } from './delivery.js';
import type { Holder } from './events.js';
import { GrantKeeper } from './grant-keeper.js';
import type { ReleaseResult } from './grant-keeper.js';
import { LockHold } from './hold.js';
import type { HoldOwner } from './hold.js';
import type { Lease } from './lease.js';
import type { LockProtocol } from './lock-protocol.js';
import type { Runtime } from './runtime.js';
import { watchForStall } from './stall.js';
import type { LeaseTerms } from './validate.js';
import type { WaitQueue } from './wait-queue.js';

/** Looks after the holds of one lock from their grant to their end. */
export class LockKeeper extends GrantKeeper<LockHold> implements HoldOwner {
  readonly protocol: LockProtocol;

  constructor(runtime: Runtime, protocol: LockProtocol) {
    super(runtime, protocol);
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
      const { key, resource, family } = this.protocol;
      this.runtime.kinds.enter(key, resource, family);
      // Redisson has both sides under one id. That goes once: no id is ever granted anew, or a late
      // release of the first companion would take a later one.
      const isFirst = lease.companion === undefined;
      lease.companion = this.createLease(isFirst ? hold.holderId : this.runtime.newHolderId());
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
    const grantedAt = this.runtime.clock.now();
    return new LockHold(this, lease, { lockId, outer, renewed, grantedAt, fencingToken });
  }

  /** Reports a wait for this lock that lasts; returns what stops that. */
  watchForStall(startedAt: number): () => void {
    const { runtime, protocol } = this;
    const { resource, kind } = protocol;
    const findHolders = async (): Promise<readonly Holder[]> => {
      const { holders } = await runtime.delivery.ask(resource, protocol.inspectAll());
      return holders;
    };
    return watchForStall(runtime, { resource, kind, findHolders }, startedAt);
  }

  /** The local waiters of this lock. */
  queue(): WaitQueue {
    const { queues } = this.runtime;
    const { lockId } = this.protocol;
    let queue = queues.get(lockId);
    if (queue === undefined) {
      queue = this.protocol.createQueue(() => queues.delete(lockId));
      queues.set(lockId, queue);
    }
    return queue;
  }

  inScope<T>(hold: LockHold, task: () => T): T {
    return this.runtime.scopes.run(hold, task);
  }

  /** The server counts a re-entry that came to nothing, or may do so yet: state the number of
   * what is alive again. At none, that is the release of the holder. */
  restate(lease: Lease): void {
    this.#behind(this.stateAlive(lease));
  }

  /** Takes back what a given-up acquisition may have got. With `burn` no copy of it that is still
   * on its way is granted later. */
  cancel(holderId: string, burn: boolean): void {
    this.#behind(this.protocol.release(holderId, 0, burn ? MEMORY_MS : 0, 1));
  }

  /** Re-entries on their way count as alive: if one of those fails, it states the number again. */
  protected override stateAlive(lease: Lease): Prepared<ReleaseResult> {
    const count = lease.alive;
    if (count === 0) {
      this.letGo(lease);
      lease.end();
    }
    const burnMs = count === 0 && lease.stray ? MEMORY_MS : 0;
    const { peak, most, identity } = lease;
    lease.peak = Math.max(1, count);
    return this.protocol.release(identity.holderId, count, burnMs, count === 0 ? most : peak);
  }

  protected override released(hold: LockHold): void {
    if (!this.protocol.isShared) {
      hold.outer?.reentries.free();
    }
  }

  protected override takeBack(lease: Lease): void {
    this.#behind(this.protocol.release(lease.identity.holderId, 0, MEMORY_MS, lease.most));
  }

  /** Looks after the turn of another client's waiter, where the server tells one at a time. */
  override passed(): void {
    const { runtime, protocol } = this;
    const followUp = protocol.followUp?.bind(protocol);
    if (followUp !== undefined) {
      runtime.turns.watch(protocol.key, followUp);
    }
  }

  /** The lease is renewed no more, and the name is free. */
  protected override letGo(lease: Lease): void {
    this.runtime.letGo(lease);
    this.runtime.kinds.leave(this.protocol.key, true);
  }

  override wake(): void {
    const { runtime, protocol } = this;
    runtime.queues.get(protocol.lockId)?.hint();
    if (protocol.sibling !== undefined) {
      runtime.queues.get(protocol.sibling.lockId)?.hint();
    }
  }

  /** Settles a release that nobody waits for. */
  #behind(prepared: Prepared<ReleaseResult>): void {
    const answered = (answer: ReleaseResult): void => {
      // "Nobody has it" to a waiter that leaves, or to a copy: another one may have been told.
      if (answer === 'passed' || answer === 'deleted') {
        this.passed();
      }
    };
    this.runtime.delivery.behind(prepared, () => this.wake(), answered);
  }
}
