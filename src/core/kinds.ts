import { WrongTypeError } from '../errors.js';

/** Names of objects without live users that are remembered, the newest ones. */
const IDLE_MAX = 1_000;

interface Use {
  readonly kind: string;
  users: number;
}

/**
 * What kind of object each name stands for within this client. Redis types tell a lock from a
 * latch, but not a lock from a fenced lock, nor a latch from a semaphore.
 */
export class Kinds {
  readonly #uses = new Map<string, Use>();
  readonly #idle = new Set<string>();

  /** Counts one more user of `name`, or refuses a second kind. True when the name was unused. */
  enter(key: string, resource: string, kind: string): boolean {
    let use = this.#uses.get(key);
    if (use !== undefined && use.kind !== kind) {
      throw new WrongTypeError(
        `"${resource}" is in use as a ${use.kind} by this client and cannot be a ${kind}`,
        { resource },
      );
    }
    const isNew = use === undefined;
    if (use === undefined) {
      use = { kind, users: 0 };
      this.#uses.set(key, use);
    }
    use.users += 1;
    this.#idle.delete(key);
    return isNew;
  }

  /** One user less. An object that is `gone` frees its name; what may still be in Redis keeps its
   * kind among the idle names. */
  leave(key: string, gone: boolean): void {
    const use = this.#uses.get(key);
    if (use === undefined) {
      return;
    }
    use.users -= 1;
    if (use.users > 0) {
      return;
    }
    if (gone) {
      this.#uses.delete(key);
      return;
    }
    this.#idle.add(key);
    if (this.#idle.size > IDLE_MAX) {
      const [oldest] = this.#idle;
      if (oldest !== undefined) {
        this.#idle.delete(oldest);
        this.#uses.delete(oldest);
      }
    }
  }
}
