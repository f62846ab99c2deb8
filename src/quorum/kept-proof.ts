import { deadline, type Clock, type Timer } from '../core/base/clock.js';

/** The proof of a vote that its server gave before it was restarted: nobody else can use that vote before its deadline,
 * as the server does not vote until then. */
export class KeptProof {
  readonly #clock: Clock;
  #until = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isThere(): boolean {
    return this.#clock.now() < this.#until;
  }

  get remainingMs(): number {
    return Math.max(0, Math.floor(this.#until - this.#clock.now()));
  }

  /** Keeps it for so long; `ended` is called then, unless it is dropped before. */
  keep(forMs: number, ended: () => void): void {
    this.#until = this.#clock.now() + forMs;
    this.#timer?.cancel();
    this.#timer = deadline(this.#clock, forMs, ended);
  }

  drop(): void {
    this.#timer?.cancel();
    this.#until = Number.NEGATIVE_INFINITY;
  }
}
