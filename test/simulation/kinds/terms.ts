// How somebody asks for something: with which patience, and for how long.

import type { Random } from '../../../src/testing/random.js';
import type { Act } from './kind.js';

/** Of a stay: it ends in the turn of the event loop in which it began. */
export const NO_STAY = -1;

export interface Terms {
  /** `ask`: `tryAcquire` without waiting. */
  readonly how: 'acquire' | 'try' | 'ask';
  readonly waitMs?: number;
  /** A fixed lease; without it the lease is renewed. */
  readonly leaseMs?: number;
  readonly maxHoldMs?: number;
  readonly abortMs?: number;
  readonly stayMs: number;
  /** Nobody releases it: its fixed lease is let run out. */
  readonly isLeft?: boolean;
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
  { waitMs, leaseMs, maxHoldMs }: Terms,
  signal: AbortSignal | undefined,
): { waitMs?: number; leaseMs?: number; maxHoldMs?: number; signal?: AbortSignal } {
  return {
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(maxHoldMs === undefined ? {} : { maxHoldMs }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Bounds the holds of some of those whose leases are renewed. */
export function bounded(random: Random, act: Act, paceMs: number): Act & Pick<Terms, 'maxHoldMs'> {
  const isRenewed = act.do === 'section' && !('leaseMs' in act || 'extendMs' in act);
  return isRenewed && random.chance(0.15)
    ? { ...act, maxHoldMs: random.pick([100, paceMs, paceMs * 2]) }
    : act;
}

/** How somebody asks in a flow. */
export interface FlowTerms extends Pick<Terms, 'waitMs' | 'leaseMs' | 'stayMs' | 'isLeft'> {
  /** The share of those that read, where there are readers. */
  readonly readShare: number;
}

export function termsInFlow({ readShare: _none, ...terms }: FlowTerms): Terms {
  return { how: 'acquire', ...terms };
}
