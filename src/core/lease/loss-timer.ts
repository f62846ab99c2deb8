import type { Clock, Timer } from '../base/clock.js';
import type { LeaseDeadline } from './lease-deadline.js';

/** Looks at a lease when it may end, though nobody asks: `look` reports the loss, or says that it has ended. */
export class LossTimer {
  readonly #clock: Clock;
  readonly #end: LeaseDeadline;
  readonly #look: () => boolean;
  #timer: Timer | undefined;
  #horizonMs = 0;

  constructor(clock: Clock, end: LeaseDeadline, look: () => boolean) {
    this.#clock = clock;
    this.#end = end;
    this.#look = look;
  }

  /** Rings when the lease may end, if it can within `horizonMs`. Where it is armed already, the lease may last longer
   * by then: the widest horizon counts. */
  arm(horizonMs: number): void {
    this.#horizonMs = Math.max(this.#horizonMs, horizonMs);
    const nextMs = this.#end.nextMs(this.#clock.now());
    if (this.#timer === undefined && nextMs < this.#horizonMs) {
      this.#timer = this.#clock.after(nextMs, () => {
        this.#timer = undefined;
        if (!this.#look()) {
          this.arm(0);
        }
      });
    }
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#horizonMs = 0;
  }
}
