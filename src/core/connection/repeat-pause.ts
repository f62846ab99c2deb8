import type { Clock, Timer } from '../base/clock.js';
import type { Environment } from './environment.js';
import { pauseBefore } from './retry-pause.js';

export interface PauseParts {
  readonly clock: Clock;
  readonly random: Pick<Environment['random'], 'int'>;
}

/** No pause is longer than this, nor than these parts of a lease and of the time that a call has. */
const PAUSE_MAX_MS = 1_000;
/** Holds are renewed three times a lease: a call about one is sent again before the next renewal. */
const PAUSES_A_LEASE = 6;
/** A call that is made during a pause, when the refusals are over, is sent before its caller stops waiting. */
const PAUSES_A_CALL = 2;

/** After so long without a refusal the next one is the first again. */
const QUIET_MS = 2_000;

/** The longest pause, in ms, before a client repeats what was refused. */
export function longestPauseMs(leaseMs: number, commandTimeoutMs: number): number {
  return Math.min(PAUSE_MAX_MS, leaseMs / PAUSES_A_LEASE, commandTimeoutMs / PAUSES_A_CALL);
}

/** The pause before a client repeats what was answered with a refusal: some ms after the first one, then each may be
 * twice as long as the one before, for as long as the refusals last. */
export class RepeatPause {
  readonly #environment: PauseParts;
  readonly #maxMs: number;
  readonly #over: () => void;
  #timer: Timer | undefined;
  #endedAt = Number.NEGATIVE_INFINITY;
  #repetitions = 0;

  constructor(environment: PauseParts, maxMs: number, over: () => void) {
    this.#environment = environment;
    this.#maxMs = maxMs;
    this.#over = over;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins it, unless it is on. */
  begin(): void {
    if (this.isOn) {
      return;
    }
    const { clock, random } = this.#environment;
    if (clock.now() - this.#endedAt > QUIET_MS) {
      this.#repetitions = 0;
    }
    const pauseMs = pauseBefore(this.#repetitions, this.#maxMs, random);
    this.#repetitions += 1;
    this.#timer = clock.after(pauseMs, () => {
      this.#timer = undefined;
      this.#endedAt = clock.now();
      this.#over();
    });
  }

  /** There is another connection: what it refuses is refused for the first time. */
  reset(): void {
    this.#repetitions = 0;
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
