import type { Lease } from './lease.js';

const NONE: readonly Lease[] = [];

/** The leases of one object. Mostly there is one, which needs no set. */
type Row = Lease | Set<Lease>;

/** The leases of a client, by the kind and the key of their object. */
export class LeasesByKey {
  readonly #kinds = new Map<string, Map<string, Row>>();

  add(lease: Lease): void {
    const { kind, key } = lease.identity;
    let rows = this.#kinds.get(kind);
    if (rows === undefined) {
      rows = new Map();
      this.#kinds.set(kind, rows);
    }
    const row = rows.get(key);
    if (row === undefined) {
      rows.set(key, lease);
    } else if (row instanceof Set) {
      row.add(lease);
    } else {
      rows.set(key, new Set([row, lease]));
    }
  }

  delete(lease: Lease): void {
    const { kind, key } = lease.identity;
    const rows = this.#kinds.get(kind);
    const row = rows?.get(key);
    if (row === lease) {
      rows?.delete(key);
    } else if (row instanceof Set) {
      row.delete(lease);
      if (row.size === 0) {
        rows?.delete(key);
      }
    }
  }

  /** Those of one object as they are now: what happens to them may change the rows meanwhile. */
  of(kind: string, key: string): readonly Lease[] {
    const row = this.#kinds.get(kind)?.get(key);
    if (row === undefined) {
      return NONE;
    }
    return row instanceof Set ? [...row] : [row];
  }

  clear(): void {
    this.#kinds.clear();
  }
}
