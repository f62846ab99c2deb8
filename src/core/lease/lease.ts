import { LeaseLostError, type LeaseLostReason } from '../../errors.js';
import type { Clock, Timer } from '../base/clock.js';
import type { Limit } from '../base/deadline-queue.js';
import type { Events, ObjectKind } from '../observe/events.js';
import { LeaseDeadline, type DeadlineSetting, type Lengthening } from './lease-deadline.js';

/** The state of a lease; see `Hold.state`. */
export type LeaseState = 'held' | 'suspect' | 'lost';

/** The object and the holder of a lease. */
export interface LeaseIdentity {
  readonly kind: ObjectKind;
  /** Name of the object. */
  readonly resource: string;
  /** Key of the object. */
  readonly key: string;
  readonly holderId: string;
}

/** The facts that a lease keeps about the call that has acquired it. */
export interface Acquiring {
  readonly order: number;
  readonly sentAt: number;
  readonly lastSentAt: number;
}

/** A hold that lives on a lease. */
export interface LeaseHolder {
  /** Renewed by the watchdog as long as it is alive. */
  readonly renewed: boolean;
  /** The lease has ended under it. */
  lost(error: LeaseLostError): void;
}

/** Called once when a lease is lost, before `lost` of its holds. */
export type LostHook = (lease: Lease, reason: LeaseLostReason) => void;

/** The reasons of a loss, as messages state them. */
const LOST_BECAUSE: Record<LeaseLostReason, string> = {
  expired: 'its lease ran out',
  unproven: 'it could not be renewed in time',
  taken: 'somebody else has it now',
  deleted: 'it was freed by force, flushed or evicted',
};

/**
 * The proof of one holder's ownership. All holds of a holder live on one lease, since the server
 * has one expiry for them.
 */
export class Lease {
  readonly identity: LeaseIdentity;
  /** Its holds, and the re-entries under way: the server may count those already. */
  holders: LeaseHolder[] = [];
  /** The number, among the calls of the client, of the call that has acquired it. */
  order = 0;
  /** When that call was first sent. */
  sentAt: number = Number.NEGATIVE_INFINITY;
  /** That call was written more than once, and may have run behind later ones. */
  isReordered = false;
  /** Renews a lease that was granted for a part of its time only. */
  confirmation: Limit | undefined;
  /** Its owner has asked for a longer one. */
  isExtended = false;
  /** When the newest command was sent that has proven it, after its grant. */
  provenAt: number = Number.NEGATIVE_INFINITY;
  /** A renewal is under way. */
  renewing = false;
  /** A copy of the acquisition may still run: the release must set a tombstone. */
  hasUnackedCopy = false;
  /** The largest number of holds that the server may know of, late copies left aside. */
  peak = 1;
  /** The largest number of holds that was ever stated to the server. */
  most = 1;
  /** The lease of its holder on the other side of the lock: that of a writer's read holds. */
  companion: Lease | undefined;
  /** For a companion: the holder id of the write hold beside it. */
  beside: string | undefined;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #lostHook: LostHook;
  readonly #end: LeaseDeadline = new LeaseDeadline();
  #suspect = false;
  /** Why it could not be proven since it was last. */
  #doubtedBy: Error | undefined;
  #error: LeaseLostError | undefined;
  #ended = false;
  #timer: Timer | undefined;

  constructor(identity: LeaseIdentity, clock: Clock, events: Events, lostHook: LostHook) {
    this.identity = identity;
    this.#clock = clock;
    this.#events = events;
    this.#lostHook = lostHook;
  }

  /** The number of holds that the server has to count for this holder. */
  get alive(): number {
    return this.holders.length;
  }

  /** Adds a hold, or a re-entry under way. */
  add(holder: LeaseHolder): void {
    this.holders.push(holder);
    this.peak = Math.max(this.peak, this.alive);
    this.most = Math.max(this.most, this.alive);
  }

  /** Removes a hold; the others keep the lease. */
  remove(holder: LeaseHolder): void {
    const at = this.holders.indexOf(holder);
    if (at >= 0) {
      this.holders.splice(at, 1);
    }
  }

  /** True once it was granted. */
  get isGranted(): boolean {
    return this.#end.isGranted;
  }

  /** True when ownership was proven for the instant `at`. */
  covers(at: number): boolean {
    return at < this.#end.at;
  }

  /** True while some hold wants renewal, and no caller sets or has set the end. */
  get renewed(): boolean {
    return !this.#end.isBeingSet && this.#wantsRenewal;
  }

