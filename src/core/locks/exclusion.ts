import type { EndpointServices } from '../endpoint-services.js';
import type { Lease } from '../lease/lease.js';
import type { LockProtocol } from './lock-protocol.js';

/** A lock of a client. */
interface OfLock {
  readonly services: Pick<EndpointServices, 'watchdog'>;
  readonly protocol: LockProtocol;
}

/** The leases of this client that exclude a hold of this lock. */
export function excluding({ services: { watchdog }, protocol }: OfLock): readonly Lease[] {
  const { isShared, kind, key, sibling } = protocol;
  const own = isShared ? [] : watchdog.leasesOf(kind, key);
  return sibling === undefined ? own : [...own, ...watchdog.leasesOf(sibling.kind, key)];
}

/**
 * The server has granted the lock to a new holder of this client. The leases of this client that
 * exclude that holder are thus lost, even if nothing has reported it yet (a forced release, a
 * flush). So two holds that exclude each other are never both `held` in one client.
 */
export function endOthers(lock: OfLock): void {
  for (const lease of excluding(lock)) {
    // Makes its loss release it as well, in case the server still counts it.
    lease.hasUnackedCopy = true;
    lease.lose('taken');
  }
}
