import type { LeaseLostError } from '../errors.js';

/**
 * An AbortSignal that aborts when a lease is lost. `aborted`, `reason` and `throwIfAborted()` are
 * computed when used: after a pause, code runs before the timer that would fire the event.
 */
export function lossSignal(lostError: () => LeaseLostError | undefined): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const check = (): LeaseLostError | undefined => {
    const error = lostError();
    if (error !== undefined) {
      controller.abort(error);
    }
    return error;
  };
  Object.defineProperties(signal, {
    aborted: { get: () => check() !== undefined, configurable: true },
    reason: { get: check, configurable: true },
    throwIfAborted: {
      value: () => {
        const error = check();
        if (error !== undefined) {
          throw error;
        }
      },
      configurable: true,
    },
  });
  check();
  return controller;
}
