// All kinds, by what can be asked of them: a new kind joins the suites by joining these lists.

import type { ExclusiveLock, Kind, LeasedKind, LockKind } from './kind.js';
import { fairLock, fencedLock, lock, multiLock, readLock, writeLock } from './locks.js';
import { lastPermit, permit, semaphore } from './permits.js';

/** Locks whose key is one hash, holder -> count, and nothing else, as Redisson's RLock. */
export const hashLocks: readonly ExclusiveLock[] = [lock, fencedLock, fairLock, multiLock];

/** Every lock with one holder at a time. */
export const exclusiveLocks: readonly ExclusiveLock[] = [...hashLocks, writeLock];

/** Every lock, those included that have several holders at once. */
export const lockKinds: readonly LockKind[] = [...exclusiveLocks, readLock];

/** Every object with one holder at a time whose grants live on a lease. */
export const exclusiveLeased: readonly LeasedKind[] = [...exclusiveLocks, permit];

/** Every object whose grants live on a lease. */
export const leasedKinds: readonly LeasedKind[] = [...lockKinds, permit];

/** Everything that can be acquired. */
export const kinds: readonly Kind[] = [...leasedKinds, semaphore];

/** Every object with one holder at a time, a semaphore that others use too among them. */
export const exclusiveKinds: readonly Kind[] = [...exclusiveLeased, semaphore, lastPermit];

/** The same, and readers. */
export const allKinds: readonly Kind[] = [...exclusiveKinds, readLock];

/** Keys of any kind that stay by design and have no TTL. */
export const allLasting: readonly RegExp[] = allKinds.flatMap(({ lasting }) => lasting);
