import type { Call, Command, PendingCall, Receiver, Undoing } from '../wire/call.js';
import { givenUp, NOBODY, releaseTerms, type ReleaseTerms } from './release-terms.js';
import { outside } from '../base/async-context.js';
import type { WaitSpan } from '../observe/slow-wait.js';
import type { Surroundings } from '../observe/wait-circle.js';
import { GrantLifecycle } from '../grant/grant-lifecycle.js';
import type { ReleaseResult } from '../grant/release.js';
import type { AsGranted } from './hold-face.js';
import { LockHold, type HoldOwner, type HoldTerms } from './hold.js';
import type { Lease } from '../lease/lease.js';
import { PassingQueue } from './passing-queue.js';
import { releaseOrPass, tellLost, type PassingOwner } from './passing.js';
import type { LockProtocol } from './lock-protocol.js';
import type { LockServices } from './lock-services.js';
import type { LeaseTerms } from '../base/arguments.js';
import type { Asks, Left } from './ticket.js';
import type { Position, Verdict, WaitQueue } from './wait-queue.js';
import type { Within } from './within.js';

/** Manages the holds of one lock from their grant to their end. Its callers get `G` of each. */
export class LockGrants<G = unknown>
  extends GrantLifecycle<LockHold>
  implements HoldOwner, Asks, PassingOwner
{
  readonly locks: LockServices;
  readonly protocol: LockProtocol;
  /** Makes of a hold what the caller gets. */
  readonly give: AsGranted<G>;

  constructor(locks: LockServices, protocol: LockProtocol, give: AsGranted<G>) {
    super(locks.services, protocol);
    this.locks = locks;
    this.protocol = protocol;
    this.give = give;
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
      const holderId = isFirst ? hold.holderId : this.services.client.newHolderId();
      lease.companion = this.createLease(holderId);
      lease.companion.main = lease;
      lease.companion.endsBy = lease.endsBy;
    }
    return lease.companion;
  }

  /** Creates a hold on `lease`; the caller adds it to the lease. */
  createHold(
    lease: Lease,
    { renewed, within }: LeaseTerms & { readonly within: Within },
    outer: LockHold | undefined,
    fencingToken: bigint | undefined,
  ): LockHold {
    const grantedAt = this.services.clock.now();
    const properties = { outer, byScope: within === undefined, renewed, grantedAt, fencingToken };
    return this.makeHold(lease, properties);
  }

  /** A lease was granted. */
  keep(lease: Lease, isWindow: boolean): void {
    this.services.keep(lease, this.protocol.renewal, isWindow ? 'window' : 'whole');
  }

  protected makeHold(lease: Lease, terms: HoldTerms): LockHold {
    return new LockHold(this, lease, terms);
  }

  /** Reports a wait for this lock that lasts long; returns a function that stops watching. */
  watchForStall(span: WaitSpan, surroundings?: Surroundings): () => void {
    const { services, protocol } = this;
    const { lockId: id, resource, kind } = protocol;
    const find = async () => (await services.delivery.read(resource, protocol.obstacles())).holders;
    const waited = { id, resource, kind, findHolders: find };
    return services.client.slowWaits.watch(waited, span, surroundings);
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

  emptied(queue?: WaitQueue): void {
    const { queues, others } = this.locks;
    const { lockId, key, canBeHandedOn } = this.protocol;
    if (queue === undefined || queues.get(lockId) === queue) {
      queues.delete(lockId);
      if (canBeHandedOn) {
        others.waitNoMore(key);
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

  /** This call freed the lock by force. */
  forced(call: PendingCall): void {
    const { services, protocol } = this;
    this.loseAll(call, (lease) => {
      this.#inBackground(
        this.protocol.release(lease.identity.holderId, releaseTerms('forced', lease)),
      );
    });
    if (protocol.canBeHandedOn) {
      // What this client was told of may have been granted before.
      services.watchdog.look(protocol.key, () => undefined);
      this.locks.queues.get(protocol.lockId)?.forced?.();
    }
    this.wake();
  }

  /** The server counts a re-entry that failed, or may still do so: states again how many holds are
   * alive. With none alive this releases the holder; only copies of `ask` may run after that, if given. */
  restate(lease: Lease, ask?: PendingCall): void {
    const { alive, most, identity } = lease;
    const terms = { ...givenUp(false, most), others: this.#servedIn(lease) };
    const { operands } = this.protocol.release(identity.holderId, terms);
    this.#inBackground(this.stateAlive(lease), ask && alive === 0 ? { ask, operands } : undefined);
  }

  /** Takes back the one hold that a ticket may have been granted, and its entry in a wait queue;
   * sets a tombstone if a copy of an ask may still run behind the release. */
  cancel({ holderId, hasUnackedCopy, ask, others, done }: Left): void {
    const { operands } = this.protocol.release(holderId, { ...givenUp(false), others });
    const terms = { ...givenUp(hasUnackedCopy), others };
    this.#inBackground(this.protocol.release(holderId, terms), ask && { ask, operands }, done);
  }

  protected override stateAlive(lease: Lease): Command<ReleaseResult> {
    return this.protocol.release(lease.identity.holderId, this.termsAlive(lease));
  }

  /** What a release of a hold states. Re-entries under way count as alive: one that fails states the number
   * again. With none alive the lease ends here. */
  protected termsAlive(lease: Lease): ReleaseTerms {
    const terms = releaseTerms('ended', lease);
    const others = this.#servedIn(lease);
    if (terms.count === 0) {
      this.letGo(lease);
      lease.end();
    }
    lease.peak = Math.max(1, terms.count);
    return others === NOBODY ? terms : { ...terms, others };
  }

  #servedIn(lease: Lease): readonly string[] {
    return this.#passingQueue?.servedIn?.(lease) ?? NOBODY;
  }

  override answered(result: ReleaseResult): void {
    if (result.is === 'opened') {
      this.locks.handOffs.serveLater(() => this.protocol.serveLine());
    }
  }

  override released(hold: LockHold): void {
    this.locks.strays.check(hold);
    hold.settled();
    hold.turn?.free();
  }

  protected override takeBack(lease: Lease): void {
    this.#inBackground(this.protocol.release(lease.identity.holderId, releaseTerms('lost', lease)));
  }

  protected override get mayBeInLine(): boolean {
    return this.protocol.keepsPosition;
  }

  /** The lease is renewed no more, and the name is free. */
  protected override letGo(lease: Lease): void {
    this.locks.handOffs.forget(lease.identity.holderId, lease.identity.key);
    const run = this.#passingQueue?.ended(lease);
    if (run !== undefined && !lease.active && lease.error !== undefined) {
      tellLost(run.takeUnproven(), lease.error, this);
    }
    this.services.letGo(lease);
    this.locks.others.over(lease, this.locks.queues.has(this.lockId));
    this.services.names.leave(this.protocol);
  }

  /** The entries of those to whom the lock was passed on here leave the queue: the adopter does not know them. */
  protected override leave(lease: Lease): void {
    const [first, ...others] = this.#servedIn(lease);
    super.leave(lease);
    const { holderId, key } = lease.identity;
    this.locks.handOffs.detached(holderId, key);
    if (first !== undefined) {
      this.cancel({ holderId: first, hasUnackedCopy: false, others });
    }
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

  /** Sends a release that no caller waits for. */
  #inBackground(command: Command<ReleaseResult>, undoes?: Undoing, done?: () => void): void {
    this.services.delivery.inBackground(command, {
      done: () => {
        done?.();
        this.wake();
      },
      answered: (result) => this.answered(result),
      undoes,
    });
  }
}
