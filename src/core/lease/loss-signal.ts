import type { LeaseLostError } from '../../errors.js';
import { outside } from '../base/async-context.js';

/** The signal, and the function that aborts it when the lease is lost. */
export interface LossSignal {
  readonly signal: AbortSignal;
  abort(error: LeaseLostError): void;
}

/**
 * An AbortSignal that aborts when a lease is lost. `aborted`, `reason` and `throwIfAborted()` are
 * computed when used: after a pause, code may run before the timer that would fire the event. The
 * listeners run outside of every async context, since the code that finds the loss is not theirs.
 */
export function lossSignal(lostError: () => LeaseLostError | undefined): LossSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let isAborted = false;
  const abort = (error: LeaseLostError): void => {
    if (!isAborted) {
      isAborted = true;
      outside(() => controller.abort(error));
    }
  };
  const check = (): LeaseLostError | undefined => {
    const error = lostError();
    if (error !== undefined) {
      abort(error);
    }
    return error;
  };
  Object.defineProperties(signal, {
    aborted: { get: () => check() !== undefined },
    reason: { get: check },
    throwIfAborted: {
      value: () => {
        const error = check();
        if (error !== undefined) {
          throw error;
        }
      },
    },
  });
  check();
  return { signal, abort };
}
