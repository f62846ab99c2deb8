import type { Clock, Timer } from './clock.js';

/** A row of deadlines that one alarm watches. */
export interface Deadlines {
  /** The earliest of them; undefined when there is none. */
  readonly earliest: number | undefined;
  /** The earliest has passed: it must be taken off the row, or moved to later. */
  due(): void;
}

/**
 * One timer for a row of deadlines. Input that has arrived in time is handled before a deadline is
 * judged, however long this process was busy or stopped, although Node runs timers before input.
 * The timer cannot be set between its ring and the judgement; the judgement sets it to the deadline
 * that is then the earliest. So no deadline is skipped, and none waits for a later one.
 */
export class Alarm {
  readonly #clock: Clock;
  readonly #row: Deadlines;
  #state: 'idle' | 'armed' | 'judging' | 'closed' = 'idle';
  #timer: Timer | undefined;
  #armedFor = 0;
  #rangAt = 0;

  constructor(clock: Clock, row: Deadlines) {
    this.#clock = clock;
    this.#row = row;
  }

  /** A deadline was added to the row. Moving one to later or taking one off needs no call. */
  added(deadline: number): void {
    if (this.#state === 'idle') {
      this.#arm(deadline);
    } else if (this.#state === 'armed' && deadline < this.#armedFor) {
      this.#timer?.cancel();
      this.#arm(deadline);
    }
  }

  /** From now on nothing falls due. */
  close(): void {
    this.#timer?.cancel();
    this.#state = 'closed';
  }

  #arm(deadline: number): void {
    this.#state = 'armed';
    this.#armedFor = deadline;
    this.#timer = this.#clock.after(deadline - this.#clock.now(), this.#ring);
  }

  readonly #ring = (): void => {
    this.#rangAt = this.#clock.now();
    if (this.#isDue(this.#rangAt)) {
      this.#state = 'judging';
      // oxlint-disable-next-line no-restricted-properties -- this is the place for it
      this.#clock.afterInput(this.#judge);
    } else {
      this.#rearm();
    }
  };

  readonly #judge = (): void => {
    // Only deadlines that were due at the ring: for later ones the input has not been read yet.
    const rangAt = this.#rangAt;
    try {
      // Each step reads the row anew: `due` may add and drop deadlines, or close the alarm.
      while (this.#state === 'judging' && this.#isDue(rangAt)) {
        this.#row.due();
      }
    } finally {
      this.#rearm();
    }
  };

  #isDue(now: number): boolean {
    const { earliest } = this.#row;
    return earliest !== undefined && earliest <= now;
  }

  #rearm(): void {
    const { earliest } = this.#row;
    if (this.#state === 'closed') {
      return;
    }
    if (earliest === undefined) {
      this.#state = 'idle';
    } else {
      this.#arm(earliest);
    }
  }
}
