import { performance } from 'node:perf_hooks';
import * as timers from 'node:timers';
import { runInNewContext, runInThisContext } from 'node:vm';

// The time and the timers of the runtime, taken once, when the library is loaded. Test runners replace
// those of the globals and of `process` at any time, and jsdom has timers of its own.

export const setTimeout: typeof timers.setTimeout = timers.setTimeout;
export const clearTimeout: typeof timers.clearTimeout = timers.clearTimeout;
export const setInterval: typeof timers.setInterval = timers.setInterval;
export const clearInterval: typeof timers.clearInterval = timers.clearInterval;
export const setImmediate: typeof timers.setImmediate = timers.setImmediate;

/** Milliseconds of the monotonic clock. A spy sits on the object, not on its prototype; Bun has no other. */
export const monotonicMs: () => number = (
  Object.getPrototypeOf(performance).now ?? performance.now
).bind(performance);

/** Milliseconds of the wall clock. Where `Date` is a fake by now, that of a fresh realm is taken. */
export const wallMs: () => number =
  isNative(Date, 'Date') && isNative(Date.now, 'now') ? Date.now : runInNewContext('Date.now');

/** That of Node itself: the `process` of a test in Jest is a copy, whose parts are fakes. */
export const nextTick: typeof process.nextTick = runInThisContext('process.nextTick');

/** Runs a step that puts the next one on `process.nextTick`, where a fake would never run it. */
export function withNextTick<T>(step: () => T): T {
  const replaced = process.nextTick;
  if (replaced === nextTick) {
    return step();
  }
  process.nextTick = nextTick;
  try {
    return step();
  } finally {
    process.nextTick = replaced;
  }
}

function isNative(value: unknown, name: string): boolean {
  // A proxy of it has no name.
  return Function.prototype.toString.call(value) === `function ${name}() { [native code] }`;
}
