import { describe } from './key-names.js';
import type { WaitOptions } from './arguments.js';

/** What `using` runs with what it has acquired. */
export type Task<G, T> = (granted: G) => T | Promise<T>;

/** Either argument of `using`: the task and the options come in any order. */
type Argument<G, T> = Task<G, T> | WaitOptions | undefined;

/** The task among the two arguments of `using`; throws a TypeError unless there is exactly one. */
export function taskOf<G, T>(first: Argument<G, T>, second: Argument<G, T>): Task<G, T> {
  const isFirst = typeof first === 'function';
  const task = isFirst ? first : second;
  const other = isFirst ? second : first;
  if (typeof task !== 'function') {
    // Where only one argument was given, that is the one to complain about.
    throw new TypeError(`task must be a function, got ${describe(task ?? other)}`);
  }
  if (typeof other === 'function') {
    throw new TypeError('task must be a function and options must be an object, got two functions');
  }
  return task;
}

/** The argument of `using` beside its task. */
export function optionsOf(first: unknown, second: unknown): unknown {
  return typeof first === 'function' ? second : first;
}

/** Runs the task of `using` and then releases what it was granted. The error of the task wins over one of the release. */
export async function releasedAfter<T>(
  granted: AsyncDisposable & { release(): Promise<void> },
  task: () => T | Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await task();
  } catch (error) {
    await granted[Symbol.asyncDispose]();
    throw error;
  }
  await granted.release();
  return result;
}
