import { LeaseLostError, type LeaseLostReason } from '../errors.js';
import type { LeaseTerms } from '../core/base/arguments.js';
import { least } from '../core/base/least.js';
import { LOST_BECAUSE } from '../core/lease/lease-parts.js';
import { ClaimCommands } from './claim-commands.js';
import { majorityOf, nthLargest } from './majority.js';
import { releaseAll } from './release.js';
import type { Members } from './members.js';
import type { Member } from './member.js';
import type { QuorumName } from './names.js';
import { Run, type Waiters } from './run.js';
import { Tokens } from './tokens.js';
import { Vote } from './vote.js';
import type { Candidate, Claimant } from './vote-parts.js';

/** The parts of a quorum client that its claims need. */
export interface ClaimServices {
  readonly members: Members;
  readonly clock: { now(): number };
  /** The lease that is renewed. */
  readonly renewedLeaseMs: number;
  /** Those that are held. */
  readonly claims: { add(claim: Claim): void; delete(claim: Claim): void };
  /** The waiters of this client. */
  readonly lines: Waiters<Claim>;
}

/**
 * The names that were taken together under one holder id. A majority of the servers proves it: until the q-th largest
 * of their deadlines, each of which counts from before its own ask.
 */
export class Claim implements Candidate {
  readonly resource: string;
  readonly holderId: string;
  readonly names: readonly QuorumName[];
  readonly votes: readonly Vote[];
  readonly commands: ClaimCommands;
  /** Its holds, one more for each re-entry. */
  readonly holds: Set<Claimant> = new Set();
  /** The fencing tokens of its names. */
  readonly tokens: Tokens;
  readonly #services: ClaimServices;
  /** A fixed lease ends so late, by our clock. */
  #fixedEnd: number | undefined;
  endsBy: number;
  #error: LeaseLostError | undefined;
  /** That was reported, since it was held. */
  #isSuspect = false;
  #isOver = false;
  /** A server did not have it any more, as after a forced release. */
  #wasFreed = false;
  /** Its holds since it is kept, where it may be passed on. */
  #run: Run | undefined;

  constructor(
    services: ClaimServices,
    { resource, holderId, names }: Pick<Candidate, 'resource' | 'holderId' | 'names'>,
    { leaseMs, renewed, maxHoldMs = Infinity }: LeaseTerms,
  ) {
    const now = services.clock.now();
    this.#services = services;
    this.resource = resource;
    this.holderId = holderId;
    this.names = names;
    this.commands = new ClaimCommands(services.members, names, holderId);
    this.tokens = new Tokens(names.length, services.members.majority);
    this.votes = services.members.all.map((member) => new Vote(member, this));
    this.#fixedEnd = renewed ? undefined : now + leaseMs;
    this.endsBy = now + maxHoldMs;
  }

