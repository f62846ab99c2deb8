/** A request under way, and the lowest one of its object that is not settled. */
export interface Request {
  readonly number: number;
  readonly floor: number;
}

/**
 * Numbers the calls that count (set, count down, drain ...), so that the server runs each at most
 * once. The floor tells the server which records nobody will ask for again.
 */
export class Requests {
  #last = 0;
  /** Unsettled numbers by object, in ascending order. */
  readonly #open = new Map<string, Set<number>>();

  open(key: string): Request {
    this.#last += 1;
    let numbers = this.#open.get(key);
    if (numbers === undefined) {
      numbers = new Set();
      this.#open.set(key, numbers);
    }
    numbers.add(this.#last);
    return { number: this.#last, floor: this.floor(key) };
  }

  /** The lowest unsettled number of an object. */
  floor(key: string): number {
    const [lowest] = this.#open.get(key) ?? [];
    return lowest ?? this.#last;
  }

  /** Nobody waits for this request any more, and no copy of it can do harm. */
  settle(key: string, request: Request): void {
    const numbers = this.#open.get(key);
    numbers?.delete(request.number);
    if (numbers?.size === 0) {
      this.#open.delete(key);
    }
  }
}
