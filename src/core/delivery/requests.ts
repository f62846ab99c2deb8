import { LinkedList, Linked } from '../base/linked-list.js';

/** A request under way, and the lowest number of its object that is not settled. */
export interface Request {
  readonly number: number;
  readonly lowWater: number;
}

class Numbered extends Linked implements Request {
  readonly number: number;
  readonly lowWater: number;

  constructor(number: number, lowWater: number) {
    super();
    this.number = number;
    this.lowWater = lowWater;
  }
}

/**
 * Numbers the counted calls (set, count down, drain ...), so that the server runs each at most
 * once. The low-water mark tells the server which records it may forget.
 */
export class Requests {
  #last = 0;
  /** Unsettled requests by object, in ascending order. Mostly there is one, which needs no list. */
  readonly #open = new Map<string, Numbered | LinkedList<Numbered>>();

  open(key: string): Request {
    this.#last += 1;
    const open = this.#open.get(key);
    const lowest = open instanceof LinkedList ? open.first : open;
    const request = new Numbered(this.#last, lowest?.number ?? this.#last);
    if (open instanceof LinkedList) {
      open.push(request);
    } else if (open === undefined) {
      this.#open.set(key, request);
    } else {
      const list = new LinkedList<Numbered>();
      list.push(open);
      list.push(request);
      this.#open.set(key, list);
    }
    return request;
  }

  /** Whether a request of an object is not settled. */
  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** The lowest unsettled number of an object. */
  lowWater(key: string): number {
    const open = this.#open.get(key);
    const lowest = open instanceof LinkedList ? open.first : open;
    return lowest?.number ?? this.#last;
  }

  /** No caller waits for this request any more, and no copy of it can do harm. */
  settle(key: string, request: Request): void {
    const open = this.#open.get(key);
    if (open === request) {
      this.#open.delete(key);
    } else if (open instanceof LinkedList && request instanceof Numbered) {
      open.delete(request);
      if (open.first === undefined) {
        this.#open.delete(key);
      }
    }
  }
}
