import { ChurnMap } from './base/churn-map.js';
import type { WaitLimit } from './waiting/wait-limit.js';
import { WrongTypeError } from '../server-errors.js';

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

/** An object that is in use within this client. */
interface Use {
  readonly object: NamedObject;
  users: number;
}

/**
 * The kind of object that each name is in use as within this client. Two names may share a key: `y` and `{y}` have one
 * queue, one set of permits, one token; or the name of a lock may be the key of another lock's queue. Of names that
 * nobody here uses the server decides, by what it finds in their keys.
 */
export class Names {
  /** The uses, by each key of their objects that another object may have as well. */
  readonly #uses = new ChurnMap<string, Use>();

  /**
   * Counts one more user of an object.
   * @throws WrongTypeError when its name is in use as another kind, or when an object that shares a key with it is in
   * use.
   */
  enter(object: NamedObject): void {
    const use = this.#uses.get(object.key);
    if (use !== undefined && isOf(use, object)) {
      use.users += 1;
    } else {
      this.#add(object, use ?? this.#besides(object));
    }
  }

  /** Counts one user less. With the last one the name is free. */
  leave(object: NamedObject): void {
    const use = this.#uses.get(object.key);
    if (use === undefined || !isOf(use, object)) {
      return;
    }
    use.users -= 1;
    if (use.users === 0) {
      this.#delete(use);
    }
  }

  #add(object: NamedObject, rival: Use | undefined): void {
    if (rival !== undefined) {
      throw refusal(object, rival);
    }
    const use = { object, users: 1 };
    this.#uses.set(object.key, use);
    for (const key of object.sideKeys) {
      this.#uses.set(key, use);
    }
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

/** The error for an object that cannot be used because another one is in the way. */
function refusal(object: NamedObject, { object: other }: Use): WrongTypeError {
  const { resource, family } = object;
  const shared = sharedKey(object, other);
  const message =
    other.key === object.key
      ? `"${resource}" is in use as a ${other.family} by this client and cannot be a ${family}`
      : `"${resource}" cannot be a ${family}: it would share the key "${shared}" with the ` +
        `${other.family} "${other.resource}", which is in use by this client`;
  return new WrongTypeError(message, shared, { resource });
}

function isOf({ object: { key, family } }: Use, object: NamedObject): boolean {
  return key === object.key && family === object.family;
}

function sharedKey(one: NamedObject, other: NamedObject): string {
  const keys = [one.key, ...one.sideKeys];
  return [other.key, ...other.sideKeys].find((key) => keys.includes(key)) ?? one.key;
}

/** The part of a client that its names need. */
interface Services {
  readonly client: { assertOpen(resource: string): void };
  readonly names: Names;
}

interface Acquired {
  readonly services: Services;
  readonly protocol: NamedObject;
}

/** Starts an acquisition, which counts as a user of its object. If the name is refused, nothing is started, and the wait
 * limit of its terms is disposed of. */
export function enterAndStart<A extends Acquired, T extends { readonly waitLimit: WaitLimit }, R>(
  acquired: A,
  terms: T,
  start: (acquired: A, terms: T) => Promise<R>,
): Promise<R> {
  const { services, protocol } = acquired;
  try {
    services.names.enter(protocol);
  } catch (error) {
    terms.waitLimit.dispose();
    throw error;
  }
  return start(acquired, terms);
}

/** Counts as a user of an object while `work` runs. */
export async function whileInUse<T>(
  services: Services,
  object: NamedObject,
  work: () => Promise<T>,
): Promise<T> {
  services.client.assertOpen(object.resource);
  services.names.enter(object);
  try {
    return await work();
  } finally {
    services.names.leave(object);
  }
}
