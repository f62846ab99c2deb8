// Could these calls have taken effect one after the other, each at an instant between its call and
// its return? A depth-first search in the way of Wing and Gong, with Lowe's memory of what was
// tried in vain.

/** What an object is: which acts are legal in which state. Nothing in it may be changed in place. */
export interface Model<State, Act> {
  readonly initial: State;
  /** The state after an act that takes effect at `until` at the latest; undefined when the act is
   * not legal in this state. */
  step(state: State, act: Act, until: number): State | undefined;
  /** Equal for states that allow the same acts from now on, and only for these. */
  key(state: State): string | number;
  /** A time that is over in this state: it supposes that something has ended at that time. */
  since?(state: State): number;
}

/** An act that took effect at an instant from `from` to `until`, both included. */
export interface Call<Act> {
  readonly act: Act;
  readonly from: number;
  /** Infinity: nobody knows. */
  readonly until: number;
  /** It took effect in that time, or never. */
  readonly isOptional: boolean;
  /** Of optional acts that end at the same time, or never: equal for those that have the same effect. */
  readonly twin?: string | undefined;
}

export interface Verdict<Act> {
  /** `undecided`: the search was given up after `maxSteps`. */
  readonly verdict: 'legal' | 'illegal' | 'undecided';
  readonly steps: number;
  /** The last acts of the longest order that was found, when it is not legal. */
  readonly last: readonly Call<Act>[];
  /** How many acts that order has. */
  readonly placed: number;
  /** The act that could not be placed behind them. */
  readonly stuck: Call<Act> | undefined;
}

/** How many acts of the longest order are told. */
const TOLD = 12;

export function linearize<State, Act>(
  model: Model<State, Act>,
  calls: readonly Call<Act>[],
  maxSteps: number,
): Verdict<Act> {
  return new Search(model, calls, maxSteps).run();
}

/** One act that was placed, and how things were before it. */
interface Frame<State> {
  readonly placed: number;
  readonly state: State;
  readonly low: number;
  readonly latest: number;
}

class Search<State, Act> {
  readonly #model: Model<State, Act>;
  readonly #maxSteps: number;
  /** Those that must be placed, by their return: most took effect in about this order. Behind them
   * the optional ones: they are tried when nothing else is left. */
  readonly #calls: readonly Call<Act>[];
  readonly #must: number;
  /** The earliest call of an index or of any behind it. */
  readonly #earliest: Float64Array;
  /** Of an optional act its twin before it, -1 where it has none. */
  readonly #twins: Int32Array;
  readonly #isPlaced: Uint8Array;
  readonly #path: Frame<State>[] = [];
  readonly #dead = new Set<string>();
  #state: State;
  /** The first that must be placed and is not. */
  #low = 0;
  /** The time that is over: of the latest call of all that are placed. */
  #latest = Number.NEGATIVE_INFINITY;
  /** Of the set of placed acts. Two sets with one hash would cost a false alarm; with 64 bits that is for never. */
  #hashA = 0;
  #hashB = 0;
  #steps = 0;
  #mustLeft: number;
  #best: { readonly last: readonly number[]; readonly placed: number; readonly stuck: number };

  constructor(model: Model<State, Act>, calls: readonly Call<Act>[], maxSteps: number) {
    this.#model = model;
    this.#maxSteps = maxSteps;
    this.#state = model.initial;
    const must = calls.filter(({ isOptional }) => !isOptional);
    must.sort((a, b) => a.until - b.until || a.from - b.from);
    const optional = calls.filter(({ isOptional }) => isOptional);
    this.#calls = must.concat(optional.toSorted((a, b) => a.from - b.from));
    this.#must = this.#mustLeft = must.length;
    this.#twins = twinsOf(this.#calls);
    this.#isPlaced = new Uint8Array(calls.length);
    this.#earliest = new Float64Array(must.length);
    let earliest = Number.POSITIVE_INFINITY;
    for (let i = must.length - 1; i >= 0; i -= 1) {
      earliest = Math.min(earliest, must[i]!.from);
      this.#earliest[i] = earliest;
    }
    this.#best = { last: [], placed: -1, stuck: 0 };
    growHashes(calls.length);
  }

