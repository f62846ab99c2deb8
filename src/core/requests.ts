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
  /** Unsettled numbers by object, in ascending order. Mostly there is one, which needs no set. */
  readonly #open = new Map<string, number | Set<number>>();

  open(key: string): Request {
    this.#last += 1;
    const open = this.#open.get(key);
    if (open === undefined) {
      this.#open.set(key, this.#last);
    } else if (typeof open === 'number') {
      this.#open.set(key, new Set([open, this.#last]));
    } else {
      open.add(this.#last);
    }
    return { number: this.#last, floor: this.floor(key) };
  }

  /** The lowest unsettled number of an object. */
  floor(key: string): number {
    const open = this.#open.get(key);
    if (open === undefined || typeof open === 'number') {
      return open ?? this.#last;
    }
    const [lowest] = open;
    return lowest ?? this.#last;
  }

  /** Nobody waits for this request any more, and no copy of it can do harm. */
  settle(key: string, request: Request): void {
    const open = this.#open.get(key);
    if (open === request.number) {
      this.#open.delete(key);
    } else if (typeof open === 'object') {
      open.delete(request.number);
      if (open.size === 0) {
        this.#open.delete(key);
      }
    }
  }
}
