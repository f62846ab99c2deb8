import type { OptionSet } from '../core/base/options.js';

export const ITS_OWN_LEASE = 'each permit has a lease, which its acquisition takes';

/** Of the calls that acquire. */
export const ACQUIRING: OptionSet = {
  of: 'an acquisition of permits',
  known: ['waitMs', 'leaseMs', 'maxHoldMs', 'signal', 'replicas', 'maxWaiters'],
  elsewhere: {
    permits: 'acquireMany and tryAcquireMany take their number as first argument',
    ttlMs: 'trySetPermits limits the life of a semaphore',
    within: 'permits do not re-enter',
  },
};
