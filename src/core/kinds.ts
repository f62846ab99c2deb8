import { WrongTypeError } from '../errors.js';

/** Names of objects without live users that are remembered, the newest ones. */
const IDLE_MAX = 1_000;

interface Use {
  readonly kind: string;
  users: number;
  /** An answer has shown that there is such an object, and none since that it is gone. */
  shown: boolean;
}

/**
 * What kind of object each name stands for within this client. Redis types tell a lock from a
 * latch, but not a lock from a fenced lock, nor a latch from a semaphore.
 */
export class Kinds {
  readonly #uses = new Map<string, Use>();
  readonly #idle = new Set<string>();

  /** Counts one more user of `name`, or refuses a second kind. */
  enter(key: string, resource: string, kind: string): void {
    let use = this.#uses.get(key);
    if (use !== undefined && use.kind !== kind) {
      throw new WrongTypeError(
        `"${resource}" is in use as a ${use.kind} by this client and cannot be a ${kind}`,
        { resource },
      );
    }
    if (use === undefined) {
      use = { kind, users: 0, shown: false };
      this.#uses.set(key, use);
    }
    use.users += 1;
    this.#idle.delete(key);
  }

  /**
   * One user less. `gone` is what it has seen: the object is gone, or it may still be in Redis
   * (false); undefined when it has failed, which shows nothing about the name. With its last user
   * a name is free, unless the object may still be there: then it keeps its kind among the idle
   * names.
   */
  leave(key: string, gone: boolean | undefined): void {
    const use = this.#uses.get(key);
    if (use === undefined) {
      return;
    }
    use.users -= 1;
    use.shown = gone === undefined ? use.shown : !gone;
    if (use.users > 0) {
      return;
    }
    if (!use.shown) {
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
