import { LeaseLostError, type LeaseLostReason } from '../../errors.js';
import type { Clock } from '../base/clock.js';
import { LeaseDeadline, type DeadlineSetting, type Lengthening } from './lease-deadline.js';
import type { Acquiring, LeaseIdentity, LeaseState, Reports } from './lease-parts.js';
import { LOST_BECAUSE } from './lease-parts.js';
import { LeaseHolders } from './lease-holders.js';
import { LossTimer } from './loss-timer.js';

/** What the owner of a lease does about it. */
export interface LeaseHooks {
  /** Called once when it is lost, before `lost` of its holds. */
  lost(lease: Lease, reason: LeaseLostReason): void;
  /** Asks the server about it: its proof has ended, and is no loss yet. */
  ask(lease: Lease): void;
}

/**
 * The proof of one holder's ownership. All holds of a holder live on one lease, since the server
 * has one expiry for them.
 */
export class Lease extends LeaseHolders {
  readonly identity: LeaseIdentity;
  /** The number, among the calls of the client, of the call that has acquired it. */
  order = 0;
  /** When that call was first sent. */
  sentAt: number = Number.NEGATIVE_INFINITY;
  /** That call was written more than once, and may have run behind later ones. */
  isReordered = false;
  /** Its owner has asked for a longer one. */
  isExtended = false;
  /** When the newest command was sent that has proven it, after its grant. */
  provenAt: number = Number.NEGATIVE_INFINITY;
  /** A renewal is under way. */
  renewing = false;
  /** A copy of the acquisition may still run: the release must set a tombstone. */
  hasUnackedCopy = false;
  companion: Lease | undefined;
  main: Lease | undefined;
  readonly #clock: Clock;
  readonly #events: Reports;
  readonly #hooks: LeaseHooks;
  readonly #end: LeaseDeadline = new LeaseDeadline();
  /** It could not be confirmed lately. */
  isDoubted = false;
  /** Why it could not be proven since it was last. */
  #doubtedBy: Error | undefined;
  #error: LeaseLostError | undefined;
  #ended = false;
  /** A call that lengthens it was cut to its bound. */
  #wasCut = false;
  readonly #timer: LossTimer;

  constructor(identity: LeaseIdentity, clock: Clock, events: Reports, hooks: LeaseHooks) {
    super();
    this.identity = identity;
    this.#clock = clock;
    this.#events = events;
    this.#hooks = hooks;
    this.#timer = new LossTimer(clock, this.#end, () => this.error !== undefined || this.#ended);
  }

  get endsBy(): number {
    return this.#end.endsBy;
  }

  set endsBy(at: number) {
    const isTooShort = at > this.endsBy && this.#wasCut;
    const isNew = at !== this.endsBy && this.isGranted;
    this.#end.endsBy = at;
    if (isNew) {
      this.#rearm(Number.POSITIVE_INFINITY);
    }
    if (isTooShort && this.active) {
      this.#wasCut = false;
      this.#hooks.ask(this);
    }
  }

  /** It lasts as long as its bound allows. */
  get isAtBound(): boolean {
    return this.#end.isAtBound;
  }

