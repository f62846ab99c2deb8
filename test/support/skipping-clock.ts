// The machine's clock, on which a test can skip a long time: whatever falls due on the way is run.

import { systemClock, type Clock, type Timer } from '../../src/core/base/clock.js';
import { eventually } from './eventually.js';

export interface SkippingClock extends Clock {
  /** Lets so much time have passed, at once. */
  skip(ms: number): void;
  /** Lets a quarter of a second pass at each look, until `condition` holds. */
  lapse(condition: () => boolean): Promise<void>;
}

interface Waiting {
  readonly dueAt: number;
  readonly fire: () => void;
}

/** A machine on which each pause and each limit takes ten times as long: whatever it does itself is quick there. */
export function slowClock(): Clock {
  const clock = systemClock();
  return {
    ...clock,
    now: () => clock.now() / 10,
    after: (delayMs, task) => clock.after(delayMs * 10, task),
  };
}

export function skippingClock(clock: Clock = systemClock()): SkippingClock {
  const waiting = new Set<Waiting>();
  let skippedMs = 0;
  const now = (): number => clock.now() + skippedMs;
  const skip = (ms: number): void => {
    skippedMs += ms;
    const due = [...waiting].filter(({ dueAt }) => dueAt <= now());
    for (const { fire } of due.toSorted((a, b) => a.dueAt - b.dueAt)) {
      fire();
    }
  };
  return {
    ...clock,
    now,
    after(delayMs, task): Timer {
      const entry = {
        dueAt: now() + delayMs,
        fire: () => {
          timer.cancel();
          if (waiting.delete(entry)) {
            task();
          }
        },
      };
      const timer = clock.after(delayMs, entry.fire);
      waiting.add(entry);
      return {
        cancel: () => {
          waiting.delete(entry);
          timer.cancel();
        },
      };
    },
    skip,
    async lapse(condition) {
      const look = (): boolean => {
        skip(250);
        return condition();
      };
      // Answers come meanwhile: none of them may be late by more than a few looks.
      await eventually(look, { withinMs: 20_000, everyMs: 50 });
    },
  };
}
