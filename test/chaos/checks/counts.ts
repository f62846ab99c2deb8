// What a number can be, when some of the calls that change it may have run and others have.

import type { Call } from '../history.js';

type Change = Pick<Call, 'from' | 'until' | 'outcome' | 'delta'>;

/** A count that starts with `initial`, and is changed by calls that run at most once. */
export class Count {
  readonly #initial: number;
  readonly #changes: readonly Change[];

  constructor(initial: number, changes: readonly Change[]) {
    this.#initial = initial;
    this.#changes = changes.filter(({ outcome }) => outcome !== 'not done' && outcome !== 'no');
  }

  /** The most it can be at an instant. */
  most(at: number): number {
    return this.#sum(at, 1);
  }

  least(at: number): number {
    return this.#sum(at, -1);
  }

  /** The most that it can have been in a span. */
  mostIn(from: number, until: number): number {
    const instants = this.#changes.flatMap(({ from: sent }) =>
      sent > from && sent <= until ? [sent] : [],
    );
    return Math.max(this.most(from), ...instants.map((at) => this.most(at)));
  }

  /** Changes in the direction of `sign` count from when they were sent, others once they are done. */
  #sum(at: number, sign: 1 | -1): number {
    return this.#changes.reduce((sum, { from, until, outcome, delta }) => {
      const counts =
        Math.sign(delta) === sign
          ? from <= at
          : outcome === 'done' && until !== undefined && until < at;
      return counts ? sum + delta : sum;
    }, this.#initial);
  }
}
