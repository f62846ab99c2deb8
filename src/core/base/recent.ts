/** So many values at least are kept, and at most twice as many. */
const SIZE = 1_000;

/** Values that are made when they are asked for, and kept while they are asked for often: two
 * generations, of which the older one is dropped when the younger one is full. */
export class Recent<V> {
  readonly #make: (name: string) => V;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(make: (name: string) => V) {
    this.#make = make;
  }

  get(name: string): V {
    const known = this.#young.get(name);
    if (known !== undefined) {
      return known;
    }
    const value = this.#old.get(name) ?? this.#make(name);
    if (this.#young.size === SIZE) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(name, value);
    return value;
  }
}
