import type { LeaseLostError } from '../errors.js';
import { batchesOf } from '../core/base/batches.js';
import { failing } from '../core/base/failing.js';
import type { EndpointServices } from '../core/endpoint-services.js';
import { LateGrants } from '../core/lease/late-grants.js';
import type { LockTerms } from '../core/locks/locking.js';
import type { Ending } from '../core/waiting/wait-limit.js';
import {
  JointAsk,
  type Asker,
  type JointLock,
  type Part,
  type PartWithin,
  type Step,
} from './ask.js';
import { BusyPart } from './busy-part.js';
import { JointHold } from './hold.js';
import { MultiHoldFace } from './multi-hold.js';
import { asWhole } from './joint-errors.js';
import type { PartGrants, PartHold } from './part.js';
import { assertRoom } from './room.js';
import { enterNames } from './entering.js';
import { giveBack } from './giving-back.js';
import { PartWait, reenter } from './part-wait.js';
import { ReplicatedParts } from './replicated.js';

/** Acquires all locks of a multi-lock. Where a lock that it had is lost meanwhile, it starts again. */
export async function acquireAll(
  lock: JointLock,
  terms: LockTerms,
  withinOf: (part: PartGrants) => PartWithin,
): Promise<MultiHoldFace> {
  const late = new LateGrants();
  try {
    assertRoom(lock, terms, withinOf);
    for (;;) {
      const hold = await new Pass(lock, terms, withinOf, late).run();
      if (hold !== undefined) {
        return new MultiHoldFace(hold, terms.waitLimit.origin);
      }
    }
  } catch (error) {
    return await failing(asWhole(lock.resource, error), terms.waitLimit.ending);
  } finally {
    terms.waitLimit.dispose();
  }
}

/**
 * One way through the locks in their order, until all are held or one that was is lost. It holds a gapless
 * beginning of the order, and waits for the next lock as any waiter does; so no two wait for each other in a
 * circle. What it holds while it waits is renewed.
 */
class Pass implements Asker {
  readonly lock: JointLock;
  readonly terms: LockTerms;
  readonly late: LateGrants;
  readonly #services: EndpointServices;
  readonly parts: readonly Part[];
  /** A part was lost. */
  #lost: LeaseLostError | undefined;
  /** The wait for one lock. */
  #wait: PartWait | undefined;
  readonly #asks = new Set<JointAsk>();
  readonly busy: BusyPart;
  #replicas: ReplicatedParts | undefined;
  #result: JointHold | undefined;

