import { startOutside } from './async-context.js';
import * as natives from './natives.js';

/** A timer. Cancelling it twice is harmless. */
export interface Timer {
  cancel(): void;
}

/** Keeps the process alive from `ref()` to `unref()`; sockets and timers of a client never do. */
export interface KeepAlive {
  ref(): void;
  unref(): void;
  cancel(): void;
}

/** The only source of time in the library, injected so that tests can drive it. */
export interface Clock {
  /** Elapsed milliseconds, time in which the machine was suspended included; never goes back. */
  now(): number;
  /** How much of the time since the instant `at` came from steps: the machine was suspended, or its wall
   * clock was set forward. */
  steppedSince(at: number): number;
  /** Runs `task` once after `delayMs`, outside of every async context. Never keeps the process
   * alive (see `keepAlive`). */
  after(delayMs: number, task: () => void): Timer;
  /** Runs `task` after the input that is already waiting in this process has been handled, outside
   * of every async context. */
  afterInput(task: () => void): void;
  /** Makes a `KeepAlive`, which is not yet referenced. */
  keepAlive(): KeepAlive;
}

const TIMER_MAX_MS = 2_147_483_647;

/** Wall time may gain this much on monotonic time before it counts as a suspended machine: it
 * covers the 1 ms grain of the wall clock. */
const SUSPENSION_GRAIN_MS = 10;

/** So many steps are remembered. What is forgotten counts as time that has passed as any other. */
const STEPS_MAX = 32;

/** The two clocks of a machine. */
export interface TimeSources {
  monotonicMs(): number;
  wallMs(): number;
}

/** A gain of wall time on monotonic time, and the instant at which it was noticed. */
interface Step {
  readonly at: number;
  readonly ms: number;
}

/**
 * Elapsed time as the larger of monotonic and wall time, since the monotonic clock of a suspended
 * machine stops while the server goes on counting down the lease. Setting the wall clock forward
 * counts as elapsed time too, since nothing tells the two apart: it ends proof early, which is the safe
 * side, and the server is asked then.
 */
export function elapsedTime(sources: TimeSources): Pick<Clock, 'now' | 'steppedSince'> {
  let suspended = 0;
  let skew = sources.wallMs() - sources.monotonicMs();
  const steps: Step[] = [];
  const now = (): number => {
    const monotonic = sources.monotonicMs();
    const gain = sources.wallMs() - monotonic - skew;
    if (gain > SUSPENSION_GRAIN_MS) {
      steps.push({ at: monotonic + suspended, ms: gain });
      if (steps.length > STEPS_MAX) {
        steps.shift();
      }
      suspended += gain;
      skew += gain;
    } else if (gain < 0) {
      skew += gain;
    }
    return monotonic + suspended;
  };
  const steppedSince = (since: number): number => {
    now();
    return steps.reduce((sum, { at, ms }) => (at >= since ? sum + ms : sum), 0);
  };
  return { now, steppedSince };
}

const MACHINE: TimeSources = { monotonicMs: natives.monotonicMs, wallMs: natives.wallMs };

/** Epoch milliseconds, for instants that others give. It may be set at any time. */
export const wallNow: () => number = natives.wallMs;

/** The clock of the machine. */
export function systemClock(sources: TimeSources = MACHINE): Clock {
  const time = elapsedTime(sources);
  return {
    ...time,
    after(delayMs, task) {
      const timeMs = Math.min(Math.max(0, Math.ceil(delayMs)), TIMER_MAX_MS);
      const timer = startOutside(() => natives.setTimeout(task, timeMs));
      timer.unref();
      return { cancel: () => natives.clearTimeout(timer) };
    },
    afterInput(task) {
      // In a turn of the event loop timers run before input, so a loop that was blocked sees its
      // timers first. Two immediates later every socket with input has been read. They are not
      // unref'd, since an idle loop would then sleep before it runs them.
      startOutside(() => natives.setImmediate(() => natives.setImmediate(task)));
    },
    keepAlive() {
      const timer = startOutside(() => natives.setInterval(() => {}, TIMER_MAX_MS));
      timer.unref();
      return {
        ref: () => timer.ref(),
        unref: () => timer.unref(),
        cancel: () => natives.clearInterval(timer),
      };
    },
  };
}

/** Runs `task` once after `delayMs`, unless the handling of input that has arrived by then cancels
 * it: a process that was blocked or stopped sees its timers before its input. */
export function deadline(clock: Clock, delayMs: number, task: () => void): Timer {
  let isOpen = true;
  const timer = clock.after(delayMs, () => {
    clock.afterInput(() => {
      if (isOpen) {
        task();
      }
    });
  });
  return {
    cancel: () => {
      isOpen = false;
      timer.cancel();
    },
  };
}
