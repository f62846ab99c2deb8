// The keys of a Redis server, in virtual time.

import type { Random } from '../random.js';
import { Hash } from './hash.js';
import { WRONG_TYPE } from './reply.js';
import { SortedSet } from './sorted-set.js';

type Value = string | string[] | Hash | SortedSet;

interface Entry {
  value: Value;
  /** In ms of the wall clock; infinite without a TTL. */
  expiresAt: number;
}

/** The keys of a keyspace as they were at one time. */
export type Snapshot = ReadonlyMap<string, Readonly<Entry>>;

function copyOf(value: Value): Value {
  if (typeof value === 'string') {
    return value;
  }
  if (Array.isArray(value)) {
    return value.slice();
  }
  return value.copy();
}

function copyEntries(entries: Snapshot): Map<string, Entry> {
  const copies = new Map<string, Entry>();
  for (const [key, { value, expiresAt }] of entries) {
    copies.set(key, { value: copyOf(value), expiresAt });
  }
  return copies;
}

/**
 * A key that has expired is found no more. It is removed when somebody looks for it, so it is back
 * when the wall clock steps back before that: Redis removes such keys from time to time, see
 * {@link removeExpired}.
 */
export class Keyspace {
  readonly random: Random;
  readonly #now: () => number;
  #entries: Map<string, Entry> = new Map<string, Entry>();

  /**
   * @param now the wall clock of the server in ms, with fractions
   * @param random for replies that Redis picks at random
   */
  constructor(now: () => number, random: Random) {
    this.#now = now;
    this.random = random;
  }

  /** The wall clock in whole ms: expiry knows no smaller time. */
  nowMs(): number {
    return Math.floor(this.nowMicros() / 1000);
  }

  /** Rounded: a double has about four values for each microsecond of our time. */
  nowMicros(): number {
    return Math.round(this.#now() * 1000);
  }

  /** @throws Refusal when the key holds something else, as do the other three */
  string(key: string): string | undefined {
    const value = this.#find(key)?.value;
    if (value !== undefined && typeof value !== 'string') {
      throw WRONG_TYPE;
    }
    return value;
  }

  list(key: string): string[] | undefined {
    const value = this.#find(key)?.value;
    if (value !== undefined && !Array.isArray(value)) {
      throw WRONG_TYPE;
    }
    return value;
  }

  hash(key: string): Hash | undefined {
    const value = this.#find(key)?.value;
    if (value !== undefined && !(value instanceof Hash)) {
      throw WRONG_TYPE;
    }
    return value;
  }

  sortedSet(key: string): SortedSet | undefined {
    const value = this.#find(key)?.value;
    if (value !== undefined && !(value instanceof SortedSet)) {
      throw WRONG_TYPE;
    }
    return value;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /** As TYPE names it. */
  typeOf(key: string): 'none' | 'string' | 'list' | 'hash' | 'zset' {
    const value = this.#find(key)?.value;
    if (value === undefined) {
      return 'none';
    }
    if (typeof value === 'string') {
      return 'string';
    }
    if (Array.isArray(value)) {
      return 'list';
    }
    return value instanceof Hash ? 'hash' : 'zset';
  }

  /** Sets a key anew, without a TTL. */
  set(key: string, value: Value): void {
    this.#entries.set(key, { value, expiresAt: Infinity });
  }

  /** Sets the text of a string, which keeps its TTL. */
  change(key: string, text: string): void {
    const entry = this.#find(key);
    if (entry === undefined) {
      this.set(key, text);
    } else {
      entry.value = text;
    }
  }

  /** Whether the key was there. */
  delete(key: string): boolean {
    return this.has(key) && this.#entries.delete(key);
  }

  /** When the key expires: Infinity without a TTL, undefined when there is no key. */
  expiresAt(key: string): number | undefined {
    return this.#find(key)?.expiresAt;
  }

  /** Gives a key that exists another TTL; Infinity takes it away. */
  expireAt(key: string, ms: number): void {
    const entry = this.#find(key);
    if (entry !== undefined) {
      entry.expiresAt = ms;
    }
  }

  /** The keys that are alive, in the order in which they were made. */
  keys(): string[] {
    const now = this.nowMs();
    return [...this.#entries].filter(([, entry]) => now <= entry.expiresAt).map(([key]) => key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Removes what has expired for good: a wall clock that steps back does not bring it back. */
  removeExpired(): void {
    const now = this.nowMs();
    for (const [key, { expiresAt }] of this.#entries) {
      if (now > expiresAt) {
        this.#entries.delete(key);
      }
    }
  }

  /** What {@link restore} brings back: all keys, with the instants at which they expire. */
  copy(): Snapshot {
    return copyEntries(this.#entries);
  }

  restore(snapshot: Snapshot): void {
    this.#entries = copyEntries(snapshot);
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAt === Infinity) {
      return entry;
    }
    // As in Redis, a key lives through the ms at which it expires: PTTL answers 0 then.
    if (this.nowMs() > entry.expiresAt) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry;
  }
}
