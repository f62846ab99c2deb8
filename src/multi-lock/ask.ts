import { translate } from '../core/delivery/translate.js';
import { failing } from '../core/base/failing.js';
import type { LeaseTerms } from '../core/base/arguments.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import type { LateGrants } from '../core/lease/late-grants.js';
import type { DeadlineSetting } from '../core/lease/lease-deadline.js';
import { RETRIED_LEASE_MIN_MS } from '../core/locks/acquisition.js';
import { endOthers } from '../core/locks/exclusion.js';
import type { Granted } from '../core/locks/expected-ticket.js';
import type { LockHold } from '../core/locks/hold.js';
import type { LockTerms } from '../core/locks/locking.js';
import type { LockServices } from '../core/locks/lock-services.js';
import type { EnteredTicket } from '../core/locks/wait-queue.js';
import type { Within } from '../core/locks/within.js';
import type { Ending } from '../core/waiting/wait-limit.js';
import type { Call, PendingCall, Receiver } from '../core/wire/call.js';
import type { Asking } from './asking.js';
import type { BusyPart } from './busy-part.js';
import { askOf, type AskAnswer, type AskedLock } from './commands.js';
import type { PartGrants, PartHold, PartOwner } from './part.js';
import { errorOf, takeBack } from './releases.js';

/** The locks of a multi-lock, in their order. */
export interface JointLock {
  readonly locks: LockServices;
  readonly asking: Asking;
  readonly resource: string;
  readonly parts: readonly PartGrants[];
}

/** What an acquisition of a multi-lock re-enters of one of its locks. */
export interface PartWithin {
  readonly within: Within;
  readonly outer: LockHold | undefined;
  /** The hold in whose scope it waits, where it does not re-enter through that. */
  readonly around: LockHold | undefined;
}

/** One lock of an acquisition. */
export interface Part extends PartWithin {
  readonly grants: PartGrants;
  /** Its name counts as used by this acquisition, and by nothing that it has. */
  isEntered: boolean;
  hold: PartHold | undefined;
  /** Its ticket, from the ask that has brought it until the wait for it begins. */
  entered: EnteredTicket | undefined;
}

/** An ask was answered: all its locks are held; this one is not free; or one was lost. */
export type Step = 'all' | 'again' | Part;

/** The acquisition that asks. */
export interface Asker extends PartOwner {
  readonly lock: JointLock;
  readonly terms: LockTerms;
  readonly late: LateGrants;
  readonly busy: BusyPart;
  readonly parts: readonly Part[];
}

/** A part is not passed on inside its client: it is the same to it who waits. */
const PART: Granted = { othersWait: () => {}, endWithThisHold: () => {} };

/** One ask for those of some locks that are not held. What is held of them is checked. */
export class JointAsk implements Receiver<AskAnswer> {
  readonly #asker: Asker;
  readonly #parts: readonly Part[];
  readonly #isLast: boolean;
  readonly #allHeld: () => void;
  readonly #services: EndpointServices;
  readonly #holder: string;
  readonly #settings: readonly DeadlineSetting[];
  /** For each lock, what is known of the messages about its line. */
  readonly #heard: readonly Pick<EnteredTicket, 'epoch' | 'wasListening'>[];
  #call: Call<AskAnswer> | undefined;
  #resolve: (step: Step | Promise<never>) => void = () => {};

