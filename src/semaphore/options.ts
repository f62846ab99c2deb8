import type { OptionSet } from '../core/base/options.js';

export const NO_LEASE = 'a counting semaphore has no lease';

/** What an acquisition of permits does not take. */
const NOT_OF_PERMITS = {
  leaseMs: NO_LEASE,
  maxHoldMs: NO_LEASE,
  ttlMs: 'trySetPermits limits the life of a semaphore',
  within: 'permits do not re-enter',
  replicas: 'only grants with a lease wait for replicas, and a counting semaphore has none',
};

/** Of the calls that acquire. */
export const ACQUIRING: OptionSet = {
  of: 'an acquisition of permits',
  known: ['waitMs', 'signal', 'maxWaiters'],
  elsewhere: { ...NOT_OF_PERMITS, permits: 'their number is the first argument' },
};

/** Of `using`. */
export const USING: OptionSet = {
  of: 'using of a semaphore',
  known: ['waitMs', 'signal', 'maxWaiters', 'permits'],
  elsewhere: NOT_OF_PERMITS,
};
