import type { RandomSource } from '../core/base/random.js';

/** The first pause after an attempt that has split the servers: two that met must not meet again in step. */
const SPLIT_MIN_MS = 4;

/** The first pause after which it asks without a message. */
const POLL_MIN_MS = 50;

const DOUBLINGS_MAX = 20;

/** The random pauses of one wait: each kind doubles, up to a limit. */
export class Pauses {
  readonly #random: Pick<RandomSource, 'int'>;
  readonly #mostMs: number;
  #splits = 0;
  #polls = 0;

  constructor(random: Pick<RandomSource, 'int'>, mostMs: number) {
    this.#random = random;
    this.#mostMs = mostMs;
  }

  /** The next pause in ms; `isSplit`: some servers have granted the last attempt; `isUnknown`: no majority has
   * answered in this wait. */
  next(isSplit: boolean, isUnknown = false): number {
    if (isUnknown) {
      // A short wait shows whether it is contention.
      this.#polls = 0;
    }
    this.#splits = isSplit ? this.#splits + 1 : 0;
    this.#polls = isSplit ? 0 : this.#polls + 1;
    return isSplit
      ? this.#doubled(SPLIT_MIN_MS, this.#splits) * this.#chance
      : (this.#doubled(POLL_MIN_MS, this.#polls) * (1 + this.#chance)) / 2;
  }

  /** For the others, after many turns of one client. */
  get afterTurns(): number {
    return SPLIT_MIN_MS * (1 + this.#chance);
  }

  #doubled(firstMs: number, times: number): number {
    return Math.min(this.#mostMs, firstMs * 2 ** Math.min(times - 1, DOUBLINGS_MAX));
  }

  /** From 0 to 1. */
  get #chance(): number {
    return this.#random.int(0, 1_000) / 1_000;
  }
}
