// What it takes to say that we differ from Redisson on purpose.

export interface Difference {
  /** Of the register of Redisson's defects; with a `§`, of the section that describes the object. */
  readonly id: string;
  readonly says: string;
  /** What only Java leaves, tells or answers. */
  readonly java?: readonly string[];
  /** What only Node leaves, tells or answers. */
  readonly node?: readonly string[];
  /** Sequence -> its steps after which exactly this differs. */
  readonly at: Readonly<Record<string, readonly string[] | 'every step'>>;
}

/** What differs in one line of either side, or is there on one side only. */
export function lines(java: string | undefined, node?: string): Pick<Difference, 'java' | 'node'> {
  return {
    ...(java === undefined ? {} : { java: [java] }),
    ...(node === undefined ? {} : { node: [node] }),
  };
}
