import type { LeaseLostError } from '../errors.js';
import { whenSettled } from '../core/base/async-context.js';
import { deadline } from '../core/base/clock.js';
import { translate } from '../core/delivery/translate.js';
import type { LeaseHolder } from '../core/lease/lease-parts.js';
import type { Call } from '../core/wire/call.js';
import { asError } from '../core/wire/replies.js';
import { refusalOf, type AskAnswer, type PartResult } from '../multi-lock/commands.js';
import { raiseFor, releaseFor } from './commands.js';
import { KeptProof } from './kept-proof.js';
import type { Member } from './member.js';
import { VoteLeases } from './vote-leases.js';
import { outcomeOf, type Answer, type Candidate, type Released } from './vote-parts.js';

/** Milliseconds of a lease that an ask wants, at most. */
const LEASE_MIN_MS = 1;

/** What one server gives to a claim: an ordinary lock of each name, all or none. */
export class Vote implements LeaseHolder {
  readonly member: Member;
  readonly #candidate: Candidate;
  /** Of each name, while the server is known to have them. */
  #leases: VoteLeases | undefined;
  /** What the server gave before it was restarted. */
  #kept: KeptProof | undefined;
  #call: Call<AskAnswer> | undefined;
  /** They wait for the answer to the ask under way. */
  #waiters: Set<() => void> | undefined;
  /** Something was asked for that has to be released. */
  #isAsked = false;
  /** A copy of an ask may run at any time, also behind the release. */
  #mayRunLate = false;
  #isOver = false;
  /** When the newest command was sent that has confirmed leases which are over. */
  #confirmedBefore = Number.NEGATIVE_INFINITY;
  /** When the server was found not to have it any more. */
  #lostAt = Number.NEGATIVE_INFINITY;

  constructor(member: Member, candidate: Candidate) {
    this.member = member;
    this.#candidate = candidate;
  }

  get renewed(): boolean {
    return this.#candidate.renewed;
  }

  get endsBy(): number {
    return this.#candidate.endsBy;
  }

  /** The bound of its claim has changed. */
  rebound(): void {
    this.#leases?.rebound();
  }

  /** It is given, as far as is known. */
  get isGiven(): boolean {
    return this.#leases?.areGiven === true || this.#isKept;
  }

