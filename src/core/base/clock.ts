import { startOutside } from './async-context.js';

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

/** The two clocks of a machine. */
export interface TimeSources {
  monotonicMs(): number;
  wallMs(): number;
}

/**
 * Elapsed time as the larger of monotonic and wall time, since the monotonic clock of a suspended
 * machine stops while the server goes on counting down the lease. Setting the wall clock forward
 * counts as elapsed time too: it ends leases early, which is the safe side.
 */
export function elapsedTime(sources: TimeSources): () => number {
  let suspended = 0;
  let skew = sources.wallMs() - sources.monotonicMs();
  return () => {
    const monotonic = sources.monotonicMs();
    const gain = sources.wallMs() - monotonic - skew;
    if (gain > SUSPENSION_GRAIN_MS) {
      suspended += gain;
      skew += gain;
    } else if (gain < 0) {
      skew += gain;
    }
    return monotonic + suspended;
  };
}

/** The clock of the machine. */
export function systemClock(): Clock {
  const now = elapsedTime({
    monotonicMs: () => performance.now(),
    wallMs: () => Date.now(),
  });
  return {
    now,
    after(delayMs, task) {
      const timeMs = Math.min(Math.max(0, Math.ceil(delayMs)), TIMER_MAX_MS);
      const timer = startOutside(() => setTimeout(task, timeMs));
      timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
    afterInput(task) {
      // In a turn of the event loop timers run before input, so a loop that was blocked sees its
      // timers first. Two immediates later every socket with input has been read. They are not
      // unref'd, since an idle loop would then sleep before it runs them.
      startOutside(() => setImmediate(() => setImmediate(task)));
    },
    keepAlive() {
      const timer = startOutside(() => setInterval(() => {}, TIMER_MAX_MS));
      timer.unref();
      return {
        ref: () => timer.ref(),
        unref: () => timer.unref(),
        cancel: () => clearInterval(timer),
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
