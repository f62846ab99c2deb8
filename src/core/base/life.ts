import { checkInteger, INT32_MAX } from './arguments.js';
import { checkOptions } from './options.js';

/**
 * The `ttlMs` among the options of a call that sets a number, after which that is gone; 0 where it stays.
 * @param leaseMs - what to do instead of giving the call a lease.
 */
export function checkLife(call: string, options: unknown, leaseMs: string): number {
  const waiting = `${call} does not wait`;
  const { ttlMs } = checkOptions('options', options, {
    of: call,
    known: ['ttlMs'],
    elsewhere: { leaseMs, waitMs: waiting, signal: waiting },
  }) as { ttlMs?: unknown };
  return ttlMs === undefined ? 0 : checkInteger('ttlMs', ttlMs, 1, INT32_MAX);
}
