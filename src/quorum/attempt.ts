import type { Claim } from './claim.js';
import type { QuorumServices } from './quorum-services.js';
import { Round, type Outcome } from './round.js';
import type { Steps } from './steps.js';
import type { Raised } from './tokens.js';
import type { Vote } from './vote.js';

/** Which servers are asked at once: all, or first the one whose turn it is, where clients race. */
export type Asked = 'all' | 'first';

/** One attempt to get a claim. When the wait ends, all that it has got is given back at once. */
export class Attempt {
  readonly #services: QuorumServices;
  readonly #steps: Steps;
  readonly #claim: Claim;
  readonly #timeoutMs: number;

  constructor(services: QuorumServices, steps: Steps, claim: Claim, leaseMs: number) {
    this.#services = services;
    this.#steps = steps;
    this.#claim = claim;
    this.#timeoutMs = Math.max(1, Math.min(services.serverTimeoutMs, leaseMs / 10));
  }

  /** Those that race for it after a message ask the same server first, so that they do not split the others. Undefined
   * where that one has refused: that says nothing of a majority. */
  ask(asked: Asked): Promise<Outcome | undefined> {
    const { votes } = this.#claim;
    const first = asked === 'first' ? votes.find(({ member }) => member.votes) : undefined;
    return first === undefined
      ? this.#round(votes, this.#services.members.majority)
      : this.#askFirst(first);
  }

  async #askFirst(first: Vote): Promise<Outcome | undefined> {
    const { votes } = this.#claim;
    const { majority } = this.#services.members;
    const isFirst = await this.#round([first], 1);
    if (isFirst.is !== 'granted') {
      return undefined;
    }
    const others = votes.filter((vote) => vote !== first);
    const rest = await this.#round(others, majority - 1);
    return rest.is === 'refused' ? { ...rest, granted: rest.granted + 1 } : rest;
  }

  /** Writes the tokens: refused where no majority has them in time. */
  raise(): Promise<Outcome> {
    const timeoutMs = this.#timeoutMs;
    return this.#steps.run<Outcome>((resolve) => {
      const timer = this.#services.clock.after(timeoutMs, () => {
        const error = new Error(`the fencing token was not written within ${timeoutMs} ms`);
        resolve({ is: 'refused', busy: 0, granted: 0, errors: [error] });
      });
      const asking = (): number => this.#claim.votes.filter(({ isAsking }) => isAsking).length;
      this.#claim.tokens.raise(asking, (raised) => {
        timer.cancel();
        resolve(outcomeOf(raised));
      });
      return () => {
        timer.cancel();
        this.#claim.giveUp();
      };
    });
  }

  #round(votes: Claim['votes'], needed: number): Promise<Outcome> {
    return this.#steps.run<Outcome>((resolve) => {
      const time = { timeouts: this.#services.timeouts, timeoutMs: this.#timeoutMs };
      const round = new Round(this.#claim, votes, needed, time, resolve);
      round.start();
      return () => {
        round.end();
        // A client that closes waits only for what is given back now.
        this.#claim.giveUp();
      };
    });
  }
}

function outcomeOf(raised: Raised): Outcome {
  if (raised.is === 'written') {
    return { is: 'granted' };
  }
  const { errors } = raised;
  return errors.length === 0 ? { is: 'lost' } : { is: 'refused', busy: 0, granted: 0, errors };
}
