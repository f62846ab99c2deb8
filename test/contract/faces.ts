// What the contract suites run against, by what can be asked of it: every kind joins the suites by
// joining these lists.

import type { ExclusiveLock, Face, LeasedFace, LockUnderTest } from './face.js';
import { fairLock, fencedLock, lock, readSide, writeSide } from './lock-faces.js';
import { lastPermit, permitOfOne, semaphoreOfOne } from './permit-faces.js';

/** Locks whose key is one hash, holder -> count, and nothing else, as Redisson's RLock. */
export const hashFaces: readonly ExclusiveLock[] = [lock, fencedLock, fairLock];

/** Every lock with one holder at a time. */
export const lockFaces: readonly ExclusiveLock[] = [...hashFaces, writeSide];

/** Every lock, those included that have several holders at once. */
export const allLocks: readonly LockUnderTest[] = [...lockFaces, readSide];

/** Every object with one holder at a time whose grants live on a lease. */
export const leasedFaces: readonly LeasedFace[] = [...lockFaces, permitOfOne];

/** Every object whose grants live on a lease. */
export const allLeased: readonly LeasedFace[] = [...leasedFaces, readSide];

/** Every object with one holder at a time. */
export const exclusiveFaces: readonly Face[] = [...leasedFaces, semaphoreOfOne, lastPermit];

/** Everything that can be acquired. */
export const allFaces: readonly Face[] = [...exclusiveFaces, readSide];

/** Keys of any kind that stay by design and have no TTL. */
export const allLasting: readonly RegExp[] = allFaces.flatMap(({ lasting }) => lasting);
