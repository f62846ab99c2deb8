import { ChurnMap } from '../base/churn-map.js';
import type { Lease } from './lease.js';
import type { Renewal } from './renewal.js';
import type { ObjectKind } from '../observe/events.js';

const NONE: readonly Lease[] = [];

/** The leases of one object. Mostly there is one, which needs no set. */
type Row = Lease | Set<Lease>;

/** The leases of one kind of object, by key, and how they are renewed. */
interface Kind {
  readonly renewal: Renewal;
  readonly rows: ChurnMap<string, Row>;
}

/** The leases that a client holds, by the kind and the key of their object; each is added once. */
export class HeldLeases implements Iterable<Lease> {
  readonly #kinds = new Map<ObjectKind, Kind>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(lease: Lease, renewal: Renewal): void {
    const { kind, key } = lease.identity;
    let leases = this.#kinds.get(kind);
    if (leases === undefined) {
      leases = { renewal, rows: new ChurnMap() };
      this.#kinds.set(kind, leases);
    }
    const { rows } = leases;
    const row = rows.get(key);
    if (row === undefined) {
      rows.set(key, lease);
    } else if (row instanceof Set) {
      row.add(lease);
    } else {
      rows.set(key, new Set([row, lease]));
    }
    this.#size += 1;
  }

  /** False when it was not there any more. */
  delete(lease: Lease): boolean {
    const { kind, key } = lease.identity;
    const rows = this.#kinds.get(kind)?.rows;
    const row = rows?.get(key);
    const wasThere = row instanceof Set ? row.delete(lease) : row === lease;
    if (!wasThere) {
      return false;
    }
    this.#size -= 1;
    if (!(row instanceof Set) || row.size === 0) {
      rows?.delete(key);
    }
    return true;
  }

  /** A copy of the leases of one object: what the caller does with them may change the rows. */
  of(kind: ObjectKind, key: string): readonly Lease[] {
    return copyOf(this.#kinds.get(kind)?.rows.get(key));
  }

  /** The leases of all objects under one key, of each kind by themselves. */
  under(key: string): [Renewal, readonly Lease[]][] {
    return [...this.#kinds.values()].map(({ renewal, rows }) => [renewal, copyOf(rows.get(key))]);
  }

  /** The one under this key that another client waits for by this holder id. Readers hold together. */
  exclusive(key: string, holderId: string): Lease | undefined {
    for (const [kind, { rows }] of this.#kinds) {
      const found = copyOf(rows.get(key)).find(({ identity }) => identity.holderId === holderId);
      if (found !== undefined && kind !== 'read-lock') {
        return found;
      }
    }
    return undefined;
  }

  /** The leases of each kind, which one renewal command may carry together. A lease that ends
   * during the iteration is skipped. */
  *byKind(): Iterable<[Renewal, Iterable<Lease>]> {
    for (const { renewal, rows } of this.#kinds.values()) {
      yield [renewal, leasesIn(rows)];
    }
  }

  *[Symbol.iterator](): Iterator<Lease> {
    for (const { rows } of this.#kinds.values()) {
      yield* leasesIn(rows);
    }
  }

  clear(): void {
    this.#kinds.clear();
    this.#size = 0;
  }
}

function copyOf(row: Row | undefined): readonly Lease[] {
  if (row === undefined) {
    return NONE;
  }
  return row instanceof Set ? [...row] : [row];
}

function* leasesIn(rows: ChurnMap<string, Row>): Iterable<Lease> {
  for (const row of rows.values()) {
    if (row instanceof Set) {
      yield* row;
    } else {
      yield row;
    }
  }
}
