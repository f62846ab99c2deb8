import { WrongTypeError } from '../errors.js';

/** Names of objects without live users that are remembered, the newest ones. */
const IDLE_MAX = 1_000;

/** What a name stands for. */
export interface NamedObject {
  /** As its caller knows it. */
  readonly resource: string;
  readonly key: string;
  /** What kind of object it is; the same for the two sides of a read-write lock. */
  readonly family: string;
  /** Its keys beside `key` that another name may stand for, or share: those of Redisson. Private ones
   * are kept apart by their own names. */
  readonly sideKeys: readonly string[];
}

/** Of an object that is on one key of Redisson's. */
export const NO_SIDE_KEYS: readonly string[] = [];

/** An object that is in use within this client, or was and may still be there. */
export interface Use {
  readonly object: NamedObject;
  users: number;
  /** An answer has shown that there is such an object, and none since that it is gone. */
  shown: boolean;
}

/**
 * What kind of object each name stands for within this client. Redis types tell a lock from a
 * latch, but not a lock from a fenced lock, nor a latch from a semaphore. And two names may share a
 * key: `y` and `{y}` have one queue, one set of permits, one token; or a lock may be called like the
 * queue of another.
 */
export class NameRegistry {
  /** By each key of the object that another one may have as well. */
  readonly #uses = new Map<string, Use>();
  readonly #idle = new Set<Use>();

  /**
   * Counts one more user of an object, or refuses it when somebody uses its name as another kind, or
   * an object that shares a key with it. What is remembered without users may be gone by now: then
   * nobody is counted, and it is answered.
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
   * One user less. `gone` is what it has seen: the object is gone, or it may still be in Redis
   * (false); undefined when it has failed, which shows nothing about the name. With its last user
   * a name is free, unless the object may still be there: then it keeps its kind among the idle
   * names.
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

  /** Nothing is left of an object that is remembered, unless somebody has used it since. */
  forget(use: Use | undefined): void {
    if (use !== undefined && this.#idle.delete(use)) {
      this.#delete(use);
    }
  }

  /** The error of an object that cannot be used, since another one is in the way. */
  refusal(object: NamedObject, { object: other }: Use): WrongTypeError {
    const { resource, family } = object;
    const shared = sharedKey(object, other);
    const message =
      other.key === object.key
        ? `"${resource}" is in use as a ${other.family} by this client and cannot be a ${family}`
        : `"${resource}" cannot be a ${family}: it would share the key "${shared}" with the ` +
          `${other.family} "${other.resource}", which is in use by this client`;
    return new WrongTypeError(message, { resource });
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

  /** The use that has one of an object's side keys. */
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

function sharedKey(one: NamedObject, other: NamedObject): string | undefined {
  const keys = [one.key, ...one.sideKeys];
  return [other.key, ...other.sideKeys].find((key) => keys.includes(key));
}
