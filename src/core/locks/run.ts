import type { Clock } from '../base/clock.js';
import type { Lease } from '../lease/lease.js';
import type { LockHold } from './hold.js';

/** A run ends after so many grants, or so long after its first one, when another client waits: it
 * waits no longer than that, and one hold. In sections of 6 ms and more a run saves nothing. In the
 * shortest ones a hand-over to another process takes as long as some fifty passes: with 16 of them a
 * lock with 25 waiters in each of 4 processes changes hands half as often as with 64, and nobody
 * waits less. */
const GRANTS_MAX = 64;
const RUN_MS = 6;

/** The same while no other client is known to wait: those in no line, as Java, cannot tell. */
const QUIET_GRANTS_MAX = 256;
const QUIET_RUN_MS = 10;

/** After so many passes, or so long, messages are read: one may say that another client waits. */
const PASSES_PER_TURN = 16;
const TURN_MS = 1;

const NONE: readonly LockHold[] = [];

/** How a run begins. */
export interface RunTerms {
  /** Other clients wait, or it is not known. */
  readonly othersWait: boolean;
  /** It has so many holds at most. */
  readonly holdsMax: number;
  /** The first of those that came with the grant of a fenced lock: each hold has one of its own. */
  readonly fencingToken: bigint | undefined;
}

/** A hold that was released here, and not on the server, and when. */
interface Passed {
  readonly hold: LockHold;
  readonly at: number;
}

/**
 * The time for which a client keeps a lock that it was granted for its own waiters: their holds follow
 * one another on one lease, under one holder id, and no command is sent between them.
 *
 * A lock cohort (Dice, Marathe, Shavit: Lock Cohorting, 2012), in which the process is the cohort.
 */
export class Run {
  readonly lease: Lease;
  readonly #firstToken: bigint | undefined;
  #holdsMax: number;
  /** Holds that were released here, and not on the server. */
  #passed: Passed[] | undefined;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #othersWait: boolean;
  #turnStartedAt: number;
  #passesInTurn = 0;

  constructor(lease: Lease, clock: Clock, { othersWait, holdsMax, fencingToken }: RunTerms) {
    this.lease = lease;
    this.#firstToken = fencingToken;
    this.#holdsMax = holdsMax;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#turnStartedAt = this.#startedAt;
    this.#othersWait = othersWait;
  }

  othersWait(): void {
    this.#othersWait = true;
  }

  /** The hold that is there is its last one. */
  endWithThisHold(): void {
    this.#holdsMax = 0;
  }

  /** Whether the hold may be passed on inside this client: nothing of its holder is under way or left
   * on the server but this one hold, and it is proven. */
  allows(hold: LockHold): boolean {
    const { lease } = this;
    const isPlain = lease.most === 1 && !lease.isExtended && lease.companion === undefined;
    const isSettled = !lease.hasUnackedCopy && !lease.isReordered;
    const isOpen = hold.renewed && hold.endsBy === undefined;
    return isPlain && isSettled && isOpen && lease.state === 'held' && this.#isInBounds();
  }

  /** Resolves at once, or when messages have been read, if that is due. */
  nextTurn(): Promise<void> {
    const isDue =
      this.#passesInTurn >= PASSES_PER_TURN || this.now - this.#turnStartedAt >= TURN_MS;
    return isDue ? this.#readMessages() : Promise.resolve();
  }

  passing(hold: LockHold): void {
    this.#passed ??= [];
    this.#passed.push({ hold, at: this.now });
    this.#passesInTurn += 1;
  }

  /** The token of the hold that was granted or passed on last. */
  get fencingToken(): bigint | undefined {
    const first = this.#firstToken;
    return first === undefined ? undefined : first + BigInt(this.#count);
  }

  /** The holds that were passed on and are not proven by any answer since. */
  get unproven(): readonly LockHold[] {
    const passed = this.#passed;
    return passed === undefined
      ? NONE
      : passed.flatMap(({ hold, at }) => (at < this.lease.provenAt ? [] : [hold]));
  }

  /** Those who have to be told of a loss: nobody is told twice. */
  takeUnproven(): readonly LockHold[] {
    const { unproven } = this;
    this.#passed = undefined;
    return unproven;
  }

  /** How many holds were passed on. */
  get #count(): number {
    return this.#passed?.length ?? 0;
  }

  get now(): number {
    return this.#clock.now();
  }

  async #readMessages(): Promise<void> {
    // oxlint-disable-next-line no-restricted-properties -- no timer is judged here
    await new Promise<void>((resolve) => this.#clock.afterInput(resolve));
    this.#passesInTurn = 0;
    this.#turnStartedAt = this.now;
  }

  #isInBounds(): boolean {
    const isQuiet = !this.#othersWait;
    const mostGrants = isQuiet ? QUIET_GRANTS_MAX : GRANTS_MAX;
    const grantsMax = Math.min(mostGrants, this.#holdsMax);
    const isYoung = this.now - this.#startedAt < (isQuiet ? QUIET_RUN_MS : RUN_MS);
    return this.#count + 1 < grantsMax && isYoung;
  }
}
