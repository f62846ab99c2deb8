import { AcquireTimeoutError } from '../../errors.js';

/** The error of a wait for permits of a semaphore whose number nobody has set. `getter`: the method
 * of the client that makes such a semaphore. */
export function uninitialised(resource: string, getter: string): AcquireTimeoutError {
  const ways = `trySetPermits, or ${getter}(name, { permits })`;
  const message = `"${resource}" has no permits: nobody has set their number yet (${ways})`;
  return new AcquireTimeoutError(message, { resource });
}
