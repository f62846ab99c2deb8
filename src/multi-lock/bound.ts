import type { Clock } from '../core/base/clock.js';
import type { LockHold } from '../core/locks/hold.js';

/** All parts of a multi-lock are held: the bound of the whole, where it has one, counts from the grant of the last. */
export function bindAll(
  holds: readonly LockHold[],
  maxHoldMs: number | undefined,
  clock: Pick<Clock, 'now'>,
): void {
  if (maxHoldMs !== undefined) {
    const fresh = holds.filter(({ depth }) => depth === 1);
    // The last ask has confirmed those that were granted before it, which may be long ago.
    const confirmed = fresh.map(({ lease }) => Math.max(lease.sentAt, lease.provenAt));
    const last = confirmed.reduce((latest, at) => Math.max(latest, at), -Infinity);
    for (const hold of holds) {
      hold.lease.bind(hold, maxHoldMs, fresh.length === 0 ? clock.now() : last);
    }
  }
}
