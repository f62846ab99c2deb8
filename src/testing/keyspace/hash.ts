// A hash: fields and their values.
//
// Redis keeps a small hash as one list, which HSCAN returns as a whole. Once a hash has had more than
// 512 fields, or one of more than 64 bytes, it is a table, and is scanned page by page.

const LIST_ENTRIES = 512;
const LIST_BYTES = 64;

export class Hash {
  readonly #fields: Map<string, string> = new Map<string, string>();
  #isTable = false;

  copy(): Hash {
    const copy = new Hash();
    for (const [field, value] of this.#fields) {
      copy.#fields.set(field, value);
    }
    copy.#isTable = this.#isTable;
    return copy;
  }

  get size(): number {
    return this.#fields.size;
  }

  get isTable(): boolean {
    return this.#isTable;
  }

  get(field: string): string | undefined {
    return this.#fields.get(field);
  }

  has(field: string): boolean {
    return this.#fields.has(field);
  }

  set(field: string, value: string): void {
    this.#fields.set(field, value);
    this.#isTable ||=
      field.length > LIST_BYTES || value.length > LIST_BYTES || this.#fields.size > LIST_ENTRIES;
  }

  delete(field: string): boolean {
    return this.#fields.delete(field);
  }

  /** In the order in which the fields were added. */
  entries(): [field: string, value: string][] {
    return [...this.#fields];
  }

  /**
   * One page of a scan: at least `count` fields, or all that are left. The cursor 0 starts a scan, and
   * ends it. Each field that is there all the time is on exactly one page.
   */
  scan(cursor: number, count: number): { next: number; page: [field: string, value: string][] } {
    if (!this.#isTable || (cursor === 0 && this.#fields.size <= count)) {
      return { next: 0, page: this.entries() };
    }
    // A field has the same place for ever, so that changes between two pages move no other field.
    const left = this.entries()
      .map((entry) => ({ entry, place: placeOf(entry[0]) }))
      .filter(({ place }) => place >= cursor)
      .toSorted((one, other) => one.place - other.place);
    let end = Math.min(count, left.length);
    while (end < left.length && left[end]?.place === left[end - 1]?.place) {
      end += 1;
    }
    return { next: left[end]?.place ?? 0, page: left.slice(0, end).map(({ entry }) => entry) };
  }
}

/** Where a field is in a scan: a number from 1 on (FNV-1a). */
function placeOf(field: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < field.length; i += 1) {
    hash = Math.imul(hash ^ field.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) + 1;
}
