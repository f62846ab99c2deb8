import type { AcquireTimeoutError } from '../errors.js';
import { LateGrants } from '../core/lease/late-grants.js';
import { contention, RETRIED_LEASE_MIN_MS } from '../core/locks/acquisition.js';
import type { LockTerms } from '../core/locks/locking.js';
import { oneTooMany } from '../core/waiting/max-waiters.js';
import type { Ending } from '../core/waiting/wait-limit.js';
import { Attempt, type Asked } from './attempt.js';
import { Claim } from './claim.js';
import { waitIdly, type Given } from './idle-wait.js';
import type { Place } from './line.js';
import { Pauses } from './pauses.js';
import type { QuorumServices } from './quorum-services.js';
import type { Outcome, Refused } from './round.js';
import { Steps } from './steps.js';
import { waitedFor, type Wanted } from './waited.js';
import { WakeUps } from './wake-ups.js';

/** After so many turns in a row of one client the others get a chance. */
const TURNS_MAX = 16;

/** One acquisition of a claim: attempts, and the waits between them. */
export class QuorumAcquisition {
  readonly #services: QuorumServices;
  readonly #wanted: Wanted;
  readonly #terms: LockTerms;
  readonly #steps: Steps;
  #late: LateGrants | undefined;
  #wakeUps: WakeUps | undefined;
  #place: Place | undefined;
  #stopWatching: (() => void) | undefined;
  /** The outcome of its own attempt, where it does not wait. */
  #own: Refused | undefined;
  readonly #pauses: Pauses;
  /** What the last attempt got was freed by force before it was given. */
  #wasFreed = false;
  /** This client has held one of the names itself in this wait. */
  #wasHeldHere = false;

  constructor(services: QuorumServices, wanted: Wanted, terms: LockTerms) {
    this.#services = services;
    this.#wanted = wanted;
    this.#terms = terms;
    const errorOf = (ending: Ending): unknown =>
      services.client.errorOf(ending, wanted.resource, () => this.#refusal());
    this.#pauses = new Pauses(services.client.random, services.renewedLeaseMs / 10);
    this.#steps = new Steps(services.clock, terms.waitLimit, errorOf);
  }

  /** Resolves with what `give` makes of a claim that is proven. It is called once, as soon as the claim is there. */
  async run<H>(give: (claim: Claim) => H): Promise<H> {
    let asked: Asked = 'all';
    this.#wasHeldHere = this.#isHeldHere;
    try {
      const turn = this.#turn();
      if (turn !== undefined) {
        await turn;
      }
      for (;;) {
        if (!this.#services.members.isMajorityReady) {
          await this.#majorityReady();
        }
        this.#services.members.assertFit();
        const claim = await this.#attempt(asked);
        if (claim !== undefined) {
          this.#services.claims.endOthers(claim);
          return give(claim);
        }
        if (this.#wasFreed) {
          // Nobody has it just now.
          this.#wasFreed = false;
          asked = 'all';
          continue;
        }
        if (!this.#terms.waits) {
          throw this.#refusal();
        }
        const next = await this.#pause(give);
        if (typeof next === 'object') {
          return next.given;
        }
        asked = next;
      }
    } finally {
      this.#wakeUps?.close();
      this.#place?.leave();
      this.#stopWatching?.();
    }
  }

  /** What the last attempt that was refused has shown. */
  get #outcome(): Refused | undefined {
    return this.#place === undefined ? this.#own : this.#place.line.outcome;
  }

