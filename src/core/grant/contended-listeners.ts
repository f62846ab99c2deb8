import { currentContext } from '../base/async-context.js';
import { callLater } from '../base/program-calls.js';
import type { Events } from '../observe/events.js';

/** The listeners of one hold to which another client that waits is told. Each is called once, and not after
 * the end of the hold. */
export class ContendedListeners {
  readonly #events: Events;
  readonly #isOver: () => boolean;
  /** What is kept as long as each is set. */
  readonly #calls = new Map<() => void, object>();

  constructor(events: Events, isOver: () => boolean) {
    this.#events = events;
    this.#isOver = isOver;
  }

  /** Returns a function that takes the listener back. `isKnown`: another client waits already. `kept` is kept as long
   * as the listener is set. */
  add(listener: () => void, isKnown: boolean, kept: object): () => void {
    const context = currentContext();
    const call = (): void => {
      if (this.#calls.delete(call) && !this.#isOver()) {
        this.#events.call('contended', context, listener);
      }
    };
    this.#calls.set(call, kept);
    if (isKnown) {
      callLater(call);
    }
    return () => void this.#calls.delete(call);
  }

  tell(): void {
    for (const call of this.#calls.keys()) {
      callLater(call);
    }
  }
}
