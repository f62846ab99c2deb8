import type { WaitLimit } from '../core/waiting/wait-limit.js';

/** The asks under way of one client, by their first lock. Who asks for the same lock first waits until that is
 * answered, and mostly joins its queue then: a thousand waiters cost the server what one costs, and get in in the
 * order of their calls. */
export class Asking {
  readonly #behind = new Map<string, Set<() => void>>();

  /** Resolves when an ask under way was answered, or the wait has ended; undefined when there is none. */
  behind(lockId: string, waitLimit: WaitLimit): Promise<void> | undefined {
    const behind = this.#behind.get(lockId);
    return (
      behind &&
      new Promise((resolve) => {
        const goOn = (): void => {
          waitLimit.onEnd = undefined;
          behind.delete(goOn);
          resolve();
        };
        behind.add(goOn);
        waitLimit.onEnd = goOn;
      })
    );
  }

  /** An ask begins; returns the function that ends it. */
  begin(lockId: string): () => void {
    const behind = this.#behind.get(lockId) ?? new Set<() => void>();
    this.#behind.set(lockId, behind);
    return () => {
      if (this.#behind.get(lockId) === behind) {
        this.#behind.delete(lockId);
      }
      for (const goOn of behind) {
        goOn();
      }
    };
  }
}
