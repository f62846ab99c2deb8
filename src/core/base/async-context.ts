import { AsyncResource } from 'node:async_hooks';
import { nextTick } from './natives.js';

/** An async context: the values of every AsyncLocalStorage of the program at one point. */
export type Context = Pick<AsyncResource, 'runInAsyncScope'>;

/** The context of the caller. */
export function currentContext(): Context {
  return new AsyncResource('redlatch');
}

/** Runs `task` in a copy of a context: a value that it sets with `enterWith` would otherwise stay
 * in the context for later tasks. */
export function runIn<T>(context: Context, task: () => T): T {
  return context.runInAsyncScope(currentContext).runInAsyncScope(task);
}

/**
 * The context in which this module was loaded. No client existed then, so it is outside of every
 * scope of a hold, and of every context of the program, unless one of these imported this module.
 */
const outermost: Context = currentContext();

/**
 * Runs `task` outside of every context. Timers, connections and promises keep the context in which
 * they were made, and pass it on to their callbacks. So internal work that runs later starts here:
 * it would otherwise run in the context of the caller that caused it, and keep that alive.
 */
export function outside<T>(task: () => T): T {
  return runIn(outermost, task);
}

/** A handler that runs outside of every context, wherever it is called. */
export function outsider<A extends unknown[]>(handler: (...args: A) => void): (...args: A) => void {
  return (...args) => outside(() => Reflect.apply(handler, undefined, args));
}

/** Runs `start`, so that its later callbacks run outside of every context. `start` itself must run
 * no other code: it gets no copy of the context, which saves time in every command. */
export function startOutside<T>(start: () => T): T {
  return outermost.runInAsyncScope(start);
}

/** No fake replaces this one, as it does `queueMicrotask`. */
const microtask = Promise.resolve();

/** Runs `task` as a microtask, outside of every context. */
export function soon(task: () => void): void {
  startOutside(() => void microtask.then(task));
}

/** Runs `task` at the end of this turn of the event loop, outside of every context. */
export function afterTurn(task: () => void): void {
  startOutside(() => nextTick(task));
}

/** Calls one of two functions when a promise is settled, outside of every context. */
export function whenSettled<T>(
  promise: Promise<T>,
  resolved: (value: T) => void,
  rejected: (error: Error) => void,
): void {
  startOutside(() => void promise.then(resolved, rejected));
}