  /** Milliseconds until its bound, rounded down; Infinity without one. */
  get boundMs(): number {
    return Math.floor(this.endsBy - this.#clock.now());
  }

  /** `leaseMs` from now on, cut to its bound. */
  cut(leaseMs: number): number {
    this.#wasCut ||= this.boundMs < leaseMs;
    return Math.max(1, Math.min(leaseMs, this.boundMs));
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
    return this.isProven ? Math.floor(this.#end.at - this.#clock.now()) : 0;
  }

  get state(): LeaseState {
    if (this.error !== undefined) {
      return 'lost';
    }
    return this.isDoubted || !this.isProven ? 'suspect' : 'held';
  }

  /** Why the lease was lost, if it was. Computed from the clock, since after a pause code of the
   * caller may run before our timers do. */
  get error(): LeaseLostError | undefined {
    if (this.#error === undefined && !this.#ended && this.#isOver()) {
      const { isCautious, isOfObject, isShortened, isAtBound } = this.#end;
      const isEnded = isOfObject || isShortened || isAtBound || this.boundMs <= 0;
      const isUnproven = isCautious || (this.#wantsRenewal && !isEnded);
      this.lose(isUnproven ? 'unproven' : 'expired', isUnproven ? this.#doubtedBy : undefined);
    }
    return this.#error;
  }

  /** True while ownership is proven. Where it is neither proven nor lost, an answer decides. */
  get isProven(): boolean {
    return this.error === undefined && this.covers(this.#clock.now());
  }

  /** Milliseconds until it is proven again, or else lost, or released; 0 when that was decided. */
  get openMs(): number {
    return this.error === undefined ? this.#end.leftMs(this.#clock.now()) : 0;
  }

  /** A command that may prove a lease of `leaseMs` was sent at `sentAt`: its answer decides. */
  open(sentAt: number, leaseMs: number): void {
    this.#end.open(sentAt, leaseMs);
  }

  /** That answer does not come any more. */
  close(): void {
    this.#end.close();
  }

  /** True when its proof has ended, and no answer can prove it again. */
  #isOver(): boolean {
    // A late copy of its acquisition may have been granted again: that the server has it proves nothing then.
    const verdict = this.#end.judge(this.#clock, !this.hasUnackedCopy);
    if (verdict === 'open' || verdict === 'stepped') {
      this.#suspected(undefined);
    }
    if (verdict === 'stepped') {
      this.#hooks.ask(this);
    }
    return verdict === 'over';
  }

  /** True until it is lost or released; after that the server's answers do not matter any more. */
  get active(): boolean {
    return this.#error === undefined && !this.#ended;
  }

  /** Granted by `call`: the deadline counts from before it was first sent. */
  start({ order, sentAt, lastSentAt }: Acquiring, leaseMs: number): void {
    this.order = order;
    this.sentAt = sentAt;
    this.isReordered = lastSentAt !== sentAt;
    this.#end.start(sentAt, leaseMs);
  }

  /** The server has confirmed a lease of `leaseMs` to a command sent at `sentAt`; 0 only confirms
   * ownership. No proof moves a deadline back, and one that has passed stays passed. */
  prove(sentAt: number, leaseMs: number): void {
    if (this.error === undefined) {
      this.#end.prove(sentAt, leaseMs);
      this.provenAt = Math.max(this.provenAt, sentAt);
      if (this.covers(this.#clock.now())) {
        this.isDoubted = false;
        this.#doubtedBy = undefined;
      }
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
    if (this.error === undefined && !this.#ended) {
      this.#suspected(cause);
    }
  }

  #suspected(cause: Error | undefined): void {
    this.#doubtedBy = cause ?? this.#doubtedBy;
    if (this.isDoubted) {
      return;
    }
    this.isDoubted = true;
    const { kind, resource, holderId } = this.identity;
    const { remainingMs } = this;
    this.#events.report('suspect', { resource, kind, holderId, remainingMs, cause });
  }

  /** Ownership is over without a release. */
  lose(reason: LeaseLostReason, cause?: Error): void {
    if (this.#error !== undefined || this.#ended) {
      return;
    }
    const { resource } = this.identity;
    const message = `the lease on "${resource}" was lost: ${LOST_BECAUSE[reason]}`;
    this.#error = new LeaseLostError(message, reason, { resource, cause });
    this.#timer.cancel();
    this.loseCompanion(reason, cause);
    this.#hooks.lost(this, reason);
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
    this.#timer.cancel();
  }

  /** Makes sure that the loss is reported at the deadline, if that comes within `horizonMs`. */
  arm(horizonMs: number): void {
    if (this.active) {
      this.#timer.arm(horizonMs);
    }
  }

  /** The end has moved: the loss is reported then. */
  #rearm(leaseMs: number): void {
    this.#timer.cancel();
    this.arm(leaseMs);
  }
}