  run(): Verdict<Act> {
    let next = 0;
    while (this.#mustLeft > 0) {
      const placed = this.#placeFrom(next);
      if (this.#steps > this.#maxSteps) {
        this.#note();
        return this.#verdict('undecided');
      }
      if (placed) {
        next = this.#low;
        continue;
      }
      this.#note();
      this.#dead.add(this.#configuration());
      const frame = this.#path.pop();
      if (frame === undefined) {
        return this.#verdict('illegal');
      }
      this.#undo(frame);
      next = frame.placed + 1;
    }
    return this.#verdict('legal');
  }

  /** Places the first act from an index on that may come next; false when there is none. */
  #placeFrom(index: number): boolean {
    const calls = this.#calls;
    // Whatever is called after the first return comes after the act that returned.
    const horizon = calls[this.#low]!.until;
    for (let i = index; i < calls.length; i += 1) {
      if (i < this.#must && this.#earliest[i]! > horizon) {
        i = this.#must - 1;
        continue;
      }
      const call = calls[i]!;
      if (i >= this.#must && call.from > horizon) {
        return false;
      }
      if (this.#isPlaced[i] === 1 || call.from > horizon || call.until < this.#latest) {
        continue;
      }
      // Of twins the first one comes first: the second can do nothing that it cannot.
      const twin = this.#twins[i]!;
      if (twin >= 0 && this.#isPlaced[twin] === 0) {
        continue;
      }
      this.#steps += 1;
      const state = this.#model.step(this.#state, call.act, call.until);
      // An optional act that changes nothing explains nothing.
      const isIdle = i >= this.#must && state === this.#state;
      if (state !== undefined && !isIdle && this.#place(i, state)) {
        return true;
      }
    }
    return false;
  }

  /** False when the search was there before, and found no way on. */
  #place(index: number, state: State): boolean {
    const { from } = this.#calls[index]!;
    const frame = {
      placed: index,
      state: this.#state,
      low: this.#low,
      latest: this.#latest,
    };
    this.#isPlaced[index] = 1;
    this.#toggle(index);
    this.#state = state;
    const since = this.#model.since?.(state) ?? Number.NEGATIVE_INFINITY;
    this.#latest = Math.max(this.#latest, from, since);
    this.#mustLeft -= index < this.#must ? 1 : 0;
    while (this.#low < this.#must && this.#isPlaced[this.#low] === 1) {
      this.#low += 1;
    }
    if (this.#dead.size > 0 && this.#dead.has(this.#configuration())) {
      this.#undo(frame);
      return false;
    }
    this.#path.push(frame);
    return true;
  }

  #undo({ placed, state, low, latest }: Frame<State>): void {
    this.#isPlaced[placed] = 0;
    this.#toggle(placed);
    this.#state = state;
    this.#low = low;
    this.#latest = latest;
    this.#mustLeft += placed < this.#must ? 1 : 0;
  }

  #toggle(index: number): void {
    this.#hashA ^= hashes[2 * index]!;
    this.#hashB ^= hashes[2 * index + 1]!;
  }

  #configuration(): string {
    return `${this.#hashA},${this.#hashB},${this.#model.key(this.#state)}`;
  }

  #note(): void {
    if (this.#path.length > this.#best.placed) {
      const last = this.#path.slice(-TOLD).map(({ placed }) => placed);
      this.#best = { last, placed: this.#path.length, stuck: this.#low };
    }
  }

  #verdict(verdict: Verdict<Act>['verdict']): Verdict<Act> {
    const { last, placed, stuck } = this.#best;
    const isLegal = verdict === 'legal';
    return {
      verdict,
      steps: this.#steps,
      last: isLegal ? [] : last.map((i) => this.#calls[i]!),
      placed: isLegal ? this.#path.length : placed,
      stuck: isLegal ? undefined : this.#calls[stuck],
    };
  }
}

function twinsOf(calls: readonly Call<unknown>[]): Int32Array {
  const last = new Map<string, number>();
  return Int32Array.from(calls, ({ twin }, i) => {
    const before = twin === undefined ? undefined : last.get(twin);
    if (twin !== undefined) {
      last.set(twin, i);
    }
    return before ?? -1;
  });
}

/** Two numbers of 32 bits for each index, the same in every run. */
let hashes = new Int32Array(0);
let seed = 0x9e3779b9;

function growHashes(indices: number): void {
  if (hashes.length >= 2 * indices) {
    return;
  }
  const grown = new Int32Array(Math.max(2 * indices, 2 * hashes.length, 1_024));
  grown.set(hashes);
  for (let i = hashes.length; i < grown.length; i += 1) {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    grown[i] = mixed ^ (mixed >>> 14);
  }
  hashes = grown;
}
