import { CommandTimeoutError } from '../../errors.js';
import type { EndpointServices } from '../endpoint-services.js';
import type { Lease } from '../lease/lease.js';
import type { Command } from '../wire/call.js';
import { itemOf, judgeAll, type Renewal, type RenewalAnswer } from '../lease/renewal.js';

/** Makes leases of one kind, whose objects can share a call, last at least `leaseMs` from now. */
export async function extendAll(
  services: EndpointServices,
  resource: string,
  renewal: Renewal,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<void> {
  const command = renewal(leases.map((lease) => itemOf(lease, leaseMs)));
  await extendBy(services, resource, command, leases, leaseMs);
}

/** The same, by a command that lengthens them. */
export async function extendBy(
  services: EndpointServices,
  resource: string,
  command: Command<readonly RenewalAnswer[]>,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<void> {
  const lengthenings = leases.map((lease) => {
    lease.isExtended = true;
    return lease.lengthening();
  });
  const settled = (): void => lengthenings.forEach((lengthening) => lengthening.settled());
  try {
    const { answer, call } = await services.delivery.send(resource, command, 'change');
    const at = { sentAt: call.sentAt, now: services.clock.now() };
    judgeAll(
      leases,
      answer,
      at,
      leases.map(() => leaseMs),
    );
    for (const lease of leases) {
      lease.arm(leaseMs);
    }
    if (call.unackedCopies === 0) {
      settled();
    }
  } catch (error) {
    if (error instanceof CommandTimeoutError) {
      // It was never sent, or refused.
      settled();
    }
    throw error;
  }
}
