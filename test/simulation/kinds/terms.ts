// How somebody asks for something: with which patience, and for how long.

import type { Random } from '../../../src/testing/random.js';

/** Of a stay: it ends in the turn of the event loop in which it began. */
export const NO_STAY = -1;

export interface Terms {
  /** `ask`: `tryAcquire` without waiting. */
  readonly how: 'acquire' | 'try' | 'ask';
  readonly waitMs?: number;
  /** A fixed lease; without it the lease is renewed. */
  readonly leaseMs?: number;
  readonly abortMs?: number;
  readonly stayMs: number;
}

export function termsOf(random: Random, leaseMs: number): Terms {
  const how = random.pick(['acquire', 'acquire', 'acquire', 'try', 'ask']);
  const waits = how === 'try' || (how === 'acquire' && random.chance(0.3));
  return {
    how,
    ...(waits ? { waitMs: random.pick([0, 5, 30, leaseMs >> 1, leaseMs * 3]) } : {}),
    ...(random.chance(0.3) ? { leaseMs: random.pick([100, leaseMs, leaseMs * 2]) } : {}),
    ...(random.chance(0.15) ? { abortMs: random.int(0, random.pick([3, 30, leaseMs])) } : {}),
    stayMs: random.weighted<number>([
      [60, () => random.int(0, 4)],
      [25, () => random.int(0, 40)],
      [10, () => random.int(0, leaseMs)],
      // Longer than a lease: a fixed one ends, a renewed one must not.
      [5, () => random.int(leaseMs, leaseMs * 3)],
    ]),
  };
}

/** True when the call waits instead of answering that it is busy. */
export function doesWait({ how, waitMs }: Pick<Terms, 'how' | 'waitMs'>): boolean {
  return how === 'acquire' || (how === 'try' && waitMs !== undefined);
}

/** The options of the call that asks. */
export function optionsOf(
  { waitMs, leaseMs }: Terms,
  signal: AbortSignal | undefined,
): { waitMs?: number; leaseMs?: number; signal?: AbortSignal } {
  return {
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(signal === undefined ? {} : { signal }),
  };
}
