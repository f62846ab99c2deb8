import type { LeaseLostError } from '../../errors.js';
import { abortLater, abortUnheard } from '../base/program-calls.js';

/** The signal, and the function to call when the lease is lost. */
export interface LossSignal {
  readonly signal: AbortSignal;
  lost(error: LeaseLostError): void;
}

/**
 * An AbortSignal that aborts when a lease is lost. Until its event is fired, `aborted`, `reason` and
 * `throwIfAborted()` are computed when used: after a pause, code may run before the timer that would fire it.
 */
export function lossSignal(lostError: () => LeaseLostError | undefined): LossSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const lostBefore = lostError();
  if (lostBefore !== undefined) {
    abortUnheard(controller, lostBefore);
    return { signal, lost: () => undefined };
  }
  let isLost = false;
  // `abort()` of Deno does nothing for a signal that says that it has aborted.
  const computeNoMore = (): void => {
    for (const name of Object.keys(computed)) {
      Reflect.deleteProperty(signal, name);
    }
  };
  const lost = (error: LeaseLostError): void => {
    if (!isLost) {
      isLost = true;
      abortLater(controller, error, computeNoMore);
    }
  };
  const check = (): LeaseLostError | undefined => {
    const error = lostError();
    if (error !== undefined) {
      lost(error);
    }
    return error;
  };
  const computed = {
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
  };
  Object.defineProperties(signal, computed);
  return { signal, lost };
}
