import type { OptionSet } from '../core/base/options.js';

const NO_LEASE = 'a counting semaphore has no lease';

/** Of `trySetPermits`. */
export const SETTING: OptionSet = {
  of: 'trySetPermits',
  known: ['ttlMs'],
  elsewhere: {
    leaseMs: NO_LEASE,
    waitMs: 'trySetPermits does not wait',
    signal: 'trySetPermits does not wait',
  },
};

/** What an acquisition of permits does not take. */
const NOT_OF_PERMITS = {
  leaseMs: NO_LEASE,
  ttlMs: 'trySetPermits limits the life of a semaphore',
  within: 'permits do not re-enter',
};

/** Of the calls that acquire. */
export const ACQUIRING: OptionSet = {
  of: 'an acquisition of permits',
  known: ['waitMs', 'signal'],
  elsewhere: { ...NOT_OF_PERMITS, permits: 'their number is the first argument' },
};

/** Of `using`. */
export const USING: OptionSet = {
  of: 'using of a semaphore',
  known: ['waitMs', 'signal', 'permits'],
  elsewhere: NOT_OF_PERMITS,
};
