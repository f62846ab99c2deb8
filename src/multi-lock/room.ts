import { oneTooMany } from '../core/waiting/max-waiters.js';
import type { LockTerms } from '../core/locks/locking.js';
import type { JointLock, PartWithin } from './ask.js';
import type { PartGrants } from './part.js';

/** Throws where too many of this client wait for one of the locks that are not re-entered: they would all be before
 * this acquisition. */
export function assertRoom(
  { locks, resource, parts }: JointLock,
  { waits, maxWaiters }: LockTerms,
  withinOf: (part: PartGrants) => PartWithin,
): void {
  if (!waits || maxWaiters === undefined) {
    return;
  }
  for (const part of parts) {
    const waiting = locks.queues.get(part.lockId)?.waiting ?? 0;
    const tooMany = oneTooMany(resource, waiting, maxWaiters, part.protocol.resource);
    if (tooMany !== undefined && withinOf(part).outer === undefined) {
      throw tooMany;
    }
  }
}
