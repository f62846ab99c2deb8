import { AsyncResource } from 'node:async_hooks';

/** An async context: what every AsyncLocalStorage of the program holds at some place. */
export type Context = Pick<AsyncResource, 'runInAsyncScope'>;

/** The context of the caller. */
export function currentContext(): Context {
  return new AsyncResource('latchkey');
}

/** Runs `task` in a context, and alone there: what it enters for good (`enterWith`) would otherwise
 * stay for those who come after it. */
export function runIn<T>(context: Context, task: () => T): T {
  return context.runInAsyncScope(currentContext).runInAsyncScope(task);
}

/**
 * The context in which this module was loaded: outside of every scope of ours, since there was no
 * client then, and outside of the program's contexts, unless it has imported us inside of one.
 */
const outermost: Context = currentContext();

/**
 * Runs `task` outside of every context. Timers, connections and promises keep the context in which
 * they were made, and pass it on to what they call. So everything internal that runs later starts
 * here: it would run, and keep alive, what belongs to whoever happened to cause it.
 */
export function outside<T>(task: () => T): T {
  return runIn(outermost, task);
}

/** A handler that runs outside of every context, whoever calls it. */
export function outsider<A extends unknown[]>(handler: (...args: A) => void): (...args: A) => void {
  return (...args) => outside(() => Reflect.apply(handler, undefined, args));
}

/** Has something that calls back later do so outside of every context. For functions that run nothing
 * themselves: they need not be alone there, which matters on the path of every command. */
export function startOutside<T>(start: () => T): T {
  return outermost.runInAsyncScope(start);
}

/** Runs `task` as a microtask, outside of every context. */
export function soon(task: () => void): void {
  outermost.runInAsyncScope(queueMicrotask, undefined, task);
}

/** Runs `task` at the end of this turn of the event loop, outside of every context. */
export function afterTurn(task: () => void): void {
  startOutside(() => process.nextTick(task));
}

/** Tells what came of a promise, outside of every context. */
export function whenSettled<T>(
  promise: Promise<T>,
  resolved: (value: T) => void,
  rejected: (error: Error) => void,
): void {
  startOutside(() => void promise.then(resolved, rejected));
}
