import type { Timeline } from './timeline.js';

/** Any instant will do: what wall clocks show when a run begins. */
const START_MS = 1_800_000_000_000;

/** The wall clock of a machine: it runs at a rate of its own, and may be set. */
export class WallClock {
  readonly #timeline: Pick<Timeline, 'now'>;
  readonly #rate: number;
  /** By how much it is ahead of where it would be if nobody had set it. */
  offsetMs = 0;

  constructor(timeline: Pick<Timeline, 'now'>, rate = 1) {
    this.#timeline = timeline;
    this.#rate = rate;
  }

  nowMs(): number {
    return START_MS + this.#timeline.now * this.#rate + this.offsetMs;
  }
}
