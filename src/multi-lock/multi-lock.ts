import { least } from '../core/base/least.js';
import { ObjectProtocol } from '../core/object-protocol.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { anyHold } from '../core/locks/hold-face.js';
import type { LockHold } from '../core/locks/hold.js';
import { LockFace, type Lock } from '../core/locks/lock-face.js';
import { Locking, type LockAcquireOptions } from '../core/locks/locking.js';
import type { LockServices } from '../core/locks/lock-services.js';
import { notOf, PartedHold, withinOf, type Within } from '../core/locks/within.js';
import type { Holder } from '../core/observe/events.js';
import { asError } from '../core/wire/replies.js';
import type { HashLockProtocol } from '../lock/protocol.js';
import { acquireAll } from './acquisition.js';
import type { JointLock, PartWithin } from './ask.js';
import type { Asking } from './asking.js';
import type { MultiHold, MultiHoldFace } from './multi-hold.js';
import { forcedError } from './joint-errors.js';
import { PartGrants } from './part.js';

/**
 * Several locks that are held together: all or none. Each is an ordinary lock, or a fenced one, of its own name.
 *
 * Free names that one script can reach (all of them outside a cluster; those of one slot in it) are taken by one
 * command and freed by one. Where a name is busy, it waits for that one as any waiter does, and holds all names
 * before it in the order of `names`, and none behind it; what it holds is renewed while it waits. Since all clients
 * take names in one order, no two multi-locks wait for each other in a circle. Holding single locks around them in
 * another order can make a deadlock: that is up to the caller.
 *
 * @example
 * ```ts
 * const transfer: MultiLock = client.getMultiLock(['account:1', 'account:2']);
 * await transfer.using(async (hold) => {
 *   await work(hold.signal); // aborts when either is lost
 * });
 * ```
 */
export interface MultiLock extends Lock {
  /** The names in the order in which they are taken: by hash slot, then by bytes. */
  readonly names: readonly string[];
  /** The names joined by `, `. */
  readonly name: string;
  /**
   * Waits until all names are held: see `Lock.acquire`. A fixed `leaseMs` counts from when the last name was there.
   *
   * Failure: nothing is left behind by a timeout, an abort, a lost answer or a close, at the latest when its lease
   * would have ended. Where a name that it has is lost while it waits, it starts again within the same `waitMs`.
   * @throws the errors of `Lock.acquire`; those of a wait name the lock that was waited for.
   */
  acquire(options?: LockAcquireOptions): Promise<MultiHold>;
  /** Like `acquire`, but resolves with null on contention. Without `waitMs` it takes all names that one script can
   * reach, or none. */
  tryAcquire(options?: LockAcquireOptions): Promise<MultiHold | null>;
  /** Like `Lock.using`. */
  using<T>(
    options: LockAcquireOptions | undefined,
    task: (hold: MultiHold) => T | Promise<T>,
  ): Promise<T>;
  /** Like `Lock.using`. */
  using<T>(task: (hold: MultiHold) => T | Promise<T>, options?: LockAcquireOptions): Promise<T>;
  /** True when any of the names is held: an acquisition would wait. */
  isLocked(): Promise<boolean>;
  /** The holders of all names. */
  holders(): Promise<Holder[]>;
  /** The least hold count of the current async scope, over all names. */
  holdCount(): Promise<number>;
  /** The shortest lease of a name that is held; null when all are free. */
  remainingLeaseMs(): Promise<number | null>;
  /** Frees all names, whoever holds them; true if any was held. Each is freed by a call of its own. */
  forceRelease(): Promise<boolean>;
}

/** A multi-lock as errors, events and the calls of its client name it. */
class JointProtocol extends ObjectProtocol<EndpointServices> {
  readonly kind = 'multi-lock' as const;
  readonly family = 'multi-lock';
}

/** The public object of several locks. */
export class MultiLockFace extends Locking<MultiHoldFace, JointProtocol> implements MultiLock {
  readonly #names: readonly string[];
  readonly #lock: JointLock;
  #singles: readonly LockFace[] | undefined;

  constructor(locks: LockServices, asking: Asking, protocols: readonly HashLockProtocol[]) {
    const names = protocols.map(({ resource }) => resource);
    const resource = names.join(', ');
    super(locks.services, new JointProtocol(locks.services, resource, protocols[0]?.key ?? '', ''));
    this.#names = names;
    const parts = protocols.map((protocol) => new PartGrants(locks, protocol, { resource }));
    this.#lock = { locks, asking, resource, parts };
  }

  protected override get label(): string {
    return 'Lock';
  }

  get names(): readonly string[] {
    return this.#names;
  }

  async isLocked(): Promise<boolean> {
    const locked = await Promise.all(this.#each.map((lock) => lock.isLocked()));
    return locked.includes(true);
  }

  async holders(): Promise<Holder[]> {
    const holders = await Promise.all(this.#each.map((lock) => lock.holders()));
    return holders.flat();
  }

  async holdCount(): Promise<number> {
    return least(await Promise.all(this.#each.map((lock) => lock.holdCount())));
  }

  async remainingLeaseMs(): Promise<number | null> {
    const leases = await Promise.all(this.#each.map((lock) => lock.remainingLeaseMs()));
    const held = leases.filter((leaseMs) => leaseMs !== null);
    return held.length === 0 ? null : least(held);
  }

  async forceRelease(): Promise<boolean> {
    const forced = await Promise.allSettled(this.#each.map((lock) => lock.forceRelease()));
    // All are tried, whatever becomes of one.
    const errors = forced.flatMap((one) =>
      one.status === 'rejected' ? [asError(one.reason)] : [],
    );
    if (errors.length > 0) {
      throw forcedError(this.name, errors, forced.length);
    }
    return forced.some((outcome) => outcome.status === 'fulfilled' && outcome.value);
  }

  protected override begin(given: unknown, waiting: boolean): Promise<MultiHoldFace> {
    return this.checked(
      given,
      waiting,
      (options) => this.#checkWithin(options),
      (terms, within) => acquireAll(this.#lock, terms, (part) => this.#withinOf(part, within)),
    );
  }

  /** Its names as single locks, which answer its questions. */
  get #each(): readonly LockFace[] {
    const { locks, parts } = this.#lock;
    this.#singles ??= parts.map(({ protocol }) => new LockFace(locks, protocol, anyHold));
    return this.#singles;
  }

  #checkWithin(options: object): LockHold | PartedHold | null | undefined {
    const within = withinOf(options);
    if (within === undefined || within === null) {
      return within;
    }
    if (this.#lock.parts.every(({ lockId }) => partOf(within, lockId) === undefined)) {
      throw notOf(`one of the names of "${this.name}"`, this.name, within);
    }
    within.assertNotOver();
    return within;
  }

  /** What is re-entered of one name: through the hold that was given, where it has that name; else by scope. */
  #withinOf({ lockId }: PartGrants, given: ReturnType<typeof withinOf>): PartWithin {
    const { scopes } = this.#lock.locks;
    const isExplicit = this.services.client.settings.reentry === 'explicit';
    const named: Within = given instanceof Object ? partOf(given, lockId) : given;
    named?.assertNotOver();
    const within = named === undefined && isExplicit ? null : named;
    const scoped = scopes.enclosing(lockId);
    return within === null
      ? { within, outer: undefined, around: scoped }
      : { within, outer: within ?? scoped, around: undefined };
  }
}

function partOf(hold: LockHold | PartedHold, lockId: string): LockHold | undefined {
  if (hold instanceof PartedHold) {
    return hold.partOf(lockId);
  }
  return hold.lockId === lockId ? hold : undefined;
}
