import { outside } from '../base/async-context.js';

/** What to call when a signal aborts, and the listener that does so. */
interface Waits {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

/** The waits of each signal that ends some, of all clients together. */
const waitsOf = new Map<AbortSignal, Waits>();

/**
 * Calls `aborted`, which is nobody else's, once when a signal aborts: at once when it has. The
 * returned function calls that off, and is harmless after it. However many wait, a signal has one
 * listener of ours: Node warns of more than ten, and looks through all of them to remove one.
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
    // The waits belong to other contexts than the code that aborts.
    outside(() => {
      // A wait that is ended may end others, which then are not there any more.
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

/** The last wait leaves nothing behind. */
function stop(signal: AbortSignal, aborted: () => void): void {
  const waits = waitsOf.get(signal);
  if (waits?.all.delete(aborted) === true && waits.all.size === 0) {
    waitsOf.delete(signal);
    signal.removeEventListener('abort', waits.listener);
  }
}