  set #outcome(outcome: Refused | undefined) {
    if (this.#place === undefined) {
      this.#own = outcome;
    } else {
      this.#place.line.outcome = outcome;
    }
  }

  #countTurn(isGranted: boolean): void {
    if (this.#place !== undefined) {
      const { line } = this.#place;
      line.turns = isGranted ? line.turns + 1 : 0;
    }
  }

  get #waitedMs(): number {
    return this.#services.client.clock.now() - this.#terms.waitLimit.startedAt;
  }

  /** Contention is what a majority has answered. */
  #refusal(): Error {
    this.#wasHeldHere ||= this.#isHeldHere;
    const outcome = this.#outcome;
    const { members } = this.#services;
    const isBusy =
      outcome !== undefined &&
      outcome.busy > 0 &&
      outcome.busy + outcome.granted >= members.majority;
    return isBusy || this.#wasHeldHere
      ? this.#contention()
      : members.noMajority(this.#wanted.resource, this.#waitedMs, outcome?.errors ?? []);
  }

  #contention(): AcquireTimeoutError {
    const { resource } = this.#wanted;
    const { holders } = this.#terms.waitLimit;
    return contention(resource, this.#waitedMs, this.#wanted.isHeldAround(), holders);
  }

  /** This client holds one of the names itself. */
  get #isHeldHere(): boolean {
    return this.#wanted.names.some(({ lockId }) => this.#services.holds(lockId));
  }

  /** Waits until it is the first of those of this client that want the same names; undefined where it is. */
  #turn(): Promise<void> | undefined {
    if (!this.#terms.waits) {
      return undefined;
    }
    const line = this.#services.lines.of(this.#wanted.names);
    const waiting = line.outcome === undefined && !this.#isHeldHere ? 0 : line.size;
    const tooMany = oneTooMany(this.#wanted.resource, waiting, this.#terms.maxWaiters);
    if (tooMany !== undefined) {
      throw tooMany;
    }
    const place = line.join(this.#wanted.resource);
    this.#place = place;
    return place.isFirst ? undefined : this.#becomeFirst(place);
  }

  async #becomeFirst(place: Place): Promise<void> {
    this.#watch();
    await this.#steps.run<void>((resolve) => {
      place.becameFirst = resolve;
      return () => {
        place.becameFirst = () => {};
      };
    });
    const { line } = place;
    if (line.turns >= TURNS_MAX) {
      line.turns = 0;
      await this.#steps.sleep(this.#pauses.afterTurns);
    }
  }

  #watch(): void {
    const { resource, names } = this.#wanted;
    this.#stopWatching ??= this.#services.client.slowWaits.watch(
      waitedFor(this.#services, resource, names),
      this.#terms.waitLimit,
      this.#wanted,
    );
  }

  /** A server that is not connected yet is waited for, unless a majority is ready. */
  async #majorityReady(): Promise<void> {
    const { members, client } = this.#services;
    await this.#steps.run<void>((resolve, reject) => {
      const stop = members.onConnection(() => {
        if (members.isMajorityReady) {
          end();
          resolve();
        }
      });
      const { commandTimeoutMs } = client.settings;
      const timer = this.#terms.waits
        ? undefined
        : client.clock.after(commandTimeoutMs, () => {
            end();
            reject(this.#refusal());
          });
      const end = (): void => {
        stop();
        timer?.cancel();
      };
      return end;
    });
  }

  /** Asks the servers once; undefined when that has come to nothing. */
  async #attempt(asked: Asked): Promise<Claim | undefined> {
    this.#wasHeldHere ||= this.#isHeldHere;
    if (this.#terms.waits && this.#isHeldHere) {
      return undefined;
    }
    const { names, fenced } = this.#wanted;
    const { leaseMs } = this.#terms;
    const holderId = this.#services.client.newHolderId();
    const identity = { resource: this.#wanted.resource, holderId, names };
    const claim = new Claim(this.#services, identity, this.#terms);
    const startedAt = this.#services.clock.now();
    this.#services.claims.begin(claim);
    let isGranted = false;
    try {
      const attempt = new Attempt(this.#services, this.#steps, claim, leaseMs);
      const outcome = await attempt.ask(asked);
      isGranted = this.#note(outcome);
      this.#countTurn(isGranted);
      if (isGranted && fenced) {
        const raised = await attempt.raise();
        isGranted = this.#note(raised);
      }
      isGranted &&= this.#isInTime(claim, startedAt);
      return isGranted ? claim : undefined;
    } finally {
      this.#services.claims.ended(claim);
      if (!isGranted) {
        claim.giveUp();
      }
    }
  }

  /** Keeps what an outcome has shown; returns whether it is a grant. */
  #note(outcome: Outcome | undefined): boolean {
    if (outcome?.is === 'refused') {
      this.#outcome = outcome;
    }
    this.#wasFreed = outcome?.is === 'lost';
    return outcome?.is === 'granted';
  }

  /** A grant that came when its lease was over is none. */
  #isInTime(claim: Claim, startedAt: number): boolean {
    const { members, clock } = this.#services;
    const { leaseMs } = this.#terms;
    if (claim.proven >= members.majority || leaseMs < RETRIED_LEASE_MIN_MS) {
      return true;
    }
    this.#wasFreed = claim.isFreed;
    if (this.#wasFreed) {
      return false;
    }
    const roundTripMs = clock.now() - startedAt;
    this.#late ??= new LateGrants();
    const error = this.#late.add({ resource: this.#wanted.resource, leaseMs, roundTripMs });
    if (error !== undefined) {
      throw error;
    }
    return false;
  }

  /** Waits until the names may be free: for messages, or a random time; or until a claim is passed on. */
  #pause<H>(give: (claim: Claim) => H): Promise<Asked | Given<H>> {
    const outcome = this.#outcome;
    const isSplit = outcome !== undefined && outcome.granted > 0;
    this.#watch();
    this.#wakeUps ??= new WakeUps(this.#services.members, this.#wanted.names);
    const wakeUps = isSplit ? undefined : this.#wakeUps;
    const pauseMs = this.#pauses.next(isSplit, outcome === undefined);
    const { renewed, maxHoldMs } = this.#terms;
    // A claim that is passed on is renewed without a bound.
    const place = renewed && maxHoldMs === undefined ? this.#place : undefined;
    return waitIdly({
      steps: this.#steps,
      clock: this.#services.clock,
      pauseMs,
      patienceMs: () => this.#pauses.afterTurns,
      wakeUps,
      place,
      give,
    });
  }
}
