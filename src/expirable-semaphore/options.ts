import type { OptionSet } from '../core/base/options.js';

/** Of `trySetPermits`. */
export const SETTING: OptionSet = {
  of: 'trySetPermits',
  known: ['ttlMs'],
  elsewhere: {
    leaseMs: 'each permit has a lease, which its acquisition takes',
    waitMs: 'trySetPermits does not wait',
    signal: 'trySetPermits does not wait',
  },
};

/** Of the calls that acquire. */
export const ACQUIRING: OptionSet = {
  of: 'an acquisition of permits',
  known: ['waitMs', 'leaseMs', 'signal'],
  elsewhere: {
    permits: 'acquireMany and tryAcquireMany take their number as first argument',
    ttlMs: 'trySetPermits limits the life of a semaphore',
    within: 'permits do not re-enter',
  },
};
