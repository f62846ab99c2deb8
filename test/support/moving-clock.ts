// The machine's clock, of which a test sets the wall clock, or lets the process stand still.

import { systemClock, type Clock } from '../../src/core/base/clock.js';
import { monotonicMs, wallMs } from '../../src/core/base/natives.js';

export interface MovingClock extends Clock {
  /** Sets the wall clock forward by so much, or back. */
  set(ms: number): void;
  /** Lets so much time pass at once, as when synchronous code runs for so long. */
  block(ms: number): void;
}

export function movingClock(): MovingClock {
  const moved = { monotonic: 0, wall: 0 };
  const clock = systemClock({
    monotonicMs: () => monotonicMs() + moved.monotonic,
    wallMs: () => wallMs() + moved.wall,
  });
  return {
    ...clock,
    set(ms) {
      moved.wall += ms;
    },
    block(ms) {
      moved.monotonic += ms;
      moved.wall += ms;
    },
  };
}
