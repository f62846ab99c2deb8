import type { Timer } from '../base/clock.js';
import type { Environment } from './environment.js';

/** The pause between two attempts starts at the shortest and doubles up to the longest. */
const PAUSE_MIN_MS = 16;
const PAUSE_MAX_MS = 1_000;

/** A pause before an attempt, in ms: random, so that clients do not try together. Each may be twice as long as the one
 * before. */
export function pauseBefore(
  attempt: number,
  maxMs: number,
  random: Pick<Environment['random'], 'int'>,
): number {
  const pauseMs = Math.ceil(Math.min(PAUSE_MIN_MS * 2 ** attempt, maxMs));
  return random.int(Math.ceil(pauseMs / 2), pauseMs);
}

/** The pause before the next attempt to connect: random, and each may be twice as long as the one before. */
export class RetryPause {
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  readonly #over: () => void;
  #timer: Timer | undefined;
  #attempts = 0;

  constructor(environment: Pick<Environment, 'clock' | 'random'>, over: () => void) {
    this.#environment = environment;
    this.#over = over;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  begin(): void {
    const { clock, random } = this.#environment;
    const pauseMs = pauseBefore(this.#attempts, PAUSE_MAX_MS, random);
    this.#attempts += 1;
    this.#timer = clock.after(pauseMs, () => this.#end());
  }

  /** Ends it before its time, if it is on. */
  endNow(): void {
    if (this.#timer !== undefined) {
      this.#timer.cancel();
      this.#end();
    }
  }

  /** An attempt has succeeded: the next pause is short again. */
  reset(): void {
    this.#attempts = 0;
  }

  cancel(): void {
    this.#timer?.cancel();
  }

  #end(): void {
    this.#timer = undefined;
    this.#over();
  }
}
