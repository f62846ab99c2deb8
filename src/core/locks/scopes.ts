import { AsyncLocalStorage } from 'node:async_hooks';
import type { HoldInScope } from '../observe/wait-circle.js';

/** The part of a hold that scopes need. */
export interface ScopedHold extends HoldInScope {
  readonly state: 'held' | 'suspect' | 'lost' | 'released';
  /** The hold that it re-entered through, or the next one outwards that is not over. */
  readonly outer: ScopedHold | undefined;
}

/** Stands for a hold in every scope that the hold is in. */
export interface ScopeEntry<H> {
  /** Undefined once its release was settled. An async context may live as long as a connection that
   * was opened in it, and must not keep released holds and their scopes in memory. */
  hold: H | undefined;
  /** What the program has of the hold, which is kept as long as code may run in the scope, until the same time. */
  face: object | undefined;
}

/** The entry of one hold in scopes, as the hold knows it: once the hold is watched, only the scopes keep it. */
export class OwnEntry<H> {
  #known: ScopeEntry<H> | WeakRef<ScopeEntry<H>> | undefined;

  /** The entry with what the program has of the hold; the same for all scopes. */
  with(hold: H, face: object, isWatched: boolean): ScopeEntry<H> {
    const known = this.#entry;
    if (known !== undefined) {
      return known;
    }
    const entry = { hold, face };
    this.#known = isWatched ? new WeakRef(entry) : entry;
    return entry;
  }

  /** The hold is watched from now on. */
  watched(): void {
    const entry = this.#entry;
    this.#known = entry && new WeakRef(entry);
  }

  /** The scopes forget the hold. */
  forget(): void {
    const entry = this.#entry;
    if (entry !== undefined) {
      entry.hold = undefined;
      entry.face = undefined;
    }
  }

  get #entry(): ScopeEntry<H> | undefined {
    return this.#known instanceof WeakRef ? this.#known.deref() : this.#known;
  }
}

const NOWHERE: readonly never[] = [];

/**
 * The async scopes of running `using(task)` and `hold.run(task)`. AsyncLocalStorage.run() is the
 * only API that delimits an owner: execution ids change with every await, and `enterWith()` would
 * let siblings in.
 *
 * A scope lists the holds around it, nearest first, each once and without those that are over: a
 * job that starts its next run inside its scope would otherwise keep all earlier runs in memory.
 */
export class Scopes<H extends ScopedHold> {
  readonly #storage = new AsyncLocalStorage<ScopeEntry<H>[]>();

  /** Runs `task` in the scope of the hold at `entry`. */
  run<T>(entry: ScopeEntry<H>, task: () => T): T {
    return this.runInAll([entry], task);
  }

  /** The same, in that of several holds at once. */
  runInAll<T>(inner: readonly ScopeEntry<H>[], task: () => T): T {
    const entries = [...inner];
    for (const other of this.#around()) {
      if (!inner.includes(other)) {
        entries.push(other);
      }
    }
    return this.#storage.run(entries, task);
  }

  /** The nearest enclosing hold of a lock. Released holds are skipped: a scope ends with its hold.
   * A lost hold is returned, since work inside it must not go on. */
  enclosing(lockId: string): H | undefined {
    for (const { hold } of this.#around()) {
      if (hold?.lockId === lockId && hold.state !== 'released') {
        return hold;
      }
    }
    return undefined;
  }

  /** The scopes around the current code. They have no holds that are over, whenever they are looked at. */
  get entries(): readonly ScopeEntry<H>[] {
    return this.#storage.getStore() ?? NOWHERE;
  }

  /** True when the current code runs inside a scope of `hold`, or of a hold re-entered from it:
   * waiting here for `hold` to end would be a deadlock. */
  isInside(hold: ScopedHold): boolean {
    const entries = this.#around();
    return entries.some(({ hold: scoped }, i) => {
      // The holds from that of the next scope on are checked with that scope.
      const end = entries[i + 1]?.hold;
      let inner: ScopedHold | undefined = scoped;
      while (inner !== undefined && inner !== end) {
        if (inner === hold) {
          return true;
        }
        inner = inner.outer;
      }
      return false;
    });
  }

  /** The scope of the current code, from which holds that are over are removed here. */
  #around(): readonly ScopeEntry<H>[] {
    const entries = this.#storage.getStore();
    if (entries === undefined) {
      return [];
    }
    let kept = 0;
    for (const entry of entries) {
      if (entry.hold !== undefined) {
        entries[kept] = entry;
        kept += 1;
      }
    }
    entries.length = kept;
    return entries;
  }
}
