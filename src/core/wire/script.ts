/** A key or an argument of a script. */
export type Operand = string | number | Buffer;

/** One atomic operation, compiled from `lua/`. `K` and `A` name its keys and arguments. */
export interface Script<K, A, R> {
  /** `<primitive>/<operation>`, also the first line of its source. */
  readonly name: string;
  /** SHA-1 of `source`, which is how the server calls it. */
  readonly sha1: string;
  readonly source: string;
  /** Returns the number of keys, the keys and the arguments. */
  readonly operands: (keys: K, args: A) => Operand[];
  readonly decode: (reply: unknown) => R;
  /** The place among the arguments of the instant, by the clock of the server, after which it refuses to run. */
  readonly untilAt?: number;
}
