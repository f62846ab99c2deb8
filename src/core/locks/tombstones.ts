import { privateKey } from '../base/key-names.js';
import { MEMORY_MS } from '../delivery/clean-up.js';

/** Private key of the tombstone of one holder, as the hash of its lock names it. */
export function tombstoneKey(key: string, holder: string): string {
  return [privateKey('cancelled', key), holder].join(':');
}

/** The tombstones of all holders of a lock, for a script that finds out who they are. */
export function allTombstones(key: string): { tombstones: string; tombstoneMs: number } {
  return { tombstones: tombstoneKey(key, ''), tombstoneMs: MEMORY_MS };
}