  get #majority(): number {
    return this.#services.members.majority;
  }

  /** It was granted: its holds are renewed from now on, and missing votes are asked for. */
  keep(): void {
    this.#services.claims.add(this);
    // A fixed lease counts from its own grant.
    if (this.#fixedEnd === undefined && Run.fits(this.names)) {
      this.#run ??= new Run(this.#services.clock.now());
    }
  }

  get renewed(): boolean {
    return this.holds.size === 0
      ? this.#fixedEnd === undefined
      : [...this.holds].some((hold) => hold.renewed);
  }

  get leaseMs(): number {
    const { clock, renewedLeaseMs } = this.#services;
    if (this.renewed) {
      return Math.min(renewedLeaseMs, this.boundMs);
    }
    return this.#fixedEnd === undefined
      ? this.remainingMs
      : Math.ceil(this.#fixedEnd - clock.now());
  }

  /** Milliseconds until its bound, rounded down; Infinity without one. */
  get boundMs(): number {
    return Math.floor(this.endsBy - this.#services.clock.now());
  }

  /** How many votes are proven now. */
  get proven(): number {
    return this.votes.filter(({ isProven }) => isProven).length;
  }

  get isProven(): boolean {
    return this.error === undefined && this.proven >= this.#majority;
  }

  get remainingMs(): number {
    const each = this.votes.map(({ remainingMs }) => remainingMs);
    return this.error === undefined ? nthLargest(each, this.#majority) : 0;
  }

  get state(): 'held' | 'suspect' | 'lost' {
    if (this.error !== undefined) {
      return 'lost';
    }
    const held = this.votes.filter(({ isHeld }) => isHeld).length;
    return held >= this.#majority ? 'held' : 'suspect';
  }

  /** Why it was lost. Computed from the clock: a vote whose lease is over reports that here. */
  get error(): LeaseLostError | undefined {
    if (this.#error === undefined && !this.#isOver && this.holds.size > 0) {
      if (this.#isLost) {
        this.#lose('unproven', undefined);
      }
    }
    return this.#error;
  }

  /** Too few servers have it, as far as is known. */
  get #isLost(): boolean {
    return this.votes.filter(({ isGiven }) => isGiven).length < this.#majority;
  }

  voteLost(reason: LeaseLostReason, cause: Error): void {
    this.#wasFreed ||= reason === 'deleted';
    if (this.#isLost && this.holds.size > 0) {
      this.#lose(reason, cause);
      return;
    }
    this.voteDoubted(cause);
    if (reason === 'deleted' || reason === 'taken') {
      // As by force: others may have lost it, too.
      this.votes.forEach((vote) => vote.look());
    }
  }

  /** So many servers were found not to have it any more that no majority is left. */
  get isFreed(): boolean {
    return this.#wasFreed && this.#isLost;
  }

  isConfirmedSince(at: number): boolean {
    const confirmed = this.votes.filter(
      ({ isProven, confirmedAt }) => isProven && confirmedAt > at,
    );
    return this.#error === undefined && confirmed.length >= this.#majority;
  }

  /** A majority has granted one of its names to another claim, or the bound has come of a hold that is on several. */
  endAs(reason: 'taken' | 'expired'): void {
    this.#lose(reason, undefined);
  }

  voteDoubted(cause: Error | undefined): void {
    if (this.#isSuspect || this.state !== 'suspect') {
      return;
    }
    this.#isSuspect = true;
    for (const hold of this.holds) {
      hold.suspected(cause);
    }
  }

  #lose(reason: LeaseLostReason, cause: Error | undefined): void {
    if (this.#error !== undefined || this.#isOver) {
      return;
    }
    const { resource } = this;
    const { all, majority } = this.#services.members;
    const why = `${LOST_BECAUSE[reason]} on so many servers that less than ${majority} of ${all.length} have it`;
    const message = `the lease on "${resource}" was lost: ${why}`;
    const error = new LeaseLostError(message, reason, { resource, cause });
    this.#error = error;
    this.#services.claims.delete(this);
    // What some servers have is of no use, and others wait for it.
    this.giveUp();
    for (const hold of this.holds) {
      hold.lost(error);
    }
    this.foundLost(error);
  }

  /** It is over, and was not held to the end: neither were those of its holds that no answer has proven since. */
  foundLost(error: LeaseLostError): void {
    const confirmedAt = this.votes.map((vote) => vote.confirmedAt);
    this.#run?.lost(error, nthLargest(confirmedAt, this.#majority));
  }

  /** Gives back all that it has, or may get yet. */
  giveUp(): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#services.claims.delete(this);
    for (const vote of this.votes) {
      vote.giveUp();
    }
  }

  tokenOf({ lockId }: QuorumName): bigint | undefined {
    return this.tokens.all[this.names.findIndex((name) => name.lockId === lockId)];
  }

  /** It has one more hold. */
  join(hold: Claimant): void {
    this.holds.add(hold);
    if (this.holds.size > 1) {
      // As on one server, what was re-entered is not passed on.
      this.#run?.end();
    }
    this.#rebound(hold);
  }

  /** The earliest bound of its holds counts. */
  #rebound({ endsBy }: Claimant): void {
    if (endsBy !== undefined && this.holds.size > 0) {
      this.endsBy = least([...this.holds].map((hold) => hold.endsBy ?? Infinity));
      this.votes.forEach((vote) => vote.rebound());
    }
  }

  /** One of its holds has ended: with the last one it is passed on or released. Undefined where it is kept. */
  leave(hold: Claimant): Promise<void> | undefined {
    this.holds.delete(hold);
    this.#rebound(hold);
    if (this.holds.size > 0 || this.#isOver) {
      return undefined;
    }
    const mayPass = this.endsBy === Infinity && this.state === 'held';
    const isPassedOn = mayPass && this.#run?.pass(this, hold, this.#services) === true;
    return isPassedOn ? undefined : this.#release();
  }

  /** A member was restarted. */
  forget(member: Member): void {
    this.votes.find((vote) => vote.member === member)?.forget();
  }

  /** Asks the servers for it that do not have it now, so that they have it when they vote again. */
  restore(only?: Member): void {
    this.#isSuspect &&= this.state !== 'held';
    const isOver = this.#isOver || this.error !== undefined || this.leaseMs <= 0;
    for (const vote of isOver ? [] : this.votes) {
      const isWanted = only === undefined || vote.member === only;
      if (isWanted && vote.isMissing && vote.member.isReady) {
        vote.ask(true, () => {});
      }
    }
  }

  /** Makes a majority confirm a lease of at least `leaseMs` from now. */
  async extend(leaseMs: number): Promise<void> {
    const { members, clock } = this.#services;
    const startedAt = clock.now();
    // It may cost the others more than a lease from now on.
    this.#run?.end();
    const calls = this.votes.map((vote) => vote.extend(leaseMs));
    const { errors } = await majorityOf(calls, this.#majority);
    if (this.error !== undefined) {
      throw this.error;
    }
    if (errors !== undefined) {
      throw members.noMajority(this.resource, clock.now() - startedAt, errors);
    }
    if (this.#fixedEnd !== undefined) {
      this.#fixedEnd = Math.max(this.#fixedEnd, startedAt + leaseMs);
    }
  }

  /** Releases it everywhere; resolves when a majority had it and has released it. */
  #release(): Promise<void> {
    this.#isOver = true;
    this.#services.claims.delete(this);
    return releaseAll(this.#services.members, this.resource, this.votes);
  }
}
