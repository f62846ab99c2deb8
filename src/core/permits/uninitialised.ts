import { AcquireTimeoutError } from '../../errors.js';

/** The error of a wait for permits of a semaphore that has no number of permits. `getter`: the
 * method of the client that makes such a semaphore. `wasSeen`: this client has stated the
 * number, and the semaphore was deleted since; it makes none again. */
export function uninitialised(
  resource: string,
  getter: string,
  wasSeen: boolean,
): AcquireTimeoutError {
  const why = wasSeen
    ? 'it was deleted since this client set or saw their number (trySetPermits sets it again)'
    : `nobody has set their number yet (trySetPermits, or ${getter}(name, { permits }))`;
  return new AcquireTimeoutError(`"${resource}" has no permits: ${why}`, { resource });
}