  /** `isLast`: with these all locks are held; `allHeld` is called before anybody else can know of that. */
  constructor(asker: Asker, parts: readonly Part[], isLast: boolean, allHeld: () => void) {
    const { locks } = asker.lock;
    const { channels } = locks.handOffs;
    const { leaseMs } = asker.terms;
    this.#asker = asker;
    this.#parts = parts;
    this.#isLast = isLast;
    this.#allHeld = allHeld;
    this.#services = locks.services;
    this.#holder = locks.services.client.newHolderId();
    // What is held may get a shorter lease.
    this.#settings = parts.flatMap(({ hold }) =>
      this.#isExact && hold !== undefined ? [hold.lease.setting(leaseMs)] : [],
    );
    this.#heard = parts.map(({ grants: { protocol } }) => ({
      epoch: channels.epochOf(protocol.key),
      wasListening: channels.isListening(protocol.key),
    }));
  }

  /** All locks get the fixed lease of the caller. */
  get #isExact(): boolean {
    return this.#isLast && !this.#asker.terms.renewed;
  }

  send(): Promise<Step> {
    const { terms, lock } = this.#asker;
    const { client, delivery, router } = this.#services;
    const { leaseMs: partMs } = client.settings;
    const asked = this.#parts.map((part) => this.#askedLock(part));
    const command = askOf(router, asked, {
      holder: this.#holder,
      leaseMs: this.#isLast ? terms.leaseMs : partMs,
      partMs,
      isExact: this.#isExact,
      all: !terms.waits,
    });
    lock.locks.handOffs.expectLater(this.#holder);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#call = delivery.start(command, this);
      this.#asker.busy.contention.asked(this.#services.clock.now(), this.#call);
    });
  }

  answered(answer: AskAnswer, call: Call<AskAnswer>): void {
    this.#call = undefined;
    try {
      this.#resolve(this.#judge(answer, call));
    } catch (error) {
      this.#resolve(failing(error));
    }
  }

  failed(error: Error, call: PendingCall): void {
    this.#call = undefined;
    this.#asker.busy.contention.failed(error);
    this.#over(call.mayHaveBegun, undefined);
    this.#resolve(failing(translate(error, this.#asker.lock.resource)));
  }

  /** The time of its caller is up. */
  end(ending: Ending): void {
    const call = this.#call;
    this.#call = undefined;
    if (call !== undefined) {
      // Before it is abandoned: silence counts from when it was asked.
      const error = this.#asker.busy.errorOf(ending, call);
      const mayRun = this.#services.delivery.abandon(call);
      this.#over(mayRun || call.wasRefusedInside, mayRun ? call : undefined);
      this.#resolve(failing(error, ending));
    }
  }

  /** There is no answer: what a copy of it may take is taken back. */
  #over(mayRun: boolean, ask: PendingCall | undefined): void {
    this.#asker.lock.locks.handOffs.replay(this.#holder);
    if (!mayRun) {
      this.#settings.forEach((setting) => setting.cameToNothing());
    }
    this.#takeBack(mayRun, ask);
  }

  /** A ticket is wanted unless other waiters of this client have one. */
  #askedLock({ grants, hold }: Part): AskedLock {
    const { locks } = this.#asker.lock;
    const { lineKeys: keys, lockId } = grants.protocol;
    const isWanted = this.#asker.terms.waits && !locks.queues.has(lockId);
    const isHeard = this.#services.router.channels.isConfirmed(keys.channel);
    const ticket = isHeard ? 'heard' : 'unheard';
    return { keys, heldBy: hold?.holderId, ticket: isWanted ? ticket : 'none' };
  }

  #takeBack(mayRun: boolean, ask?: PendingCall): void {
    const grants = this.#parts.flatMap((part) =>
      part.hold === undefined && part.entered === undefined ? [part.grants] : [],
    );
    if (mayRun && grants.length > 0) {
      takeBack(this.#services, { grants, holderId: this.#holder, hasUnackedCopy: true, ask });
    }
  }

  #judge(answer: AskAnswer, call: Call<AskAnswer>): Step {
    const mayRun = call.unackedCopies > 0;
    if (answer.is !== 'held') {
      this.#settings.forEach((setting) => setting.cameToNothing());
      this.#asker.lock.locks.handOffs.replay(this.#holder);
      this.#takeBack(mayRun || answer.is === 'cancelled');
      return this.#refused(answer);
    }
    const parts = this.#parts;
    const isAll = answer.upTo === parts.length;
    this.#settings.forEach((setting) => {
      if (isAll) {
        setting.carriedOut(call.sentAt);
      } else {
        setting.cameToNothing();
      }
    });
    const { leaseMs: partMs } = this.#services.client.settings;
    const leaseMs = isAll && this.#isLast ? this.#asker.terms.leaseMs : partMs;
    const renewed = !(isAll && this.#isExact);
    // The bound counts from the last lock.
    const maxHoldMs = isAll && this.#isLast ? this.#asker.terms.maxHoldMs : undefined;
    const now = this.#services.clock.now();
    const late = parts.slice(0, answer.upTo).filter((part, i) => {
      if (part.hold === undefined) {
        const fencingToken = answer.tokens[i];
        return !this.#take(part, call, { leaseMs, renewed, maxHoldMs, fencingToken });
      }
      if (renewed) {
        part.hold.lease.prove(call.sentAt, leaseMs);
      }
      const isOver = call.sentAt + (maxHoldMs ?? Infinity) <= now || !part.hold.lease.covers(now);
      return isOver && leaseMs >= RETRIED_LEASE_MIN_MS;
    });
    const busy = parts[answer.busyAt];
    this.#keepTicket(busy, answer, call);
    this.#takeBack(mayRun);
    if (late.length > 0) {
      this.#cameTooLate(late, call, leaseMs);
      return 'again';
    }
    if (this.#asker.loss !== undefined) {
      return 'again';
    }
    if (busy === undefined) {
      this.#allHeld();
    }
    return busy ?? 'all';
  }

  #refused(answer: Exclude<AskAnswer, { is: 'held' }>): Step {
    const part = answer.is === 'cancelled' ? undefined : this.#parts[answer.at];
    if (answer.is === 'foreign' && part !== undefined) {
      throw errorOf({ grants: part.grants, holderId: this.#holder }, answer.message);
    }
    part?.hold?.lease.lose('deleted');
    return 'again';
  }

  #keepTicket(
    busy: Part | undefined,
    { entered, busyAt }: AskAnswer & { is: 'held' },
    call: PendingCall,
  ): void {
    const heard = this.#heard[busyAt];
    if (busy !== undefined && heard !== undefined && entered !== undefined) {
      busy.entered = { holderId: this.#holder, answer: entered, call, ...heard };
    } else {
      this.#asker.lock.locks.handOffs.replay(this.#holder);
    }
  }

  /** The server has granted one more lock; false when that is over by now. */
  #take(
    part: Part,
    call: Call<AskAnswer>,
    terms: LeaseTerms & { readonly fencingToken: bigint | undefined },
  ): boolean {
    const { leaseMs, maxHoldMs, fencingToken } = terms;
    const { grants, within } = part;
    const lease = grants.createLease(this.#holder);
    lease.hasUnackedCopy = call.unackedCopies > 0;
    lease.start(call, leaseMs);
    if (!lease.covers(this.#services.clock.now()) && leaseMs >= RETRIED_LEASE_MIN_MS) {
      return false;
    }
    endOthers(grants);
    const made = grants.createHold(lease, { ...terms, within }, undefined, fencingToken);
    const hold = grants.give(made, this.#asker.terms.waitLimit.origin);
    part.hold = hold;
    // The name is left with the lease.
    part.isEntered = false;
    hold.ownedBy = this.#asker;
    lease.holders = [hold];
    lease.bind(hold, maxHoldMs, lease.sentAt);
    this.#services.keep(lease, grants.protocol.renewal);
    if (call.sentAt !== call.lastSentAt) {
      // A copy of the call may have waited for it: the message that granted it comes late.
      this.#asker.lock.locks.handOffs.granted(this.#holder, lease.identity.key, PART);
    }
    return true;
  }

  #cameTooLate(late: readonly Part[], call: PendingCall, leaseMs: number): void {
    // What was held before is given back with all the others.
    const grants = late.flatMap((part) => (part.hold === undefined ? [part.grants] : []));
    const hasUnackedCopy = call.unackedCopies > 0;
    if (grants.length > 0) {
      takeBack(this.#services, { grants, holderId: this.#holder, hasUnackedCopy, ask: undefined });
    }
    const { resource } = this.#asker.lock;
    const roundTripMs = this.#services.clock.now() - call.lastSentAt;
    const error = this.#asker.late.add({ resource, leaseMs, roundTripMs });
    if (error !== undefined) {
      throw error;
    }
  }
}
