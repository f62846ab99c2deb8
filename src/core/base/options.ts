import { describe } from './key-names.js';
import { nearest } from './nearest.js';

/** The options that a call takes. */
export interface OptionSet {
  /** The call, as a message names it. */
  readonly of: string;
  readonly known: readonly string[];
  /** Options of other calls, and why this one does not take them. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

/**
 * Returns an options object, an empty one for `undefined`. Throws a TypeError for anything else,
 * and for an own property that the call does not know, unless its value is undefined: an option
 * that is misspelt would mean no option, and an acquisition without a limit waits for ever.
 */
export function checkOptions(argument: string, value: unknown, options: OptionSet): object {
  if (value === undefined) {
    return {};
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    // A string may be the address of a Redis, or its password.
    const got = typeof value === 'string' ? 'a string' : describe(value);
    throw new TypeError(`${argument} must be an object, got ${got}`);
  }
  // A loop over the names would allocate nothing, as an array of them does.
  for (const key in value) {
    if (!options.known.includes(key)) {
      checkUnknown(value, key, options);
    }
  }
  return value;
}

/** An object literal, or one like it, also of another realm: test runners have several. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return false;
  }
  const prototype: unknown = Reflect.getPrototypeOf(value);
  return (
    typeof prototype !== 'object' ||
    prototype === null ||
    (Reflect.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty'))
  );
}

function checkUnknown(value: object, key: string, { of, known, elsewhere }: OptionSet): void {
  if (value instanceof AbortSignal) {
    throw new TypeError(`${of} takes an object, got an AbortSignal: write { signal }`);
  }
  if (!Object.hasOwn(value, key) || Reflect.get(value, key) === undefined) {
    return;
  }
  const takes = `${of} takes ${known.join(', ')}`;
  if (Object.hasOwn(elsewhere, key)) {
    throw new TypeError(`${key}: ${elsewhere[key]}; ${takes}`);
  }
  const meant = nearest(key, known);
  throw new TypeError(`${of} has no option ${describe(key)}: did you mean "${meant}"? ${takes}`);
}
