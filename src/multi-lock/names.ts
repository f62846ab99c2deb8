import { describe, twinOf } from '../core/base/key-names.js';
import { slotOf } from '../core/connection/slots.js';

const NAMES_MAX = 100;

/** A lock of a multi-lock, by its name, and what its place in the order depends on. */
export interface NamedLock<P> {
  readonly protocol: P;
  readonly slot: number;
  readonly bytes: Uint8Array;
}

/** Computes the place of a lock in the order, once a name. */
export function namedLock<P extends { readonly key: string }>(protocol: P): NamedLock<P> {
  const { key } = protocol;
  return { protocol, slot: slotOf(key), bytes: Buffer.from(key) };
}

/**
 * Checks the names of a multi-lock, and returns their locks in the one order in which all clients take them: by slot,
 * then by the bytes of their keys. So two multi-locks never wait for each other in a circle.
 */
export function locksInOrder<P extends { readonly key: string; readonly resource: string }>(
  value: unknown,
  lockOf: (name: unknown) => NamedLock<P>,
): readonly P[] {
  if (!Array.isArray(value)) {
    throw new TypeError(`names must be an array of strings, got ${describe(value)}`);
  }
  const names: readonly unknown[] = value;
  if (names.length === 0 || names.length > NAMES_MAX) {
    throw new RangeError(`names must have 1 to ${NAMES_MAX} names, got ${names.length}`);
  }
  const keys = new Map<string, string>();
  const locks = names.map((name) => {
    const lock = lockOf(name);
    const { key, resource } = lock.protocol;
    const other = keys.get(key) ?? keys.get(twinOf(key) ?? '');
    if (other !== undefined) {
      throw new TypeError(
        `names must be different locks: ${describe(other)} and ${describe(resource)} are the same one`,
      );
    }
    keys.set(key, resource);
    return lock;
  });
  const ordered = locks.toSorted((a, b) => a.slot - b.slot || Buffer.compare(a.bytes, b.bytes));
  return ordered.map(({ protocol }) => protocol);
}
