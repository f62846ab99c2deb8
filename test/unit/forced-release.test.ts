// Which leases a forced release of their own client ends, and what it still has to take back.

import { describe, expect, test } from 'vitest';
import { anyHold } from '../../src/core/locks/hold-face.js';
import { LockGrants } from '../../src/core/locks/lock-grants.js';
import type { ReleaseTerms } from '../../src/core/locks/release-terms.js';
import { Lease, type LeaseHooks } from '../../src/core/lease/lease.js';
import type { LeaseIdentity } from '../../src/core/lease/lease-parts.js';
import { Events } from '../../src/core/observe/events.js';
import type { PendingCall } from '../../src/core/wire/call.js';
import { fakeClock } from '../support/fake-clock.js';

function stage() {
  const clock = fakeClock();
  const leases: Lease[] = [];
  const done: string[] = [];
  const services = {
    clock,
    createLease: (identity: LeaseIdentity, lost: LeaseHooks['lost']) =>
      new Lease(identity, clock, new Events(), { lost, ask: () => {} }),
    watchdog: { leasesOf: () => [...leases], pollAll: () => done.push('polls all') },
    delivery: { inBackground: (what: string) => done.push(what) },
    names: { leave: () => {} },
    letGo: ({ identity }: Lease) => done.push(`lets go ${identity.holderId}`),
  };
  const protocol = {
    kind: 'lock',
    resource: 'jobs',
    key: 'jobs',
    lockId: 'jobs',
    release: (holderId: string, { count, tombstoneMs }: ReleaseTerms) =>
      `releases ${holderId} to ${count}${tombstoneMs > 0 ? ' with a tombstone' : ''}`,
  };
  const handOffs = { forget: () => undefined };
  const others = { over: () => undefined };
  const locks = { services, queues: new Map(), handOffs, others };
  const grants = new LockGrants(locks as never, protocol as never, anyHold);
  /** A lease whose acquisition was the call with this number. */
  const lease = (order: number, copies = 1): Lease => {
    const made = grants.createLease(`me:${order}`);
    made.start({ order, sentAt: clock.now(), lastSentAt: clock.now() + copies - 1 }, 1_000);
    leases.push(made);
    return made;
  };
  const force = (order: number, unackedCopies = 0, copies = 1): void => {
    const call = { order, sentAt: 0, lastSentAt: copies - 1, unackedCopies };
    grants.forced(call as unknown as PendingCall);
  };
  return { lease, force, done };
}

describe('a forced release', () => {
  test('ends what was asked for before it, and nothing that was asked for later', () => {
    const { lease, force, done } = stage();
    const [before, after] = [lease(1), lease(3)];

    force(2);

    expect([before.state, before.error?.reason, after.state]).toEqual(['lost', 'deleted', 'held']);
    expect(done).toEqual(['lets go me:1']);
  });

  test('releases what may have been acquired again behind it', () => {
    const { lease, force, done } = stage();
    lease(1, 2);

    force(2);

    expect(done).toEqual(['lets go me:1', 'releases me:1 to 0']);
  });

  test('takes back for good what a late copy may still acquire', () => {
    const { lease, force, done } = stage();
    lease(1).hasUnackedCopy = true;

    force(2);

    expect(done).toEqual(['lets go me:1', 'releases me:1 to 0 with a tombstone']);
  });

  test.each([
    [1, 1],
    [0, 2],
  ])('of which %i copies are lost, of %i, has every grant polled', (unacked, copies) => {
    const { force, done } = stage();

    force(2, unacked, copies);

    expect(done).toEqual(['polls all']);
  });
});
