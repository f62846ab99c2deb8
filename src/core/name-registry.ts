import { WrongTypeError } from '../server-errors.js';

/** The most names without users that are remembered; the oldest are forgotten first. */
const IDLE_MAX = 1_000;

/** An object under its name. */
export interface NamedObject {
  /** The name as the caller knows it. */
  readonly resource: string;
  readonly key: string;
  /** The kind of the object; the same for the two sides of a read-write lock. */
  readonly family: string;
  /** Its keys beside `key` that another object may have as well: those of Redisson. Private keys
   * are different for each name. */
  readonly sideKeys: readonly string[];
}

/** The side keys of an object that has only one key of Redisson's. */
export const NO_SIDE_KEYS: readonly string[] = [];

/** An object that is in use within this client, or was in use and may still exist. */
export interface Use {
  readonly object: NamedObject;
  users: number;
  /** An answer has shown that the object exists, and no later one that it is gone. */
  shown: boolean;
}

/**
 * The kind of object that each name stands for within this client. Redis types tell a lock from a
 * latch, but not a lock from a fenced lock, nor a latch from a semaphore. And two names may share a
 * key: `y` and `{y}` have one queue, one set of permits, one token; or the name of a lock may be
 * the key of another lock's queue.
 */
export class NameRegistry {
  /** The uses, by each key of their objects that another object may have as well. */
  readonly #uses = new Map<string, Use>();
  readonly #idle = new Set<Use>();

  /**
   * Counts one more user of an object. Throws when its name is in use as another kind, or when an
   * object that shares a key with it is in use. If only a remembered use without users is in the
   * way, it may be gone by now: nothing is counted, and that use is returned.
   */
  enter(object: NamedObject): Use | undefined {
    const use = this.#uses.get(object.key);
    if (use === undefined || !isOf(use, object)) {
      return this.#add(object, use);
    }
    use.users += 1;
    this.#idle.delete(use);
    return undefined;
  }

  /**
   * Counts one user less. `gone`: true if the user saw that the object is gone, false if it may
   * still be in Redis, undefined if its call failed, which shows nothing. With its last user a name
   * is free, unless the object may still exist: then it keeps its kind among the idle names.
   */
  leave(object: NamedObject, gone: boolean | undefined): void {
    const use = this.#uses.get(object.key);
    if (use === undefined || !isOf(use, object)) {
      return;
    }
    use.users -= 1;
    use.shown = gone === undefined ? use.shown : !gone;
    if (use.users > 0) {
      return;
    }
    if (!use.shown) {
      this.#delete(use);
      return;
    }
    this.#idle.add(use);
    if (this.#idle.size > IDLE_MAX) {
      const [oldest] = this.#idle;
      this.forget(oldest);
    }
  }

  /** Forgets a remembered object that is gone, unless it has been used since. */
  forget(use: Use | undefined): void {
    if (use !== undefined && this.#idle.delete(use)) {
      this.#delete(use);
    }
  }

  /** The error for an object that cannot be used because another one is in the way. */
  refusal(object: NamedObject, { object: other }: Use): WrongTypeError {
    const { resource, family } = object;
    const shared = sharedKey(object, other);
    const message =
      other.key === object.key
        ? `"${resource}" is in use as a ${other.family} by this client and cannot be a ${family}`
        : `"${resource}" cannot be a ${family}: it would share the key "${shared}" with the ` +
          `${other.family} "${other.resource}", which is in use by this client`;
    return new WrongTypeError(message, shared, { resource });
  }

  #add(object: NamedObject, other: Use | undefined): Use | undefined {
    const rival = other ?? this.#besides(object);
    if (rival === undefined) {
      const use = { object, users: 1, shown: false };
      this.#uses.set(object.key, use);
      for (const key of object.sideKeys) {
        this.#uses.set(key, use);
      }
    } else if (rival.users > 0) {
      throw this.refusal(object, rival);
    }
    return rival;
  }

  /** A use of another object that has one of the side keys. */
  #besides({ sideKeys }: NamedObject): Use | undefined {
    const taken = sideKeys.find((key) => this.#uses.has(key));
    return taken === undefined ? undefined : this.#uses.get(taken);
  }

  #delete({ object }: Use): void {
    this.#uses.delete(object.key);
    for (const key of object.sideKeys) {
      this.#uses.delete(key);
    }
  }
}

function isOf({ object: { key, family } }: Use, object: NamedObject): boolean {
  return key === object.key && family === object.family;
}

function sharedKey(one: NamedObject, other: NamedObject): string {
  const keys = [one.key, ...one.sideKeys];
  return [other.key, ...other.sideKeys].find((key) => keys.includes(key)) ?? one.key;
}
