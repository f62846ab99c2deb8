// Time that stands still until a test moves it.

import type { Clock, Timer } from '../../src/core/base/clock.js';

interface FakeTimer extends Timer {
  readonly dueAt: number;
  readonly task: () => void;
}

export interface FakeClock extends Clock {
  /** Lets time pass, and runs the timers that come due on the way, in order. */
  advance(ms: number): void;
  /** Lets time pass while nothing runs, as in a blocked or suspended process. */
  freeze(ms: number): void;
  /** Sets the wall clock forward, or suspends the machine, for so long. */
  step(ms: number): void;
  /** From now on input takes time: what comes after it waits for `inputHandled`. */
  holdInput(): void;
  /** The input that was there has been handled: runs what comes after it. */
  inputHandled(): void;
  /** Timers that wait. */
  readonly pending: number;
}

/** Randomness that draws the largest number. */
export const LARGEST = { int: (_from: number, to: number): number => to };

export function fakeClock(startAt = 1_000): FakeClock {
  let time = startAt;
  const steps: { readonly at: number; readonly ms: number }[] = [];
  const timers = new Set<FakeTimer>();
  let afterInput: (() => void)[] | undefined;
  const next = (until: number): FakeTimer | undefined =>
    [...timers]
      .filter(({ dueAt }) => dueAt <= until)
      .toSorted((a, b) => a.dueAt - b.dueAt)
      .at(0);
  return {
    now: () => time,
    steppedSince: (since) => steps.reduce((sum, { at, ms }) => (at >= since ? sum + ms : sum), 0),
    after(delayMs, task) {
      const timer: FakeTimer = {
        dueAt: time + Math.max(0, delayMs),
        task,
        cancel: () => timers.delete(timer),
      };
      timers.add(timer);
      return timer;
    },
    afterInput: (task) => (afterInput === undefined ? task() : void afterInput.push(task)),
    keepAlive: () => ({ ref: () => {}, unref: () => {}, cancel: () => {} }),
    advance(ms) {
      const end = time + ms;
      for (let timer = next(end); timer !== undefined; timer = next(end)) {
        time = Math.max(time, timer.dueAt);
        timers.delete(timer);
        timer.task();
      }
      time = end;
    },
    freeze(ms) {
      time += ms;
    },
    step(ms) {
      steps.push({ at: time, ms });
      time += ms;
    },
    holdInput() {
      afterInput ??= [];
    },
    inputHandled() {
      for (const task of afterInput?.splice(0) ?? []) {
        task();
      }
    },
    get pending() {
      return timers.size;
    },
  };
}
