/** A client remembers so many (name, number) pairs that it has stated, and then forgets the one stated longest ago:
 * its next use states the number as if for the first time. */
const STATED_MAX = 10_000;

/** What a semaphore has, as the answer of `configure` says. */
export interface NumberView {
  readonly exists: boolean;
  /** The number of permits, acquired ones included; negative where it is not known. */
  readonly total: number;
  /** False: it is what was left, since nothing else is known of the semaphore. */
  readonly isKnown?: boolean;
  /** A newer statement of another number stands, which gives way after so many ms unless it is kept alive. */
  readonly yieldsMs?: number | undefined;
}

/** One number of permits that a client has stated for a name. */
export class Statement {
  /** The answer of the call that states it, while that is under way. */
  underWay: Promise<NumberView> | undefined;
  /** The server has answered a statement: a later one makes no semaphore that was deleted. */
  wasSeen = false;
  /** A newer statement stands: this one is stated again. */
  isRefused = false;
  /** Clock instant from which a use states the number again, or keeps the statement alive. */
  keepAt: number = Number.POSITIVE_INFINITY;
  /** The last answer named this number. */
  isAgreed = false;
  /** The last answer named no total: Java has made the semaphore. */
  isOfUnknown = false;
  /** The other number that was reported last, and how many permits above a stated number. */
  reported: number | undefined;
  reportedAbove: number | undefined;
}

/** The numbers of permits that one client has stated, by name and number. */
export class Statements {
  readonly #all = new Map<string, Statement>();
  /** Names and numbers alone: whatever was said with them, the server has answered a statement. */
  readonly #known = new Set<string>();

  find(pair: string): Statement | undefined {
    return this.#all.size === 0 ? undefined : this.#all.get(pair);
  }

  /** A new statement, the last one to be forgotten. */
  add(pair: string): Statement {
    const statement = new Statement();
    this.#all.set(pair, statement);
    if (this.#all.size > STATED_MAX) {
      const [oldest] = this.#all.keys();
      this.#all.delete(oldest ?? '');
    }
    return statement;
  }

  knows(number: string): boolean {
    return this.#known.has(number);
  }

  /** The server has answered a statement of this name and number. */
  know(number: string): void {
    this.#known.add(number);
    if (this.#known.size > STATED_MAX) {
      const [oldest] = this.#known;
      this.#known.delete(oldest ?? '');
    }
  }

  /** It did not come about. */
  delete(pair: string, statement: Statement): void {
    if (this.#all.get(pair) === statement) {
      this.#all.delete(pair);
    }
  }
}
