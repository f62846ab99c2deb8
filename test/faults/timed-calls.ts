// Every call of every object, as it has to end in its time.

import type { Client } from '../../src/index.js';
import { kinds, lockKinds } from '../support/kinds/kinds.js';
import { NO_PERMIT } from '../support/kinds/objects.js';

export interface Timed {
  readonly what: string;
  readonly act: (client: Client, name: string) => Promise<unknown>;
}

/** A call that takes no `waitMs`, or is given none. */
export interface TimedCall extends Timed {
  /** It changes something beyond what an acquisition would take back. */
  readonly changes?: true;
}

const lockCalls: TimedCall[] = lockKinds.flatMap(({ what, get }) => [
  { what: `isLocked of a ${what}`, act: (client, name) => get(client, name).isLocked() },
  { what: `holders of a ${what}`, act: (client, name) => get(client, name).holders() },
  {
    what: `remainingLeaseMs of a ${what}`,
    act: (client, name) => get(client, name).remainingLeaseMs(),
  },
  {
    what: `forceRelease of a ${what}`,
    act: (client, name) => get(client, name).forceRelease(),
    changes: true,
  },
]);

const latchCalls: TimedCall[] = [
  {
    what: 'trySetCount',
    act: (client, name) => client.getCountDownLatch(name).trySetCount(1),
    changes: true,
  },
  {
    what: 'countDown',
    act: (client, name) => client.getCountDownLatch(name).countDown(),
    changes: true,
  },
  { what: 'count', act: (client, name) => client.getCountDownLatch(name).count() },
  {
    what: 'delete of a latch',
    act: (client, name) => client.getCountDownLatch(name).delete(),
    changes: true,
  },
  {
    what: 'wait at once',
    act: (client, name) => client.getCountDownLatch(name).wait({ waitMs: 0 }),
  },
];

const semaphoreCalls: TimedCall[] = [
  {
    what: 'trySetPermits',
    act: (client, name) => client.getSemaphore(name).trySetPermits(1),
    changes: true,
  },
  {
    what: 'addPermits',
    act: (client, name) => client.getSemaphore(name).addPermits(1),
    changes: true,
  },
  {
    what: 'drainPermits',
    act: (client, name) => client.getSemaphore(name).drainPermits(),
    changes: true,
  },
  { what: 'availablePermits', act: (client, name) => client.getSemaphore(name).availablePermits() },
  { what: 'release', act: (client, name) => client.getSemaphore(name).release(), changes: true },
  {
    what: 'delete of a semaphore',
    act: (client, name) => client.getSemaphore(name).delete(),
    changes: true,
  },
];

const permitCalls: TimedCall[] = [
  {
    what: 'trySetPermits of expirable ones',
    act: (client, name) => client.getPermitExpirableSemaphore(name).trySetPermits(1),
    changes: true,
  },
  {
    what: 'setPermits',
    act: (client, name) => client.getPermitExpirableSemaphore(name).setPermits(1),
    changes: true,
  },
  {
    what: 'addPermits of expirable ones',
    act: (client, name) => client.getPermitExpirableSemaphore(name).addPermits(1),
    changes: true,
  },
  {
    what: 'totalPermits',
    act: (client, name) => client.getPermitExpirableSemaphore(name).totalPermits(),
  },
  {
    what: 'acquiredPermits',
    act: (client, name) => client.getPermitExpirableSemaphore(name).acquiredPermits(),
  },
  {
    what: 'tryAcquireMany',
    act: (client, name) => client.getPermitExpirableSemaphore(name).tryAcquireMany(3),
  },
  {
    what: 'release by id',
    act: (client, name) => client.getPermitExpirableSemaphore(name).release(NO_PERMIT),
    changes: true,
  },
  {
    what: 'tryRelease by id',
    act: (client, name) => client.getPermitExpirableSemaphore(name).tryRelease(NO_PERMIT),
    changes: true,
  },
  {
    what: 'updateLease',
    act: (client, name) => client.getPermitExpirableSemaphore(name).updateLease(NO_PERMIT, 1_000),
    changes: true,
  },
  {
    what: 'delete of an expirable semaphore',
    act: (client, name) => client.getPermitExpirableSemaphore(name).delete(),
    changes: true,
  },
];

export const calls: readonly TimedCall[] = [
  ...kinds.map(({ what, get }) => ({
    what: `tryAcquire of a ${what}`,
    act: async (client: Client, name: string) => await get(client, name).tryAcquire(),
  })),
  ...lockCalls,
  ...latchCalls,
  ...semaphoreCalls,
  ...permitCalls,
];

/** How long each of `waits` waits. */
export const WAIT_MS = 500;

export const waits: readonly Timed[] = [
  ...kinds.flatMap(({ what, get }) => [
    {
      what: `tryAcquire of a ${what}`,
      act: async (client: Client, name: string) =>
        await get(client, name).tryAcquire({ waitMs: WAIT_MS }),
    },
    {
      what: `acquire of a ${what}`,
      act: async (client: Client, name: string) =>
        await get(client, name).acquire({ waitMs: WAIT_MS }),
    },
  ]),
  ...lockKinds.map(({ what, get }) => ({
    what: `using of a ${what}`,
    act: async (client: Client, name: string) =>
      await get(client, name).using(() => 0, { waitMs: WAIT_MS }),
  })),
  {
    what: 'using of a semaphore',
    act: (client, name) => client.getSemaphore(name).using(() => 0, { waitMs: WAIT_MS }),
  },
  {
    what: 'using of a permit',
    act: (client, name) =>
      client.getPermitExpirableSemaphore(name).using(() => 0, { waitMs: WAIT_MS }),
  },
  {
    what: 'acquireMany',
    act: (client, name) =>
      client.getPermitExpirableSemaphore(name).acquireMany(2, { waitMs: WAIT_MS }),
  },
  {
    what: 'latch wait',
    act: (client, name) => client.getCountDownLatch(name).wait({ waitMs: WAIT_MS }),
  },
];
