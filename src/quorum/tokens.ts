import { whenSettled } from '../core/base/async-context.js';
import { asError } from '../core/wire/replies.js';
import type { Vote } from './vote.js';

type Issued = readonly (bigint | undefined)[];

/** What came of writing the tokens. */
export type Raised =
  | { readonly is: 'written' }
  /** So many servers did not have the lock any more, or failed, that no majority can have them. */
  | { readonly is: 'lost'; readonly errors: readonly Error[] };

/** The fencing tokens of a claim. */
export class Tokens {
  /** That of each name. */
  all: readonly bigint[] = [];
  readonly #names: number;
  readonly #majority: number;
  #issued: Map<Vote, Issued> | undefined;
  /** Writes the tokens on one more server, while they are being written. */
  #raise: ((vote: Vote) => void) | undefined;

  constructor(names: number, majority: number) {
    this.#names = names;
    this.#majority = majority;
  }

  /** A server has granted the claim, with the token that it has issued for each fenced name. */
  issued(vote: Vote, tokens: Issued): void {
    if (tokens[0] !== undefined) {
      this.#issued ??= new Map();
      this.#issued.set(vote, tokens);
      this.#raise?.(vote);
    }
  }

  /**
   * The token of each name is the largest that one of the servers has issued: its counter and one, or its time in µs.
   * It is written where the claim still holds the lock. Any later grant there has read it, so two majorities never
   * have the same one. `done` is called when a majority has it, or none can have it any more; not where servers do not
   * answer. `asking`: from so many servers a grant may come yet.
   */
  raise(asking: () => number, done: (raised: Raised) => void): void {
    const issued = [...(this.#issued ?? [])];
    this.all = Array.from({ length: this.#names }, (_, i) =>
      issued.reduce((most, [, tokens]) => {
        const token = tokens[i] ?? 0n;
        return token > most ? token : most;
      }, 0n),
    );
    const errors: Error[] = [];
    let raised = 0;
    let open = 0;
    const judge = (): void => {
      open -= 1;
      if (raised >= this.#majority) {
        done({ is: 'written' });
      } else if (raised + open + asking() < this.#majority) {
        done({ is: 'lost', errors });
      }
    };
    this.#raise = (vote) => {
      open += 1;
      whenSettled(
        vote.raise(this.all),
        (isRaised) => {
          raised += Number(isRaised);
          judge();
        },
        (error) => {
          errors.push(asError(error));
          judge();
        },
      );
    };
    for (const [vote] of issued) {
      this.#raise(vote);
    }
  }
}
