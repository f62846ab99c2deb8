import { Expiring, type DeadlineQueue } from '../core/base/deadline-queue.js';
import type { Claim } from './claim.js';
import type { Vote } from './vote.js';
import type { Answer } from './vote-parts.js';

/** How a round of asks ended. */
export type Outcome =
  | { readonly is: 'granted' }
  /** It was granted, and freed by force before its tokens were written. */
  | { readonly is: 'lost' }
  /** So many that others have it here that no majority is left, or too few have answered: why. */
  | {
      readonly is: 'refused';
      readonly busy: number;
      readonly granted: number;
      readonly errors: readonly Error[];
    };

/** What an attempt has shown that got nothing. */
export type Refused = Extract<Outcome, { readonly is: 'refused' }>;

/** How long the servers have to answer. */
export interface RoundTime {
  readonly timeouts: DeadlineQueue;
  readonly timeoutMs: number;
}

/** Asks some servers at once for a claim. It ends as soon as a majority has granted it, or none can any more. */
export class Round extends Expiring {
  readonly #needed: number;
  readonly #answers = new Map<Vote, Answer>();
  readonly #votes: readonly Vote[];
  readonly #claim: Claim;
  readonly #done: (outcome: Outcome) => void;
  readonly #timeouts: DeadlineQueue;
  readonly #timeoutMs: number;
  #isDone = false;

  /** `needed`: grants of these votes; `done` is called once, unless the round is ended. */
  constructor(
    claim: Claim,
    votes: readonly Vote[],
    needed: number,
    { timeouts, timeoutMs }: RoundTime,
    done: (outcome: Outcome) => void,
  ) {
    super();
    this.#timeouts = timeouts;
    this.#timeoutMs = timeoutMs;
    this.#claim = claim;
    this.#votes = votes;
    this.#needed = needed;
    this.#done = done;
  }

  start(): void {
    this.#timeouts.add(this, this.#timeoutMs);
    for (const vote of this.#votes) {
      const { member } = vote;
      if (member.votes) {
        vote.ask(false, (answer) => this.#answer(vote, answer));
      } else {
        this.#answer(vote, { is: 'failed', error: member.whyNot ?? noAnswer(vote, 0) });
      }
    }
    this.#judge();
  }

  expired(): void {
    for (const vote of this.#votes) {
      this.#answer(vote, { is: 'failed', error: noAnswer(vote, this.#timeoutMs) });
    }
  }

  /** Nobody waits for it any more. */
  end(): void {
    this.#isDone = true;
    this.#timeouts.delete(this);
  }

  #answer(vote: Vote, answer: Answer): void {
    if (answer.is === 'granted') {
      // A late grant is a vote as any other.
      this.#claim.tokens.issued(vote, answer.tokens);
    }
    if (!this.#answers.has(vote)) {
      this.#answers.set(vote, answer);
      this.#judge();
    }
  }

  #judge(): void {
    if (this.#isDone) {
      return;
    }
    const answers = [...this.#answers.values()];
    const granted = answers.filter(({ is }) => is === 'granted').length;
    const open = this.#votes.length - answers.length;
    if (granted >= this.#needed) {
      this.end();
      this.#done({ is: 'granted' });
      return;
    }
    const busy = answers.filter(({ is }) => is === 'busy').length;
    // Whether it is contention shows when a majority has answered.
    const isKnown = busy + granted >= this.#needed || open === 0;
    if (granted + open < this.#needed && isKnown) {
      this.end();
      const errors = answers.flatMap((answer) => (answer.is === 'failed' ? [answer.error] : []));
      this.#done({ is: 'refused', busy, granted, errors });
    }
  }
}

function noAnswer({ member }: Vote, timeoutMs: number): Error {
  return new Error(`${member.address}: no answer within ${timeoutMs} ms`);
}
