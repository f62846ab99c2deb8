import { ChurnMap } from '../base/churn-map.js';
import { LinkedList, Linked } from '../base/linked-list.js';

/** A request under way, and the lowest number of its object that is not settled. */
export interface Request {
  readonly number: number;
  readonly lowWater: number;
}

/** With more answers than this on the server, the low-water mark is worth a command of its own. */
const ANSWERS_MAX = 50;

class Numbered extends Linked implements Request {
  readonly number: number;
  readonly lowWater: number;
  /** Its place among the requests of its object since there was none under way. */
  readonly place: number;

  constructor(number: number, lowWater: number, place: number) {
    super();
    this.number = number;
    this.lowWater = lowWater;
    this.place = place;
  }
}

/** Unsettled requests of one object, in ascending order. */
class Several {
  readonly list = new LinkedList<Numbered>();
  /** The place of the newest. */
  newest = 0;
  /** The place of the newest low-water mark: the server keeps the answers from there on. */
  mark = 0;

  add(request: Numbered, mark: number): void {
    this.list.push(request);
    this.newest = request.place;
    this.mark = mark;
  }
}

/**
 * Numbers the counted calls (set, count down, drain ...), so that the server runs each at most
 * once. The low-water mark tells the server which records it may forget.
 */
export class Requests {
  #last = 0;
  /** Unsettled requests by object. Mostly there is one, which needs no list. */
  readonly #open = new ChurnMap<string, Numbered | Several>();

  open(key: string): Request {
    this.#last += 1;
    const open = this.#open.get(key);
    if (open === undefined) {
      const request = new Numbered(this.#last, this.#last, 1);
      this.#open.set(key, request);
      return request;
    }
    const several = open instanceof Several ? open : this.#several(key, open);
    const lowest = several.list.first;
    const request = new Numbered(this.#last, lowest?.number ?? this.#last, several.newest + 1);
    several.add(request, lowest?.place ?? request.place);
    return request;
  }

  /** Whether a request of an object is not settled. */
  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** The lowest unsettled number of an object. */
  lowWater(key: string): number {
    const open = this.#open.get(key);
    const lowest = open instanceof Several ? open.list.first : open;
    return lowest?.number ?? this.#last;
  }

  /** No caller waits for this request any more, and no copy of it can do harm. After the last one of
   * an object, returns the low-water mark if it is worth a command: the next request may be far off,
   * and the server keeps many answers until then. */
  settle(key: string, request: Request): number | undefined {
    const open = this.#open.get(key);
    if (open === request) {
      this.#open.delete(key);
    } else if (open instanceof Several && request instanceof Numbered) {
      open.list.delete(request);
      if (open.list.first === undefined) {
        this.#open.delete(key);
        // All numbers up to the last are settled, or belong to other objects.
        return open.newest - open.mark >= ANSWERS_MAX ? this.#last + 1 : undefined;
      }
    }
    return undefined;
  }

  #several(key: string, open: Numbered): Several {
    const several = new Several();
    several.add(open, open.place);
    this.#open.set(key, several);
    return several;
  }
}
