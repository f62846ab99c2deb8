/** A node that can be in one list at a time; it carries its own links. */
export class Linked {
  /** For the list only. */
  declare next: this | undefined;
  /** For the list only. */
  declare previous: this | undefined;
  /** The list that it is in. */
  declare list: LinkedList<Linked> | undefined;

  /** The fields are assigned here, not initialised above: once more than four classes extend this
   * one, V8 defines initialised fields by a call into its runtime, 0.5 µs a field and object. */
  constructor() {
    this.next = undefined;
    this.previous = undefined;
    this.list = undefined;
  }

  /** Leaves the list that it is in, if any. */
  unlink(): void {
    this.list?.delete(this);
  }
}

/** A doubly linked list in order of arrival. Unlike a Set it allocates nothing and leaves no holes,
 * which matters in the code that every command runs. */
export class LinkedList<T extends Linked> implements Iterable<T> {
  first: T | undefined;
  size = 0;
  #last: T | undefined;

  push(node: T): void {
    this.size += 1;
    node.list = this;
    node.previous = this.#last;
    node.next = undefined;
    if (this.#last === undefined) {
      this.first = node;
    } else {
      this.#last.next = node;
    }
    this.#last = node;
  }

  /** Puts a node in front of all others. */
  unshift(node: T): void {
    this.size += 1;
    node.list = this;
    node.previous = undefined;
    node.next = this.first;
    if (this.first === undefined) {
      this.#last = node;
    } else {
      this.first.previous = node;
    }
    this.first = node;
  }

  /** False when the node is not in this list any more. */
  delete(node: T): boolean {
    if (node.list !== this) {
      return false;
    }
    this.size -= 1;
    node.list = undefined;
    if (node.previous === undefined) {
      this.first = node.next;
    } else {
      node.previous.next = node.next;
    }
    if (node.next === undefined) {
      this.#last = node.previous;
    } else {
      node.next.previous = node.previous;
    }
    // Otherwise a removed node would keep its old neighbours alive, and they theirs.
    node.next = undefined;
    node.previous = undefined;
    return true;
  }

  /** Takes out all nodes, in their order. */
  clear(): T[] {
    const nodes = [...this];
    for (const node of nodes) {
      node.list = undefined;
      node.next = undefined;
      node.previous = undefined;
    }
    this.first = undefined;
    this.size = 0;
    this.#last = undefined;
    return nodes;
  }

  /** While it iterates, the current node may be deleted, but no other. */
  *[Symbol.iterator](): Iterator<T> {
    let node = this.first;
    while (node !== undefined) {
      const { next }: T = node;
      yield node;
      node = next;
    }
  }
}
