// Calls whose outcome their answer tells: of locks.

import type { Client, FencedLock, Lock } from '../../src/index.js';
import * as compiled from '../../src/core/wire/scripts.generated.js';
import type { WireScript } from '../support/kinds/kind.js';
import { granted, type Outcome } from './known-outcomes-counts.js';
import type { World } from './world.js';

/** Somebody else holds a lock for two seconds. */
const heldBy =
  (lock: (client: Client, name: string) => Lock | FencedLock) =>
  async ({ other, name }: World): Promise<unknown> =>
    await lock(other, name).acquire({ leaseMs: 2_000 });

type GetLock = (client: Client, name: string) => Lock;
const locks: [string, GetLock, acquire: WireScript, forceRelease: WireScript][] = [
  [
    'a lock',
    (client, name) => client.getLock(name),
    compiled.lockAcquire,
    compiled.lockForceRelease,
  ],
  [
    'a fair lock',
    (client, name) => client.getFairLock(name),
    compiled.fairLockAcquire,
    compiled.fairLockForceRelease,
  ],
  [
    'a fenced lock',
    (client, name) => client.getFencedLock(name),
    compiled.lockAcquireFenced,
    compiled.lockForceRelease,
  ],
  [
    'a read lock',
    (client, name) => client.getReadWriteLock(name).readLock,
    compiled.rwlockAcquireRead,
    compiled.rwlockForceRelease,
  ],
  [
    'a write lock',
    (client, name) => client.getReadWriteLock(name).writeLock,
    compiled.rwlockAcquireWrite,
    compiled.rwlockForceRelease,
  ],
];

export const lockOutcomes: Outcome[] = locks.flatMap(([what, get, acquire, forceRelease]) => {
  const rival: GetLock =
    what === 'a read lock' ? (client, name) => client.getReadWriteLock(name).writeLock : get;
  return [
    {
      script: acquire,
      what: `${what} that is busy`,
      prepare: heldBy(rival),
      call: async (client: Client, name: string) => await granted(get(client, name).tryAcquire()),
      answer: null,
    },
    {
      script: forceRelease,
      what: `${what} that is held`,
      prepare: heldBy(get),
      call: async (client: Client, name: string) => await get(client, name).forceRelease(),
      answer: true,
    },
    {
      script: forceRelease,
      what: `${what} that is free`,
      call: async (client: Client, name: string) => await get(client, name).forceRelease(),
      answer: false,
    },
  ];
});
