/** Random numbers that one seed repeats (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 up to, and without, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer; both bounds are possible. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<const T extends readonly unknown[]>(choices: T): T[number] {
    return choices[this.int(0, choices.length - 1)];
  }

  /** One of several makers, each as likely as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, make: () => T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    let chosen: (() => T) | undefined;
    for (const [weight, make] of choices) {
      chosen = make;
      left -= weight;
      if (left < 0) {
        break;
      }
    }
    if (chosen === undefined) {
      throw new RangeError('choices must be at least one, got none');
    }
    return chosen();
  }

  /** Numbers of their own for one part of a plan: the other parts do not change with it. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }
}
