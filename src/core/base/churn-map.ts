/** So many entries at least are deleted before a table is replaced. */
const DELETED_MIN = 64;

/**
 * A map whose entries come and go with every operation. V8 moves the entries of a Map to a new table after some
 * deletions, and allocates it where the old one was. Once that is the old generation, the minor collector takes all
 * that an abandoned table refers to for alive: of 100 locks in flight it copied each lease and waiter, for a fifth
 * of the CPU of a cycle. So a table is replaced here while it is young.
 */
export class ChurnMap<K, V> {
  #map = new Map<K, V>();
  #deleted = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  set(key: K, value: V): void {
    this.#map.set(key, value);
  }

  /** False when there was no such entry. */
  delete(key: K): boolean {
    const wasThere = this.#map.delete(key);
    if (wasThere) {
      this.#deleted += 1;
      if (this.#deleted >= DELETED_MIN && this.#deleted >= this.#map.size) {
        this.#deleted = 0;
        this.#map = new Map(this.#map);
      }
    }
    return wasThere;
  }

  clear(): void {
    this.#map.clear();
  }

  /** In the order of setting. An entry that is deleted meanwhile is skipped. */
  *[Symbol.iterator](): Generator<[K, V]> {
    const map = this.#map;
    for (const entry of map) {
      // Deletions after the table was replaced do not show in the old one.
      if (map === this.#map || this.#map.get(entry[0]) === entry[1]) {
        yield entry;
      }
    }
  }

  /** In the order of setting. A value that is deleted meanwhile is skipped. */
  *values(): Generator<V> {
    for (const [, value] of this) {
      yield value;
    }
  }
}
