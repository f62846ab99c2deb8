import type { LeaseLostError } from '../errors.js';
import { outside } from '../core/base/async-context.js';
import type { QuorumName } from './names.js';
import type { Claimant } from './vote-parts.js';

/** A claim is passed on inside its client for so long and so often; then the others get a chance. */
const RUN_MS = 6;
const PASSES_MAX = 16;

/** A hold that was released here, and not on the servers, and when. */
interface Passed {
  readonly hold: Claimant;
  readonly at: number;
}

/** The waiters of a client. */
export interface Waiters<C> {
  /** What gives a claim to the first of those that wait for its names; undefined where that one cannot take it. */
  takerOf(claim: C): ((claim: C) => void) | undefined;
}

/** What a run needs of its client. */
interface RunServices<C> {
  readonly clock: { now(): number };
  readonly lines: Waiters<C>;
}

/** Holds of one client that follow each other without a command: to the servers nothing changes between them. */
export class Run {
  readonly #startedAt: number;
  #passed: readonly Passed[] = [];
  #isOver = false;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Each hold of a fenced lock has a token of its own, so that these are not passed on. */
  static fits(names: readonly QuorumName[]): boolean {
    return names.every(({ keys }) => keys.token.length === 0);
  }

  /** The hold that is there is its last one. */
  end(): void {
    this.#isOver = true;
  }

  /** A hold is over: gives its claim to the first waiter; false where there is none, or the run is over. */
  pass<C>(claim: C, hold: Claimant, { clock, lines }: RunServices<C>): boolean {
    const at = clock.now();
    const isInBounds = at - this.#startedAt < RUN_MS && this.#passed.length < PASSES_MAX;
    const take = isInBounds && !this.#isOver ? lines.takerOf(claim) : undefined;
    if (take === undefined) {
      return false;
    }
    this.#passed = [...this.#passed, { hold, at }];
    // It is reported before the next one.
    hold.released();
    // The waiter belongs to another async context.
    outside(() => take(claim));
    return true;
  }

  /** The claim is lost, and with it the holds that were passed on and are proven by no answer since. `confirmedAt`:
   * when the newest commands were sent by which a majority has confirmed the claim. */
  lost(error: LeaseLostError, confirmedAt: number): void {
    const unproven = this.#passed.filter(({ at }) => at >= confirmedAt);
    this.#passed = [];
    for (const { hold } of unproven) {
      hold.foundLost(error);
    }
  }
}