  get #wantsRenewal(): boolean {
    return !this.#end.isSet && this.holders.some((holder) => holder.renewed);
  }

  /** True when the server may keep it for longer than is proven here. */
  get mayOutlast(): boolean {
    return this.#end.mayBeLater;
  }

  /** Milliseconds for which ownership is proven; 0 once it is not. */
  get remainingMs(): number {
    const leftMs = this.error === undefined ? this.#end.at - this.#clock.now() : 0;
    return leftMs > 0 ? Math.floor(leftMs) : 0;
  }

  get state(): LeaseState {
    if (this.error !== undefined) {
      return 'lost';
    }
    return this.#suspect ? 'suspect' : 'held';
  }

  /** Why the lease was lost, if it was. Computed from the clock, since after a pause code of the
   * caller may run before our timers do. */
  get error(): LeaseLostError | undefined {
    if (this.#error === undefined && !this.#ended && this.#clock.now() >= this.#end.at) {
      const { isCautious, isOfObject, isShortened } = this.#end;
      const isUnproven = isCautious || (this.#wantsRenewal && !isOfObject && !isShortened);
      this.lose(isUnproven ? 'unproven' : 'expired', isUnproven ? this.#doubtedBy : undefined);
    }
    return this.#error;
  }

  /** True until it is lost or released; after that the server's answers do not matter any more. */
  get active(): boolean {
    return this.#error === undefined && !this.#ended;
  }

  /** Granted by `call`: the deadline counts from before it was first sent. */
  start(call: Acquiring, leaseMs: number): void {
    this.acquiredBy(call);
    this.#end.start(call.sentAt, leaseMs);
  }

  /** Keeps the facts about the call that has acquired it. */
  acquiredBy({ order, sentAt, lastSentAt }: Acquiring): void {
    this.order = order;
    this.sentAt = sentAt;
    this.isReordered = lastSentAt !== sentAt;
  }

  /** The server has confirmed a lease of `leaseMs` to a command sent at `sentAt`; 0 only confirms
   * ownership. No proof moves a deadline back, and one that has passed stays passed. */
  prove(sentAt: number, leaseMs: number): void {
    if (this.error === undefined) {
      this.#end.prove(sentAt, leaseMs);
      this.provenAt = Math.max(this.provenAt, sentAt);
      this.#suspect = false;
      this.#doubtedBy = undefined;
    }
  }

  /** A call that may lengthen the lease is about to be made. Until it is settled, the server may
   * keep the lease after it has expired here. */
  lengthening(): Lengthening {
    return this.#end.lengthening();
  }

  /** The object has `lifeMs` to live, as answered to a command sent at `sentAt`; < 0: no limit. */
  limit(sentAt: number, lifeMs: number): void {
    const before = this.#end.at;
    this.#end.limit(sentAt, lifeMs);
    if (this.#end.at < before) {
      this.#rearm(lifeMs);
    }
  }

  /** Another client has set an earlier end: `leftMs`, as answered to a command sent at `sentAt`. */
  shorten(sentAt: number, leftMs: number): void {
    this.#end.shorten(sentAt, leftMs);
    this.#rearm(leftMs);
  }

  /** A call that sets the end, perhaps to an earlier one, is about to be made. Until it is settled,
   * ownership is proven only until the earlier of the two ends. */
  setting(leaseMs: number): DeadlineSetting {
    const setting = this.#end.setting(this.#clock.now(), leaseMs);
    const settle = (act: () => void): void => {
      if (this.error === undefined) {
        act();
        this.#rearm(leaseMs);
      }
    };
    this.#rearm(leaseMs);
    return {
      carriedOut: (sentAt) => settle(() => setting.carriedOut(sentAt)),
      cameToNothing: () => settle(() => setting.cameToNothing()),
    };
  }

  /** Ownership cannot be confirmed just now. */
  doubt(cause: Error | undefined): void {
    if (this.error !== undefined || this.#ended) {
      return;
    }
    this.#doubtedBy = cause ?? this.#doubtedBy;
    if (this.#suspect) {
      return;
    }
    this.#suspect = true;
    const { kind, resource, holderId } = this.identity;
    this.#events.emit('suspect', {
      resource,
      kind,
      holderId,
      remainingMs: this.remainingMs,
      cause,
    });
  }

  /** Ownership is over without a release. */
  lose(reason: LeaseLostReason, cause?: Error): void {
    if (this.#error !== undefined || this.#ended) {
      return;
    }
    const { resource } = this.identity;
    const message = `the lease on "${resource}" was lost: ${LOST_BECAUSE[reason]}`;
    this.#error = new LeaseLostError(message, reason, { resource, cause });
    this.#timer?.cancel();
    this.loseCompanion(reason, cause);
    this.#lostHook(this, reason);
    for (const holder of this.holders.slice()) {
      holder.lost(this.#error);
    }
  }

  /** If another client has acquired or removed the lock, both sides of it are lost. */
  loseCompanion(reason: LeaseLostReason, cause?: Error): void {
    if (reason === 'taken' || reason === 'deleted') {
      this.companion?.lose(reason, cause);
    }
  }

  /** The owner has released it: it cannot be lost any more. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  /** Makes sure that the loss is reported at the deadline, if that comes within `horizonMs`. */
  arm(horizonMs: number): void {
    const leftMs = this.#end.at - this.#clock.now();
    if (this.#timer === undefined && this.active && leftMs < horizonMs) {
      this.#timer = this.#clock.after(leftMs, () => {
        this.#timer = undefined;
        if (this.error === undefined) {
          this.arm(horizonMs);
        }
      });
    }
  }

  /** The end has moved: the loss is reported then. */
  #rearm(leaseMs: number): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.arm(leaseMs);
  }
}
