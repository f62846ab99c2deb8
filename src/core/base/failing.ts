import { CoordinationError } from '../../coordination-error.js';
import { LeaseLostError } from '../../errors.js';

const turn = Promise.resolve();
const ignore = (): void => {};

/** The frames of this library, and of Node, must not leave the caller without any: a stack has ten by default. */
const FRAMES_FACTOR = 3;

/**
 * Rejects as the caller's own code would: a promise that is resolved with this one rejects, and the stack of the error
 * ends in the frames that await it. An error that is made by a timer or an answer has the frames of that only. Like
 * `reject`, it does nothing to a promise that is settled.
 *
 * The error is made for this one call. What others have as well keeps its stack, which they may have printed: a loss,
 * which `signal`, events and calls share, the reason of an abort (`ending`), and an error of the driver.
 */
export function failing(error: unknown, ending?: { readonly why: string }): Promise<never> {
  const isShared = error instanceof LeaseLostError || ending?.why === 'aborted';
  if (error instanceof CoordinationError && !isShared) {
    const rejected: Promise<never> = atCaller(error, () => void rejected.catch(ignore));
    return rejected;
  }
  return unseen(error);
}

/** The same for an error that no caller sees, or that others have as well: its stack stays as it is. */
export function unseen(error: unknown): Promise<never> {
  const rejected = Promise.reject(error);
  rejected.catch(ignore);
  return rejected;
}

/** V8 finds the callers through the one promise that follows this one. It does so two turns after that was resolved,
 * and no more when something else follows it as well: `found` is called after that. */
async function atCaller(error: Error, found: () => void): Promise<never> {
  await turn;
  await turn;
  const limit = Error.stackTraceLimit;
  // It cannot be set where a program has frozen it.
  Reflect.set(Error, 'stackTraceLimit', FRAMES_FACTOR * limit);
  Error.captureStackTrace(error, atCaller);
  Reflect.set(Error, 'stackTraceLimit', limit);
  found();
  throw error;
}
