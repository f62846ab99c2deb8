import { LeaseLostError, WrongTypeError } from '../errors.js';
import type { LeaseLostReason } from '../errors.js';
import type { Prepared } from './call.js';
import { MEMORY_MS } from './delivery.js';
import { ExclusiveQueue } from './exclusive-queue.js';
import type { Holder } from './events.js';
import { LockHold } from './hold.js';
import type { HoldOwner } from './hold.js';
import type { Lease } from './lease.js';
import type { LockProtocol, ReleaseResult } from './lock-protocol.js';
import type { Runtime } from './runtime.js';
import { watchForStall } from './stall.js';
import type { LeaseTerms } from './validate.js';

/** Looks after the holds of one lock from their grant to their end. */
export class LockKeeper implements HoldOwner {
  readonly runtime: Runtime;
  readonly protocol: LockProtocol;

  constructor(runtime: Runtime, protocol: LockProtocol) {
    this.runtime = runtime;
    this.protocol = protocol;
  }

  /** The lease of a holder that the server has just admitted. */
  createLease(holderId: string): Lease {
    const { kind, resource, key } = this.protocol;
    return this.runtime.createLease({ kind, resource, key, holderId }, this.#leaseLost);
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

  announce(hold: LockHold, startedAt: number): void {
    const { events } = this.runtime;
    if (!events.wanted('acquired')) {
      return;
    }
    const { kind, resource } = this.protocol;
    const waitedMs = Math.round(hold.grantedAt - startedAt);
    events.emit('acquired', { resource, kind, holderId: hold.holderId, waitedMs });
  }

  /** Reports a wait for this lock that lasts; returns what stops that. */
  watchForStall(startedAt: number): () => void {
    const { runtime, protocol } = this;
    const { resource, kind } = protocol;
    const findHolders = async (): Promise<readonly Holder[]> => {
      const { holders } = await runtime.delivery.ask(resource, protocol.inspect());
      return holders;
    };
    return watchForStall(runtime, { resource, kind, findHolders }, startedAt);
  }

  /** The local waiters of this lock. */
  queue(): ExclusiveQueue {
    const { runtime, protocol } = this;
    const { lockId, key, channel } = protocol;
    let queue = runtime.queues.get(lockId);
    if (queue === undefined) {
      queue = new ExclusiveQueue(runtime, lockId, key, channel);
      runtime.queues.set(lockId, queue);
    }
    return queue;
  }

  async release(hold: LockHold): Promise<void> {
    const { runtime, protocol } = this;
    const { lease } = hold;
    lease.remove(hold);
    const prepared = this.#stateAlive(lease);
    try {
      const loss = await this.#tellRelease(lease, prepared);
      if (loss !== undefined) {
        hold.lostBefore(loss);
        // All other holds on this lease stood on the same ground.
        lease.lose(loss.reason, loss);
        throw loss;
      }
    } finally {
      hold.outer?.reentries.free();
    }
    this.#wake();
    if (runtime.events.wanted('released')) {
      const heldMs = Math.round(runtime.clock.now() - hold.grantedAt);
      const { kind, resource } = protocol;
      runtime.events.emit('released', { resource, kind, holderId: hold.holderId, heldMs });
    }
  }

  async extend(hold: LockHold, leaseMs: number): Promise<void> {
    const { runtime, protocol } = this;
    const { lease } = hold;
    const { key, resource } = protocol;
    const prepared = protocol.renewal([{ key, holderId: hold.holderId, leaseMs }]);
    const { answer, call } = await runtime.delivery.tell(resource, prepared, 'change');
    if (answer === '1') {
      lease.prove(call.sentAt, leaseMs);
      lease.arm(leaseMs);
    } else {
      lease.lose(answer === '2' ? 'taken' : 'deleted');
    }
    hold.assertHeld();
  }

  inScope<T>(hold: LockHold, task: () => T): T {
    return this.runtime.scopes.run(hold, task);
  }

  lost(hold: LockHold, error: LeaseLostError): void {
    const { kind, resource } = this.protocol;
    this.runtime.events.emit('lost', { resource, kind, holderId: hold.holderId, error });
  }

  failed(error: Error): void {
    this.runtime.failed(error);
  }

  /** The server counts a re-entry that came to nothing, or may do so yet: state the number of
   * what is alive again. At none, that is the release of the holder. */
  restate(lease: Lease): void {
    this.runtime.delivery.behind(this.#stateAlive(lease), () => this.#wake());
  }

  /** Takes back what a given-up acquisition may have got, and burns its holder id, so that no
   * copy of it is granted later. */
  cancel(holderId: string): void {
    const { delivery } = this.runtime;
    delivery.behind(this.protocol.release(holderId, 0, MEMORY_MS), () => this.#wake());
  }

  readonly #leaseLost = (lease: Lease, reason: LeaseLostReason): void => {
    this.#letGo(lease);
    if (reason === 'unproven' || lease.stray) {
      // The server may still think it is held, for up to a whole lease.
      this.cancel(lease.identity.holderId);
    }
    this.#wake();
  };

  /** The lease ends here, released or lost: it is renewed no more, and the name is free. */
  #letGo(lease: Lease): void {
    this.runtime.letGo(lease);
    this.runtime.kinds.leave(this.protocol.key, true);
  }

  /** A release wakes the next local waiter without waiting for its own message. */
  #wake(): void {
    this.runtime.queues.get(this.protocol.lockId)?.hint();
  }

  /** The command that states how many holds are still alive, re-entries on their way included: if
   * one of those fails, it states the number again. With none the lease ends here. */
  #stateAlive(lease: Lease): Prepared<ReleaseResult> {
    const count = lease.alive;
    if (count === 0) {
      this.#letGo(lease);
      lease.end();
    }
    const burnMs = count === 0 && lease.stray ? MEMORY_MS : 0;
    return this.protocol.release(lease.identity.holderId, count, burnMs);
  }

  /** Settles with the loss that the server's answer comes to, if it comes to one. */
  async #tellRelease(
    lease: Lease,
    prepared: Prepared<ReleaseResult>,
  ): Promise<LeaseLostError | undefined> {
    const { delivery } = this.runtime;
    const { resource } = this.protocol;
    try {
      const { answer, call } = await delivery.tell(resource, prepared, 'release');
      // "Not yours" to a copy: an earlier one did it, if the lease covered the instant of sending.
      const ranBefore = call.strays > 0 && lease.covers(call.sentAt);
      if (answer === 'freed' || answer === 'kept' || ranBefore) {
        return undefined;
      }
      return this.#loss(lease.covers(this.runtime.clock.now()) ? answer : 'expired');
    } catch (error) {
      if (error instanceof WrongTypeError) {
        // Something else was written over the lock.
        return this.#loss('taken', error);
      }
      throw error;
    }
  }

  #loss(reason: LeaseLostReason, cause?: Error): LeaseLostError {
    const { resource } = this.protocol;
    const message = `the lease on "${resource}" was found lost at its release: ${reason}`;
    return new LeaseLostError(message, reason, { resource, cause });
  }
}
