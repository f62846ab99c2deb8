// A sorted set: members by score, those with one score by their bytes.

import type { Bound } from './numbers.js';

export interface Item {
  readonly member: string;
  readonly score: number;
}

export class SortedSet {
  readonly #items: Item[] = [];
  readonly #scores: Map<string, number> = new Map<string, number>();

  copy(): SortedSet {
    const copy = new SortedSet();
    for (const item of this.#items) {
      copy.#items.push(item);
      copy.#scores.set(item.member, item.score);
    }
    return copy;
  }

  get size(): number {
    return this.#items.length;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** Sets the score of a member, which is new or has another score. */
  set(member: string, score: number): void {
    const before = this.#scores.get(member);
    // Redis keeps small sets as text, in which zero has no sign.
    const item = { member, score: score === 0 ? 0 : score };
    const to = this.#position(score, member);
    if (before === undefined) {
      this.#insert(to, item);
    } else {
      const from = this.#position(before, member);
      if (to === from || to === from + 1) {
        this.#items[from] = item;
      } else {
        this.#items.splice(from, 1);
        this.#insert(to > from ? to - 1 : to, item);
      }
    }
    this.#scores.set(member, item.score);
  }

  delete(member: string): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) {
      return false;
    }
    const at = this.#position(score, member);
    this.#scores.delete(member);
    if (at === this.#items.length - 1) {
      this.#items.pop();
    } else {
      this.#items.splice(at, 1);
    }
    return true;
  }

  /** The items from one position up to, and without, another. */
  slice(from: number, to: number): Item[] {
    return this.#items.slice(from, to);
  }

  /** Deletes the items from one position up to, and without, another; returns how many. */
  deleteBetween(from: number, to: number): number {
    const removed = to > from ? this.#items.splice(from, to - from) : [];
    for (const { member } of removed) {
      this.#scores.delete(member);
    }
    return removed.length;
  }

  /** How many items come before a range that begins with `min`. */
  before(min: Bound): number {
    return this.#count(({ score }) => (min.isExclusive ? score <= min.score : score < min.score));
  }

  /** How many items there are up to the end of a range that ends with `max`. */
  upTo(max: Bound): number {
    return this.#count(({ score }) => (max.isExclusive ? score < max.score : score <= max.score));
  }

  #insert(at: number, item: Item): void {
    if (at === this.#items.length) {
      this.#items.push(item);
    } else {
      this.#items.splice(at, 0, item);
    }
  }

  #position(score: number, member: string): number {
    return this.#count(
      (item) => item.score < score || (item.score === score && item.member < member),
    );
  }

  /** For how many items a condition holds that holds for the first ones only. */
  #count(holds: (item: Item) => boolean): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = this.#items[middle];
      if (item !== undefined && holds(item)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