  get #isKept(): boolean {
    return this.#kept?.isThere === true;
  }

  /** Milliseconds for which it is proven; 0 when it is not. */
  get remainingMs(): number {
    return Math.max(this.#kept?.remainingMs ?? 0, this.#leases?.remainingMs ?? 0);
  }

  get isProven(): boolean {
    return this.#isKept || this.#leases?.areProven === true;
  }

  /** It is proven, and was confirmed lately. */
  get isHeld(): boolean {
    return this.#leases?.areHeld === true;
  }

  /** When the newest command was sent that has confirmed it. */
  get confirmedAt(): number {
    return Math.max(this.#leases?.confirmedAt ?? Number.NEGATIVE_INFINITY, this.#confirmedBefore);
  }

  /** Asks the server whether it still has it. */
  look(): void {
    for (const { key } of this.#leases === undefined ? [] : this.#candidate.names) {
      this.member.services.watchdog.look(key, () => {});
    }
  }

  /** The server is being asked for it. */
  get isAsking(): boolean {
    return this.#call !== undefined;
  }

  /** The server is not known to have it now, and is not being asked for it. */
  get isMissing(): boolean {
    return this.#leases === undefined && !this.isAsking;
  }

  /** Asks the server for all names. The same ask may be made again: a holder id is granted once. `isAgain`: it was
   * granted before, and the server may have forgotten that. */
  ask(isAgain: boolean, answered: (answer: Answer) => void): void {
    const { member } = this;
    const { services, memory } = member;
    const leaseMs = Math.max(LEASE_MIN_MS, this.#candidate.leaseMs);
    const { epoch } = memory;
    const mayVote = memory.votes;
    this.#isAsked = true;
    // What is written again is told from what was granted at first by nothing but its copies.
    this.#mayRunLate ||= isAgain;
    this.#call = services.delivery.start(this.#candidate.commands.askFor(leaseMs), {
      answered: (answer, call) => {
        this.#call = undefined;
        this.#mayRunLate ||= call.unackedCopies > 0;
        // A copy that was sent on to a restarted server was asked of one that remembered.
        const isSame = mayVote && memory.epoch === epoch;
        // What was lost here may have been another's for a while, unless the others kept that out.
        const counts = isSame && (!isAgain || this.#candidate.isConfirmedSince(this.#lostAt));
        answered(this.#judge(answer, call, leaseMs, counts));
        this.#wakeWaiters();
      },
      failed: (error, call) => {
        this.#call = undefined;
        this.#mayRunLate ||= call.unackedCopies > 0;
        answered({ is: 'failed', error: this.#named(translate(error, this.#candidate.resource)) });
        this.#wakeWaiters();
      },
    });
  }

  #wakeWaiters(): void {
    const waiters = this.#waiters ?? [];
    this.#waiters = undefined;
    for (const notify of waiters) {
      notify();
    }
  }

  /** The ask under way is answered, given up, or has taken too long. */
  async #asked(): Promise<void> {
    const { clock, client } = this.member.services;
    await new Promise<void>((resolve) => {
      const timer = deadline(clock, client.settings.commandTimeoutMs, resolve);
      this.#waiters ??= new Set();
      this.#waiters.add(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  #named(error: Error): Error {
    return new Error(`${this.member.address}: ${error.message}`, { cause: error });
  }

  #judge(answer: AskAnswer, call: Call<AskAnswer>, leaseMs: number, counts: boolean): Answer {
    if (answer.is === 'foreign') {
      const name = this.#candidate.names[answer.at];
      return {
        is: 'failed',
        error: this.#named(
          new Error(`"${name?.resource}" holds something else: ${answer.message}`),
        ),
      };
    }
    if (answer.is !== 'held' || answer.upTo < this.#candidate.names.length) {
      // Nothing was taken, and nothing of it is left to be released.
      this.#isAsked = this.#mayRunLate;
      return { is: 'busy' };
    }
    if (!counts) {
      return {
        is: 'failed',
        error: this.member.whyNot ?? this.#named(new Error('it was restarted')),
      };
    }
    this.#leases = new VoteLeases(this.member.services, this.#candidate, this, { call, leaseMs });
    this.#leases.renew();
    return { is: 'granted', tokens: answer.tokens };
  }

  /** One name is lost on this server: the vote is for all of them. */
  lost(error: LeaseLostError): void {
    if (!this.#isOver && this.#leases !== undefined) {
      // The server may have any of them yet: they are asked for again.
      this.#dropLeases();
      this.#lostAt = this.member.services.clock.now();
      this.#candidate.voteLost(error.reason, this.#named(error));
    }
  }

  /** The server was restarted: it may have forgotten this vote, which keeps its deadline. */
  forget(): void {
    const { clock } = this.member.services;
    if (this.#leases !== undefined && !this.#isOver) {
      const { remainingMs } = this;
      this.#dropLeases();
      this.#lostAt = clock.now();
      this.#kept ??= new KeptProof(clock);
      this.#kept.keep(remainingMs, () => {
        if (!this.isGiven) {
          this.#candidate.voteLost(
            'unproven',
            this.member.whyNot ?? this.#named(new Error('it was restarted')),
          );
        }
      });
    }
  }

  #dropLeases(): void {
    const leases = this.#leases;
    this.#confirmedBefore = this.confirmedAt;
    this.#leases = undefined;
    leases?.end();
  }

  /** Makes what is held last at least `leaseMs` from now; rejects where the server has not confirmed that. */
  async extend(leaseMs: number): Promise<void> {
    if (this.#leases === undefined && this.isAsking) {
      await this.#asked();
    }
    const leases = this.#leases;
    if (leases === undefined) {
      throw this.member.whyNot ?? this.#named(new Error('it has no lock for this hold'));
    }
    try {
      await leases.extend(leaseMs);
    } catch (error) {
      throw this.#named(asError(error));
    }
    if (this.#leases !== leases) {
      throw this.#named(new Error('it was restarted'));
    }
  }

  /** Raises the counters of fenced locks; false where this claim does not have the locks any more. */
  async raise(tokens: readonly bigint[]): Promise<boolean> {
    const { names, holderId, resource } = this.#candidate;
    const command = raiseFor(names, holderId, tokens);
    const { answer } = await this.member.services.delivery.send(resource, command, 'change');
    return answer === 1;
  }

  /** Gives back what was asked for, in the background. */
  giveUp(): void {
    const { services } = this.member;
    const call = this.#stop();
    if (this.#isAsked) {
      // Copies of earlier asks may run behind it, too.
      const isOnly = call !== undefined && !this.#mayRunLate;
      const undoes = isOnly
        ? { ask: call, operands: this.#candidate.commands.releaseWith(false).operands }
        : undefined;
      const command = this.#candidate.commands.releaseWith(this.#mayRunLate || call !== undefined);
      services.delivery.inBackground(command, {
        undoes,
        answered: (results) => this.#releaseRest(results),
      });
    }
  }

  /** The server may have refused to release some of the names: that goes on in the background, by a call that is
   * refused as a whole until then. */
  #releaseRest(results: readonly PartResult[], names = this.#candidate.names): void {
    const refused = names.filter((_, i) => refusalOf(results[i]) !== undefined);
    if (refused.length > 0) {
      const { router, delivery } = this.member.services;
      delivery.inBackground(releaseFor(router, refused, this.#candidate.holderId, true), {
        answered: (rest) => this.#releaseRest(rest, refused),
      });
    }
  }

  /** Releases what the server has. Where it does not answer in time, that goes on in the background. */
  release(done: (outcome: Released | Error) => void): void {
    const wasGiven = this.isGiven;
    const wasKept = this.#isKept;
    const call = this.#stop();
    if (!this.#isAsked) {
      done('nothing');
      return;
    }
    const { delivery } = this.member.services;
    const command = this.#candidate.commands.releaseWith(this.#mayRunLate || call !== undefined);
    whenSettled(
      delivery.send(this.#candidate.resource, command, 'release', {
        // Also when its caller waits no longer.
        answered: (results) => this.#releaseRest(results),
        failed: () => {},
      }),
      ({ answer, call: { unackedCopies } }) => {
        // A copy of it may have released them before; or the server was restarted, and has forgotten them.
        const isKnown = (unackedCopies > 0 && wasGiven) || wasKept;
        const refusal = answer.map(refusalOf).find((why) => why !== undefined);
        if (refusal !== undefined) {
          done(this.#named(new Error(refusal)));
          return;
        }
        const outcome = isKnown ? 'released' : outcomeOf(answer);
        // A server that is not known to have given it shows no reason why it is lost.
        done(wasGiven || outcome === 'released' ? outcome : 'nothing');
      },
      (error) => done(asError(error)),
    );
  }

  /** Nothing of it is proven or asked for any more; returns the ask under way, if it may run. */
  #stop(): Call<AskAnswer> | undefined {
    this.#isOver = true;
    this.#kept?.drop();
    this.#dropLeases();
    const call = this.#call;
    this.#call = undefined;
    this.#wakeWaiters();
    return call !== undefined && this.member.services.delivery.abandon(call) ? call : undefined;
  }
}
