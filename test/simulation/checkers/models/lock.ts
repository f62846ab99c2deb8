// What a lock is: a mutex that knows its owner, reentrant or not, with fencing tokens or without.

import type { Model } from '../linearizability.js';
import { lapsed, NO_LAPSES, type Lapses } from './lapses.js';
import { UNTOLD } from './untold.js';

export type LockAct =
  | { readonly what: 'acquire'; readonly owner: string; readonly token: bigint | undefined }
  /** Told that another one has it. */
  | { readonly what: 'busy'; readonly owner: string }
  /** One hold. `mayBeGone`: it counts as done when its owner has none any more. */
  | { readonly what: 'release'; readonly owner: string; readonly mayBeGone: boolean }
  /** Freed by anybody; `wasHeld`: what it answered, where that is known. */
  | { readonly what: 'force'; readonly wasHeld: boolean | undefined }
  | { readonly what: 'look'; readonly isHeld: boolean };

export interface LockState {
  /** Empty when it is free. */
  readonly owner: string;
  readonly holds: number;
  /** Of its owner, where it is known. */
  readonly token: bigint | undefined;
  readonly highest: bigint;
  readonly since: number;
}

export interface LockOptions {
  readonly isReentrant: boolean;
  readonly isFenced: boolean;
  readonly lapses?: Lapses;
}

const FREE: LockState = {
  owner: '',
  holds: 0,
  token: undefined,
  highest: -1n,
  since: Number.NEGATIVE_INFINITY,
};

export function lockModel(options: LockOptions): Model<LockState, LockAct> {
  const { isReentrant, isFenced, lapses = NO_LAPSES } = options;

  /** The state without a holder that may have lost it. */
  const cleared = (state: LockState, until: number): LockState | undefined => {
    if (state.owner === '') {
      return state;
    }
    const since = lapsed(lapses, state.owner, state.since, until);
    return since === undefined ? undefined : { ...freed(state), since };
  };

  return {
    initial: FREE,

    step(state, act, until) {
      switch (act.what) {
        case 'acquire': {
          const { owner, token } = act;
          if (owner === UNTOLD && state.owner === UNTOLD) {
            return state;
          }
          if (isReentrant && state.owner === owner) {
            return isFenced ? reentered(state, token) : { ...state, holds: state.holds + 1 };
          }
          const free = cleared(state, until);
          return free === undefined || isFenced
            ? free && granted(free, owner, token)
            : { ...free, owner, holds: 1 };
        }
        case 'busy': {
          // Branches of one holder exclude each other: the second is told so, too.
          const isOther = state.owner !== act.owner || (isReentrant && state.holds > 1);
          return state.owner !== '' && isOther ? state : undefined;
        }
        case 'release':
          if (state.owner !== act.owner) {
            return act.mayBeGone ? state : undefined;
          }
          return state.holds > 1 ? { ...state, holds: state.holds - 1 } : freed(state);
        case 'force':
          if (act.wasHeld === false) {
            return cleared(state, until);
          }
          return act.wasHeld === undefined || state.owner !== '' ? freed(state) : undefined;
        default:
          if (act.isHeld) {
            return state.owner === '' ? undefined : state;
          }
          return cleared(state, until);
      }
    },

    since: ({ since }) => since,
    key: ({ owner, holds, token, highest, since }) =>
      isFenced ? `${owner} ${holds} ${token} ${highest} ${since}` : `${owner} ${holds} ${since}`,
  };
}

function freed(state: LockState): LockState {
  return { ...state, owner: '', holds: 0, token: undefined };
}

/** A token is larger than every one before it. One that nobody saw raises nothing. */
function granted(
  state: LockState,
  owner: string,
  token: bigint | undefined,
): LockState | undefined {
  if (token === undefined) {
    return { ...state, owner, holds: 1, token };
  }
  return token > state.highest ? { ...state, owner, holds: 1, token, highest: token } : undefined;
}

/** On re-entry it is equal, or becomes known. */
function reentered(state: LockState, token: bigint | undefined): LockState | undefined {
  const holds = state.holds + 1;
  if (token === undefined || token === state.token) {
    return { ...state, holds };
  }
  const isNews = state.token === undefined && token > state.highest;
  return isNews ? { ...state, holds, token, highest: token } : undefined;
}
