// What a count-down latch is: a count, which is zero when none is set. Its waits end at a zero.

import type { Model } from '../linearizability.js';

export type LatchAct =
  | { readonly what: 'set'; readonly count: number }
  /** Told that one is set already. */
  | { readonly what: 'was set' }
  | { readonly what: 'count down' }
  /** Let go, or told that the count was above zero for as long as it could wait. */
  | { readonly what: 'wait'; readonly isOpen: boolean }
  | { readonly what: 'look'; readonly count: number }
  /** Undefined: nobody knows what it answered, and why it went: by a call, or by a loss of data. */
  | { readonly what: 'delete'; readonly wasThere: boolean | undefined };

export const latchModel: Model<number, LatchAct> = {
  initial: 0,

  step(count, act) {
    switch (act.what) {
      case 'set':
        return count === 0 ? act.count : undefined;
      case 'was set':
        return count > 0 ? count : undefined;
      case 'count down':
        return Math.max(0, count - 1);
      case 'wait':
        return act.isOpen === (count === 0) ? count : undefined;
      case 'look':
        return act.count === count ? count : undefined;
      default:
        return act.wasThere === undefined || act.wasThere === count > 0 ? 0 : undefined;
    }
  },

  key: (count) => count,
};
