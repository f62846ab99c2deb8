import { outside } from '../base/async-context.js';

/** The functions to call when a signal aborts, and the listener that calls them. */
interface Waits {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

/** The waits of each signal, of all clients together. */
const waitsOf = new Map<AbortSignal, Waits>();

/**
 * Calls `aborted`, a function used for this call only, once when a signal aborts: at once when it
 * has. The returned function cancels, and is harmless afterwards. All waits of a signal share one
 * listener: Node warns of more than ten, and searches through all of them to remove one.
 */
export function whenAborted(signal: AbortSignal, aborted: () => void): () => void {
  if (signal.aborted) {
    aborted();
    return () => {};
  }
  const { all } = waitsOf.get(signal) ?? listen(signal);
  all.add(aborted);
  return () => stop(signal, aborted);
}

function listen(signal: AbortSignal): Waits {
  const all = new Set<() => void>();
  const listener = (): void => {
    // The code that aborts has another context than the waits.
    outside(() => {
      // A wait that ends may end others, which are then removed from the set.
      for (const aborted of all) {
        stop(signal, aborted);
        aborted();
      }
    });
  };
  const waits = { all, listener };
  waitsOf.set(signal, waits);
  signal.addEventListener('abort', listener);
  return waits;
}

/** Removes a wait; with the last one of a signal the listener goes too. */
function stop(signal: AbortSignal, aborted: () => void): void {
  const waits = waitsOf.get(signal);
  if (waits?.all.delete(aborted) === true && waits.all.size === 0) {
    waitsOf.delete(signal);
    signal.removeEventListener('abort', waits.listener);
  }
}
