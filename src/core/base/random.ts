import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** The only source of randomness in the library, injected so that a simulation can repeat it. */
export interface RandomSource {
  /** A UUID v4. */
  uuid(): string;
  /** An integer; both bounds are possible. */
  int(from: number, to: number): number;
  /** 16 random bytes, which nobody else has or changes. */
  id(): Buffer;
}

/** Random bytes are made for this many ids at a time, which costs little more than for one. */
const POOL_IDS = 64;

let pool = Buffer.alloc(0);

/** The randomness of the machine. */
export const systemRandom: RandomSource = {
  uuid: () => randomUUID(),
  int: (from, to) => randomInt(from, to + 1),
  id: () => {
    if (pool.length === 0) {
      pool = randomBytes(16 * POOL_IDS);
    }
    const id = pool.subarray(0, 16);
    pool = pool.subarray(16);
    return id;
  },
};
