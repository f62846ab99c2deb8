// What a count-down latch is: a count, which is zero when none is set. Its waits end at a zero.

import type { Model } from '../linearizability.js';

export type LatchAct =
  /** `number`: of a set whose latch ends by itself. */
  | { readonly what: 'set'; readonly count: number; readonly number: number | undefined }
  /** The latch of that set has lived for its time, unless it was gone before. */
  | { readonly what: 'lapse'; readonly number: number }
  /** Told that one is set already. */
  | { readonly what: 'was set' }
  | { readonly what: 'count down' }
  /** Let go, or told that the count was above zero for as long as it could wait. */
  | { readonly what: 'wait'; readonly isOpen: boolean }
  | { readonly what: 'look'; readonly count: number }
  /** Undefined: nobody knows what it answered, and why it went: by a call, or by a loss of data. */
  | { readonly what: 'delete'; readonly wasThere: boolean | undefined };

interface LatchState {
  readonly count: number;
  /** Of the set, where the latch ends by itself. */
  readonly number: number | undefined;
}

const NONE: LatchState = { count: 0, number: undefined };

export const latchModel: Model<LatchState, LatchAct> = {
  initial: NONE,

  step(state, act) {
    const { count, number } = state;
    switch (act.what) {
      case 'set':
        return count === 0 ? { count: act.count, number: act.number } : undefined;
      case 'lapse':
        return act.number === number ? NONE : state;
      case 'was set':
        return count > 0 ? state : undefined;
      case 'count down':
        return count > 1 ? { count: count - 1, number } : NONE;
      case 'wait':
        return act.isOpen === (count === 0) ? state : undefined;
      case 'look':
        return act.count === count ? state : undefined;
      default:
        return act.wasThere === undefined || act.wasThere === count > 0 ? NONE : undefined;
    }
  },

  key: ({ count, number }) => (number === undefined ? count : `${count} of ${number}`),
};
