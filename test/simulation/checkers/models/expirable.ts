// What a semaphore with permits on a lease is: a number of permits, and who has how many of them.

import type { Model } from '../linearizability.js';
import { lapsed, NO_LAPSES, type Lapses } from './lapses.js';

export type ExpirableAct =
  | { readonly what: 'acquire'; readonly owner: string; readonly amount: number }
  | { readonly what: 'busy'; readonly amount: number }
  /** `mayBeGone`: it counts as done when its owner has fewer. */
  | {
      readonly what: 'release';
      readonly owner: string;
      readonly amount: number;
      readonly mayBeGone: boolean;
    }
  /** Told that its owner has fewer. */
  | { readonly what: 'not held'; readonly owner: string; readonly amount: number }
  | { readonly what: 'set' | 'add'; readonly amount: number }
  | { readonly what: 'was set' }
  /** `hidden`: so many may have been taken by calls that failed, for a while. */
  | { readonly what: 'look'; readonly left: number; readonly hidden: number }
  /** Undefined: nobody knows what it answered, and why it went: by a call, or by a loss of data. */
  | { readonly what: 'delete'; readonly wasThere: boolean | undefined };

export interface ExpirableState {
  /** Of all permits; undefined when there is no semaphore. */
  readonly total: number | undefined;
  readonly taken: number;
  readonly held: ReadonlyMap<string, number>;
  readonly since: number;
  /** So many more may be in use: of several owners that may have lost theirs any one has. */
  readonly slack: number;
}

const NONE: ExpirableState = {
  total: undefined,
  taken: 0,
  held: new Map(),
  since: Number.NEGATIVE_INFINITY,
  slack: 0,
};

export function expirableModel(lapses: Lapses = NO_LAPSES): Model<ExpirableState, ExpirableAct> {
  /** Those that may have lost their permits, the earliest first. */
  const lapsedOwners = ({ held }: ExpirableState, until: number): string[] =>
    lapses.size === 0
      ? []
      : [...held.keys()]
          .filter((owner) => (lapses.get(owner) ?? Number.POSITIVE_INFINITY) <= until)
          .toSorted((a, b) => lapses.get(a)! - lapses.get(b)!);

  const acquire = (
    before: ExpirableState,
    owner: string,
    amount: number,
    until: number,
  ): ExpirableState | undefined => {
    let state = before;
    for (const gone of lapsedOwners(before, until)) {
      const missing = amount - leftOf(state);
      if (missing <= 0) {
        break;
      }
      const permits = state.held.get(gone)!;
      const since = lapsed(lapses, gone, state.since, until)!;
      const slack = state.slack + Math.max(0, permits - missing);
      state = { ...take(state, gone, -permits), since, slack };
    }
    return leftOf(state) >= amount ? take(state, owner, amount) : undefined;
  };

  return {
    initial: NONE,

    step(state, act, until) {
      const { total, held, since } = state;
      switch (act.what) {
        case 'acquire':
          return total === undefined ? undefined : acquire(state, act.owner, act.amount, until);
        case 'busy':
          return total === undefined || leftOf(state) - state.slack < act.amount
            ? state
            : undefined;
        case 'release': {
          const permits = held.get(act.owner) ?? 0;
          // Of permits that were acquired together some may have ended, and some not.
          const isOpen = act.mayBeGone || (state.slack > 0 && lapses.has(act.owner));
          if (permits < act.amount && !isOpen) {
            return undefined;
          }
          return permits === 0 ? state : take(state, act.owner, -Math.min(permits, act.amount));
        }
        case 'not held': {
          const isGone = lapsed(lapses, act.owner, since, until) !== undefined;
          return isGone || (held.get(act.owner) ?? 0) < act.amount ? state : undefined;
        }
        case 'set':
          return total === undefined ? { ...NONE, total: act.amount, since } : undefined;
        case 'add':
          return total === undefined
            ? { ...NONE, total: act.amount, since }
            : { ...state, total: total + act.amount };
        case 'was set':
          return total === undefined ? undefined : state;
        case 'look': {
          const back = lapsedOwners(state, until).reduce((sum, owner) => sum + held.get(owner)!, 0);
          const least = leftOf(state) - act.hidden - state.slack;
          return act.left >= least && act.left <= leftOf(state) + back ? state : undefined;
        }
        default:
          return act.wasThere === undefined || act.wasThere === (total !== undefined)
            ? { ...NONE, since }
            : undefined;
      }
    },

    since: ({ since }) => since,
    key: ({ total, held, since, slack }) =>
      `${total} ${since} ${slack} ${[...held]
        .map(([owner, permits]) => `${owner}*${permits}`)
        .toSorted()
        .join(' ')}`,
  };
}

function leftOf({ total, taken }: ExpirableState): number {
  return (total ?? 0) - taken;
}

function take(state: ExpirableState, owner: string, permits: number): ExpirableState {
  const held = new Map(state.held);
  const now = (held.get(owner) ?? 0) + permits;
  if (now === 0) {
    held.delete(owner);
  } else {
    held.set(owner, now);
  }
  return { ...state, taken: state.taken + permits, held };
}
