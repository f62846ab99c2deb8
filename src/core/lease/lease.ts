import { LeaseLostError, type LeaseLostReason } from '../../errors.js';
import type { Clock, Timer } from '../base/clock.js';
import type { Events } from '../observe/events.js';
import { LeaseDeadline, type DeadlineSetting, type Lengthening } from './lease-deadline.js';
import type { RenewalAnswer, RenewalItem } from './renewal.js';

/** Where a lease stands; see `Hold.state`. */
export type LeaseState = 'held' | 'suspect' | 'lost';

/** Whose lease it is. */
export interface LeaseIdentity {
  readonly kind: string;
  /** Name of the object. */
  readonly resource: string;
  /** Key of the object. */
  readonly key: string;
  readonly holderId: string;
}

/** What a lease keeps of the call that has acquired it. */
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

/** Called once when a lease is lost, before its holds are told. */
export type LostHook = (lease: Lease, reason: LeaseLostReason) => void;

/** What a lease tells about itself, for messages. */
const LOST_BECAUSE: Record<LeaseLostReason, string> = {
  expired: 'its lease ran out',
  unproven: 'it could not be renewed in time',
  taken: 'somebody else has it now',
  deleted: 'it was freed by force, flushed or evicted',
};

/**
 * What can be proven about one holder's ownership. All holds of a holder live on one lease, since
 * the server knows one expiry for them.
 */
export class Lease {
  readonly identity: LeaseIdentity;
  /** Its holds, and re-entries on their way: the server may count those already. */
  holders: LeaseHolder[] = [];
  /** Which call of its client has acquired it. */
  order = 0;
  /** That call was written more than once, and may have run behind later ones. */
  isReordered = false;
  /** A renewal is under way. */
  renewing = false;
  /** A copy of the acquisition may still run: releasing must burn the holder id. */
  hasUnackedCopy = false;
  /** The largest number of holds that the server may know of, but for late copies. */
  peak = 1;
  /** The largest number of holds that was ever stated. */
  most = 1;
  /** What its holder has on the other side of the lock: the read holds of a writer. */
  companion: Lease | undefined;
  /** Under whose hold it is: set for a companion. */
  beside: string | undefined;
  readonly #clock: Clock;
  readonly #events: Events;
  readonly #lostHook: LostHook;
  readonly #end: LeaseDeadline = new LeaseDeadline();
  #suspect = false;
  #error: LeaseLostError | undefined;
  #ended = false;
  #timer: Timer | undefined;

  constructor(identity: LeaseIdentity, clock: Clock, events: Events, lostHook: LostHook) {
    this.identity = identity;
    this.#clock = clock;
    this.#events = events;
    this.#lostHook = lostHook;
  }

  /** What the server has to count for this holder. */
  get alive(): number {
    return this.holders.length;
  }

  /** Puts a hold on, or a re-entry on its way. */
  add(holder: LeaseHolder): void {
    this.holders.push(holder);
    this.peak = Math.max(this.peak, this.alive);
    this.most = Math.max(this.most, this.alive);
  }

  /** Takes a hold off; the others keep the lease. */
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

  /** True while some hold wants renewal, and nobody sets the end by himself. */
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

  /** Why the lease was lost, if it was. Computed from the clock: after a pause, code runs before
   * our timers do. */
  get error(): LeaseLostError | undefined {
    if (this.#error === undefined && !this.#ended && this.#clock.now() >= this.#end.at) {
      const { isCautious, isOfObject } = this.#end;
      const isUnproven = isCautious || (this.#wantsRenewal && !isOfObject);
      this.lose(isUnproven ? 'unproven' : 'expired');
    }
    return this.#error;
  }

  /** True until it is lost or released: only then the server's word about it still counts. */
  get active(): boolean {
    return this.#error === undefined && !this.#ended;
  }

  /** Granted by `call`: the deadline counts from before it was first sent. */
  start(call: Acquiring, leaseMs: number): void {
    this.acquiredBy(call);
    this.#end.start(call.sentAt, leaseMs);
  }

  /** The call that has acquired it. */
  acquiredBy({ order, sentAt, lastSentAt }: Acquiring): void {
    this.order = order;
    this.isReordered = lastSentAt !== sentAt;
  }

  /** The server has confirmed a lease of `leaseMs` to a command sent at `sentAt`; 0 only confirms
   * ownership. A deadline never moves back, and one that has passed stays passed. */
  prove(sentAt: number, leaseMs: number): void {
    if (this.error === undefined) {
      this.#end.prove(sentAt, leaseMs);
      this.#suspect = false;
    }
  }

  /** What a renewal asks for: `leaseMs` more, or with 0 whether it is still held. */
  claim(leaseMs: number): RenewalItem {
    const { key, holderId } = this.identity;
    return { key, holderId, leaseMs, count: this.alive };
  }

  /** What the server says of it, to a claim of `leaseMs` sent at `sentAt`. */
  judge(answer: RenewalAnswer, sentAt: number, leaseMs: number): void {
    if (answer.is === 'held') {
      this.limit(sentAt, answer.lifeMs);
      this.prove(sentAt, leaseMs);
    } else {
      this.lose(answer.is);
    }
  }

  /** A call that may make it longer is about to be made. Until it is settled, the server may keep
   * what is lost here to the clock. */
  lengthening(): Lengthening {
    return this.#end.lengthening();
  }

  /** The object has `lifeMs` to live, as told to a command sent at `sentAt`; < 0: no limit. */
  limit(sentAt: number, lifeMs: number): void {
    const before = this.#end.at;
    this.#end.limit(sentAt, lifeMs);
    if (this.#end.at < before) {
      this.#rearm(lifeMs);
    }
  }

  /** A call that sets the end, perhaps to an earlier one, is about to be made: until it is settled
   * no more is proven than what both ends cover. */
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
    if (this.error !== undefined || this.#suspect || this.#ended) {
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

  /** Ownership is over, though nobody released it. */
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

  /** A client that took or removed the lock took or removed both sides of it. */
  loseCompanion(reason: LeaseLostReason, cause?: Error): void {
    if (reason === 'taken' || reason === 'deleted') {
      this.companion?.lose(reason, cause);
    }
  }

  /** Released by its owner: nothing can be lost any more. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  /** Makes sure that the loss is told at the deadline, if that comes within `horizonMs`. */
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

  /** The end has moved: the loss is told there. */
  #rearm(leaseMs: number): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.arm(leaseMs);
  }
}