  constructor(
    lock: JointLock,
    terms: LockTerms,
    withinOf: (part: PartGrants) => PartWithin,
    late: LateGrants,
  ) {
    this.lock = lock;
    this.#services = lock.locks.services;
    this.terms = terms;
    this.late = late;
    const whole = { resource: lock.resource, key: lock.parts[0]?.protocol.key ?? '' };
    this.busy = new BusyPart(this.#services, whole, terms.waitLimit);
    this.parts = lock.parts.map((grants) => {
      const nothing = { isEntered: false, hold: undefined, entered: undefined };
      return { grants, ...withinOf(grants), ...nothing };
    });
  }

  /** Resolves with undefined when it has to start again. */
  async run(): Promise<JointHold | undefined> {
    try {
      enterNames(this.#services, this.parts);
      const isTaken = await this.#takeAll();
      if (isTaken && this.terms.replicas !== undefined) {
        this.#assertNotEnded();
        this.#replicas = new ReplicatedParts(this, this.parts);
        await this.#replicas.wait(this.terms.replicas);
      }
      const hold = this.#result ?? (isTaken ? this.#held() : undefined);
      if (hold !== undefined) {
        this.#replicas?.report();
        return hold;
      }
    } catch (error) {
      void this.release();
      throw error;
    }
    void this.release();
    return undefined;
  }

  get loss(): LeaseLostError | undefined {
    return this.#lost;
  }

  partLost(_: PartHold, error: LeaseLostError): void {
    this.#lost ??= error;
    this.#replicas?.lost(error);
    this.#wait?.end({ why: 'lost', error });
  }

  /** Gives back all it has, also what has come since the last call. */
  async release(): Promise<void> {
    if (this.#result === undefined) {
      await giveBack(this.lock, this.parts);
    }
  }

  /** The wait is over. A client that closes waits only for what is given back now. */
  #end(ending: Ending): void {
    this.#asks.forEach((each) => each.end(ending));
    this.#wait?.end(ending);
    void this.release();
  }

  /** Returns whether all are held; if not, a part was lost. */
  async #takeAll(): Promise<boolean> {
    const { router } = this.#services;
    const groups = batchesOf(this.parts, ({ grants }) => router.groupOf(grants.protocol.key));
    const isSplit = groups.length > 1;
    /** Something was waited for since a group was confirmed. */
    let hasWaited = false;
    for (const group of groups) {
      const result = await this.#takeGroup(group, isSplit);
      if (result === 'again') {
        return false;
      }
      hasWaited ||= result === 'waited';
    }
    if (isSplit && (hasWaited || !this.terms.renewed)) {
      const steps = await Promise.all(groups.map((group) => this.#ask(group, true, () => {})));
      return steps.every((step) => step === 'all') && this.#lost === undefined;
    }
    return this.#lost === undefined;
  }

  async #takeGroup(
    group: readonly Part[],
    isSplit: boolean,
  ): Promise<'taken' | 'waited' | 'again'> {
    let hasWaited = false;
    for (const part of group) {
      if (part.outer !== undefined) {
        part.hold = await reenter(this, part, part.outer);
        if (!this.#owns(part.hold)) {
          return 'again';
        }
      }
    }
    const allHeld = (): void => {
      if (!isSplit && this.terms.replicas === undefined) {
        this.#held();
      }
    };
    for (;;) {
      const step = await this.#takeSome(group, !isSplit, allHeld);
      if (step === 'all') {
        return hasWaited ? 'waited' : 'taken';
      }
      if (step === 'again') {
        return 'again';
      }
      hasWaited = true;
      if (this.parts.length === 1 && this.terms.renewed && this.terms.maxHoldMs === undefined) {
        // The grant of its only lock is that of all: nothing is left to check.
        this.#assertNotEnded();
        allHeld();
        return 'waited';
      }
    }
  }

  /** Takes what is free of a group, and waits for the first lock of it that is not. */
  async #takeSome(
    group: readonly Part[],
    isLast: boolean,
    allHeld: () => void,
  ): Promise<'all' | 'again' | 'waited'> {
    const { locks, asking } = this.lock;
    const { waits, waitLimit } = this.terms;
    const first = waits ? group.find(({ hold }) => hold === undefined) : undefined;
    const lockId = first?.grants.lockId ?? '';
    let behind = asking.behind(lockId, waitLimit);
    while (behind !== undefined) {
      await behind;
      this.#assertNotEnded();
      behind = asking.behind(lockId, waitLimit);
    }
    let waiting: Promise<void> | undefined;
    if (first !== undefined && locks.queues.has(lockId)) {
      // Others of this client wait for it: it is busy.
      waiting = this.#waitFor(first);
    } else {
      const answered = first === undefined ? (): void => {} : asking.begin(lockId);
      try {
        const step = await this.#ask(group, isLast, allHeld);
        if (step === 'all' || step === 'again') {
          return step;
        }
        waiting = this.#waitFor(step);
      } finally {
        // It stands in the queue before those who have asked after it.
        answered();
      }
    }
    await waiting;
    return this.#lost === undefined ? 'waited' : 'again';
  }

  /** Waits for a lock; it stands in its queue when this returns a promise. */
  async #waitFor(part: Part): Promise<void> {
    const wait = new PartWait(this, part);
    this.#wait = wait;
    this.terms.waitLimit.onEnd = (ending) => this.#end(ending);
    this.busy.waitsFor(part);
    try {
      part.hold = await wait.run();
      this.busy.granted(part);
    } catch (error) {
      if (this.#lost === undefined) {
        throw this.busy.errorAfter(error);
      }
    } finally {
      this.#wait = undefined;
    }
    this.#owns(part.hold);
  }

  /** Takes notice of a hold; false when there is none, or it was lost before. */
  #owns(hold: PartHold | undefined): boolean {
    if (hold === undefined) {
      return false;
    }
    hold.ownedBy = this;
    const { error } = hold.lease;
    this.#lost ??= error;
    return error === undefined;
  }

  /** Asks for all of a group that is not held, and has what is held of it checked. */
  async #ask(group: readonly Part[], isLast: boolean, allHeld: () => void): Promise<Step> {
    this.#assertNotEnded();
    const parts = group.filter(({ outer }) => outer === undefined);
    if (parts.length === 0) {
      return 'all';
    }
    const ask = new JointAsk(this, parts, isLast, allHeld);
    this.#asks.add(ask);
    this.terms.waitLimit.onEnd = (ending) => this.#end(ending);
    const askedAt = this.#services.clock.now();
    try {
      const step = await ask.send();
      if (step === 'all' || step === 'again') {
        this.busy.contention.answered();
      } else {
        this.busy.found(step, askedAt);
      }
      return step;
    } finally {
      this.#asks.delete(ask);
    }
  }

  #held(): JointHold | undefined {
    if (this.#lost !== undefined) {
      return undefined;
    }
    const parts = this.parts.flatMap(({ grants, hold }) => (hold ? [{ grants, hold }] : []));
    const hold = new JointHold({ ...this.lock, parts, maxHoldMs: this.terms.maxHoldMs });
    this.#result = hold;
    hold.announce(this.terms.waitLimit.startedAt);
    return hold;
  }

  #assertNotEnded(): void {
    const { ending } = this.terms.waitLimit;
    if (ending !== undefined) {
      throw this.busy.errorOf(ending, undefined);
    }
  }
}
