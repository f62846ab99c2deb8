// What a counting semaphore is: a number of permits without owners.

import type { Model } from '../linearizability.js';

export type SemaphoreAct =
  | { readonly what: 'acquire'; readonly owner: string; readonly amount: number }
  | { readonly what: 'busy'; readonly amount: number }
  /** By the handle of an acquisition: for the semaphore that granted it, and for no later one. */
  | {
      readonly what: 'give back';
      readonly owner: string;
      readonly amount: number;
      /** Another release of the same permits follows, which gives them back once more. */
      readonly isRepeated?: boolean;
    }
  /** By anybody, without a handle; it makes a semaphore where there is none, as `add` does. */
  | { readonly what: 'release' | 'add'; readonly amount: number }
  | { readonly what: 'set'; readonly amount: number }
  /** Told that there is one already. */
  | { readonly what: 'was set' }
  /** `hidden`: so many may have been taken by calls that failed, for a while. */
  | { readonly what: 'drain'; readonly taken: number | undefined; readonly hidden: number }
  | { readonly what: 'look'; readonly left: number; readonly hidden: number }
  /** Undefined: nobody knows what it answered, and why it went: by a call, or by a loss of data. */
  | { readonly what: 'delete'; readonly wasThere: boolean | undefined };

export interface SemaphoreState {
  /** Undefined when there is none. */
  readonly left: number | undefined;
  /** Those whose permits came from the semaphore that is there. */
  readonly owners: ReadonlySet<string>;
}

const NONE: SemaphoreState = { left: undefined, owners: new Set() };

/** `hasEnds`: it is deleted or lost at times. Only then it matters whose permits are whose. */
export function semaphoreModel(hasEnds: boolean): Model<SemaphoreState, SemaphoreAct> {
  const { owners: nobody } = NONE;
  const change = (state: SemaphoreState, amount: number): SemaphoreState => ({
    left: (state.left ?? 0) + amount,
    owners: state.owners,
  });
  return {
    initial: NONE,

    step(state, act) {
      const { left, owners } = state;
      switch (act.what) {
        case 'acquire':
          if (left === undefined || left < act.amount) {
            return undefined;
          }
          return {
            left: left - act.amount,
            owners: hasEnds ? new Set(owners).add(act.owner) : owners,
          };
        case 'busy':
          return left === undefined || left < act.amount ? state : undefined;
        case 'give back': {
          if (left === undefined || (hasEnds && !owners.has(act.owner))) {
            return state;
          }
          if (act.isRepeated === true) {
            return change(state, act.amount);
          }
          const others = new Set(owners);
          others.delete(act.owner);
          return { left: left + act.amount, owners: hasEnds ? others : owners };
        }
        case 'release':
        case 'add':
          return change(state, act.amount);
        case 'set':
          return left === undefined ? { left: act.amount, owners: nobody } : undefined;
        case 'was set':
          return left === undefined ? undefined : state;
        case 'drain': {
          const most = Math.max(left ?? 0, 0);
          const taken = act.taken ?? most;
          if (taken > most || taken < most - act.hidden) {
            return undefined;
          }
          return taken === 0 ? state : change(state, -taken);
        }
        case 'look': {
          const most = left ?? 0;
          return act.left <= most && act.left >= most - act.hidden ? state : undefined;
        }
        default:
          return isSo(act.wasThere, left !== undefined) ? NONE : undefined;
      }
    },

    key: ({ left, owners }) =>
      hasEnds ? `${left} ${[...owners].toSorted().join(' ')}` : `${left}`,
  };
}

function isSo(told: boolean | undefined, truth: boolean): boolean {
  return told === undefined || told === truth;
}
