import type { LeaseLostError } from '../errors.js';
import { outside } from '../core/base/async-context.js';
import type { Release } from '../core/grant/release.js';
import type { Lease } from '../core/lease/lease.js';
import { LockHold, type HoldTerms } from '../core/locks/hold.js';
import { LockGrants } from '../core/locks/lock-grants.js';
import type { LockServices } from '../core/locks/lock-services.js';
import { PassingQueue } from '../core/locks/passing-queue.js';
import type { ReleaseTerms } from '../core/locks/release-terms.js';
import type { ClientEvents, Holder } from '../core/observe/events.js';
import type { WaitSpan } from '../core/observe/slow-wait.js';
import type { Surroundings } from '../core/observe/wait-circle.js';
import { UnexpectedReplyError } from '../server-errors.js';
import type { HashLockProtocol } from '../lock/protocol.js';

/** A multi-lock as events and errors name it. */
export interface MultiLockName {
  /** The names joined, in their order. */
  readonly resource: string;
}

/** All that has a part: a multi-lock that is held, or an acquisition under way. */
export interface PartOwner {
  /** Why it was lost: no part of it is held then. */
  readonly loss: LeaseLostError | undefined;
  partLost(part: PartHold, error: LeaseLostError): void;
  /** Its release is known to have been carried out. */
  partReleased?(): void;
  partSuspected?(part: PartHold, remainingMs: number, cause: Error | undefined): void;
  /** It is renewed. */
  lasts?(): void;
  /** Another client waits for it. */
  partContended?(): void;
  /** Releases all parts. */
  release(): Promise<void>;
}

/** What a multi-lock holds, from its grant to its end. */
export interface HeldParts {
  readonly locks: LockServices;
  readonly resource: string;
  readonly parts: readonly { readonly grants: PartGrants; readonly hold: PartHold }[];
  readonly maxHoldMs: number | undefined;
}

/** Carries the releases of several parts. */
export interface PartReleases {
  add(grants: PartGrants, part: PartHold): Promise<void>;
}

/** What a multi-lock holds of one of its locks: an ordinary hold, which is released with the others. */
export class PartHold extends LockHold {
  /** Undefined while the acquisition that it is for has not heard of it. */
  ownedBy: PartOwner | undefined;
  /** While its release is being sent. */
  releases: PartReleases | undefined;

  override get loss(): LeaseLostError | undefined {
    return this.ownedBy?.loss ?? super.loss;
  }

  /** Lost with the whole, also where it was released since. */
  override get state(): 'held' | 'suspect' | 'lost' | 'released' {
    return this.ownedBy?.loss === undefined ? super.state : 'lost';
  }

  override assertNotOver(): void {
    const loss = this.ownedBy?.loss;
    if (loss !== undefined) {
      throw loss;
    }
    super.assertNotOver();
  }

  /** Only the whole is watched. */
  override lasts(): void {
    this.ownedBy?.lasts?.();
  }

  override contended(): void {
    this.ownedBy?.partContended?.();
  }

  /** Its scopes know of the loss of the whole until that is released. */
  protected override over(): void {
    if (this.ownedBy?.loss === undefined) {
      super.over();
    }
  }

  /** The owner of the whole knows that it is over. */
  forget(): void {
    super.over();
  }

  /** Releases it alone, by a call that carries others as well. */
  releaseWith(releases: PartReleases): Promise<void> {
    this.releases = releases;
    try {
      return super.release();
    } finally {
      this.releases = undefined;
    }
  }

  /** All parts or none: a client that closes releases each grant of its own. */
  override release(): Promise<void> {
    return this.ownedBy === undefined ? super.release() : this.ownedBy.release();
  }
}

function asPart(hold: LockHold): PartHold {
  if (!(hold instanceof PartHold)) {
    throw new UnexpectedReplyError(`"${hold.lockName}" is no part of a multi-lock`);
  }
  return hold;
}

/** Manages what multi-locks hold of one lock: as the holds of the lock by itself, but for its events, which
 * are those of the multi-lock. */
export class PartGrants extends LockGrants<PartHold> {
  declare readonly protocol: HashLockProtocol;
  readonly #ofName: MultiLockName;

  constructor(locks: LockServices, protocol: HashLockProtocol, ofName: MultiLockName) {
    super(locks, protocol, asPart);
    this.#ofName = ofName;
  }

  override createLease(holderId: string): Lease {
    const { kind, resource, key } = this.protocol;
    const identity = { kind, resource, key, holderId };
    const lease: Lease = this.services.createLease(identity, this.leaseLost, {
      report: (_, event) => this.#suspected(lease, event),
    });
    return lease;
  }

  #suspected(
    { holders }: Lease,
    { remainingMs, cause }: Parameters<ClientEvents['suspect']>[0],
  ): void {
    for (const holder of holders) {
      if (holder instanceof PartHold) {
        holder.ownedBy?.partSuspected?.(holder, remainingMs, cause);
      }
    }
  }

  protected override makeHold(lease: Lease, terms: HoldTerms): LockHold {
    return new PartHold(this, lease, terms);
  }

  override keep(lease: Lease): void {
    this.services.keep(lease, this.protocol.renewal, 'confirmed next');
  }

  /** Only the whole is announced. */
  override announce(): void {}

  override announceRelease(hold: LockHold): void {
    if (hold instanceof PartHold) {
      hold.ownedBy?.partReleased?.();
    } else {
      super.announceRelease(hold);
    }
  }

  /** Also for holds that were passed on before in a run: those are no parts. */
  override lost(hold: LockHold, error: LeaseLostError): void {
    if (hold instanceof PartHold) {
      hold.ownedBy?.partLost(hold, error);
    } else {
      super.lost(hold, error);
    }
  }

  override release(hold: LockHold): Promise<void> {
    return hold instanceof PartHold && hold.releases !== undefined
      ? hold.releases.add(this, hold)
      : super.release(hold);
  }

  /** A part is about to be released: returns what its release states. */
  releasingPart(part: PartHold): ReleaseTerms {
    const { lease } = part;
    lease.remove(part);
    return this.termsAlive(lease);
  }

  /** Asks for the next waiter of this client behind a release, in the order in which the server gets them: its ticket
   * stands behind those of others. */
  sentRelease(): void {
    const queue = this.locks.queues.get(this.lockId);
    if (queue instanceof PassingQueue) {
      outside(() => queue.wakeUp());
    }
  }

  /** Settles the release of a part by the call that carries it. */
  settlePart(release: Release<LockHold>, part: PartHold, sent: Promise<unknown>): Promise<void> {
    return this.settle(release, part, sent);
  }

  override watchForStall(span: WaitSpan, surroundings?: Surroundings): () => void {
    const { services, protocol } = this;
    const { resource } = this.#ofName;
    const waited = {
      id: ['multi-lock', resource, protocol.lockId].join(' '),
      resource,
      kind: 'multi-lock' as const,
      part: protocol.resource,
      findHolders: async (): Promise<readonly Holder[]> =>
        (await services.delivery.read(protocol.resource, protocol.obstacles())).holders,
    };
    return services.client.slowWaits.watch(waited, span, surroundings);
  }
}
