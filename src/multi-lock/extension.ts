import { checkBound } from '../core/base/arguments.js';
import { batchesOf } from '../core/base/batches.js';
import { least } from '../core/base/least.js';
import { extendAll } from '../core/grant/extension.js';
import type { HeldParts } from './part.js';

/** Makes the leases of all parts last at least `leaseMs` from now; a RangeError beyond their bound. */
export async function extendParts(
  { locks: { services }, parts, resource }: HeldParts,
  leaseMs: number,
): Promise<void> {
  checkBound(leaseMs, least(parts.map(({ hold }) => hold.lease.boundMs)));
  const ofCall = ({ grants }: (typeof parts)[0]) => services.router.groupOf(grants.protocol.key);
  const extending = batchesOf(parts, ofCall).map(async (group) => {
    const [first] = group;
    const leases = group.map(({ hold }) => hold.lease);
    if (first !== undefined) {
      const { renewal } = first.grants.protocol;
      await extendAll(services, resource, renewal, leases, leaseMs);
    }
  });
  await Promise.all(extending);
}
