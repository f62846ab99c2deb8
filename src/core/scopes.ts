import { AsyncLocalStorage } from 'node:async_hooks';

/** A hold as the tree of scopes sees it. */
export interface ScopedHold {
  /** Which lock it holds. */
  readonly lockId: string;
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  /** The hold it re-entered through. */
  readonly outer: ScopedHold | undefined;
}

interface Scope<H> {
  readonly hold: H;
  readonly enclosing: Scope<H> | undefined;
}

/**
 * The async scopes of a client: a tree with one node per running `using(task)` or
 * `hold.run(task)`. AsyncLocalStorage.run() is the only API that delimits an owner: execution ids
 * change with every await, and `enterWith()` would let siblings in.
 */
export class Scopes<H extends ScopedHold> {
  readonly #storage = new AsyncLocalStorage<Scope<H>>();

  /** Runs `task` in the scope of `hold`. */
  run<T>(hold: H, task: () => T): T {
    return this.#storage.run({ hold, enclosing: this.#storage.getStore() }, task);
  }

  /** The nearest enclosing hold of a lock. Released ones are passed over: a scope ends with its
   * hold. A lost one is returned, since work inside it must not go on. */
  enclosing(lockId: string): H | undefined {
    let scope = this.#storage.getStore();
    while (scope !== undefined) {
      if (scope.hold.lockId === lockId && scope.hold.state !== 'released') {
        return scope.hold;
      }
      scope = scope.enclosing;
    }
    return undefined;
  }

  /** True when the current code runs inside a scope of `hold`, or of a hold re-entered from it:
   * waiting here for `hold` to end would be waiting for oneself. */
  isInside(hold: ScopedHold): boolean {
    for (let scope = this.#storage.getStore(); scope; scope = scope.enclosing) {
      for (let inner: ScopedHold | undefined = scope.hold; inner; inner = inner.outer) {
        if (inner === hold) {
          return true;
        }
      }
    }
    return false;
  }
}
