// A lease on a clock of the test, and what it tells.

import { Lease } from '../../src/core/lease/lease.js';
import type { LeaseHolder } from '../../src/core/lease/lease-parts.js';
import { Events, type ClientEvents } from '../../src/core/observe/events.js';
import { fakeClock, type FakeClock } from './fake-clock.js';

/** A call that was written once. */
export const callAt = (at: number) => ({ order: 1, sentAt: at, lastSentAt: at });

interface Stage {
  readonly clock: FakeClock;
  readonly lease: Lease;
  /** What was told: the hook with its reason, then each holder. */
  readonly told: unknown[];
  /** For which the server was asked. */
  readonly asked: readonly Lease[];
  readonly suspects: Parameters<ClientEvents['suspect']>[0][];
  readonly add: (renewed: boolean) => LeaseHolder;
}

export function stage(): Stage {
  const [clock, events] = [fakeClock(), new Events()];
  const told: unknown[] = [];
  const suspects: Stage['suspects'] = [];
  events.on('suspect', (event) => {
    suspects.push(event);
  });
  const identity = { kind: 'lock' as const, resource: 'jobs', key: 'p:jobs', holderId: 'me:1' };
  const asked: Lease[] = [];
  const lease = new Lease(identity, clock, events, {
    lost: (_, reason) => told.push(reason),
    ask: (about) => asked.push(about),
  });
  const add = (renewed: boolean): LeaseHolder => {
    const holder: LeaseHolder = { renewed, lost: (error) => told.push(error) };
    lease.holders.push(holder);
    return holder;
  };
  return { clock, lease, told, asked, suspects, add };
}
