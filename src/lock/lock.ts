import { UnexpectedReplyError } from '../server-errors.js';
import type { FencedHold } from '../core/locks/hold.js';
import { anyHold, HoldFace, type AsGranted } from '../core/locks/hold-face.js';
import { LockFace, type Lock } from '../core/locks/lock-face.js';
import type { LockAcquireOptions } from '../core/locks/locking.js';
import type { LockServices } from '../core/locks/lock-services.js';
import { FairLockProtocol } from './fair.js';
import { FencedLockProtocol, HashLockProtocol } from './protocol.js';

/**
 * A lock whose holds carry a fencing token, in whichever way they are acquired.
 *
 * @example
 * ```ts
 * const lock: FencedLock = client.getFencedLock('ledger');
 * await lock.using(async ({ fencingToken }) => {
 *   await save({ token: fencingToken });
 * });
 * ```
 */
export interface FencedLock extends Lock {
  /** Like `Lock.acquire`. */
  acquire(options?: LockAcquireOptions): Promise<FencedHold>;
  /** Like `Lock.tryAcquire`. */
  tryAcquire(options?: LockAcquireOptions): Promise<FencedHold | null>;
  /** Like `Lock.using`. */
  using<T>(
    options: LockAcquireOptions | undefined,
    task: (hold: FencedHold) => T | Promise<T>,
  ): Promise<T>;
  /** Like `Lock.using`. */
  using<T>(task: (hold: FencedHold) => T | Promise<T>, options?: LockAcquireOptions): Promise<T>;
}

type FencedHoldFace = HoldFace & FencedHold;

/** The script of a fenced lock answers each grant with a token, which re-entries share. */
const asFenced: AsGranted<FencedHoldFace> = (hold, origin) => {
  const face = new HoldFace(hold, origin);
  if (!isFenced(face)) {
    const { lockName: resource } = hold;
    throw new UnexpectedReplyError(`"${resource}" was granted without a fencing token`, {
      resource,
    });
  }
  return face;
};

function isFenced(hold: HoldFace): hold is FencedHoldFace {
  return hold.fencingToken !== undefined;
}

/** Redisson's RLock: reentrant, on one hash. */
export function createLock(locks: LockServices, name: string, key: string): Lock {
  return new LockFace(locks, new HashLockProtocol(locks.services, 'lock', name, key), anyHold);
}

/** Redisson's RFairLock: reentrant, first come first served. */
export function createFairLock(locks: LockServices, name: string, key: string): Lock {
  return new LockFace(locks, new FairLockProtocol(locks.services, name, key), anyHold);
}

/** Redisson's RFencedLock: each grant carries a token that only grows. */
export function createFencedLock(locks: LockServices, name: string, key: string): FencedLock {
  const protocol = new FencedLockProtocol(locks.services, 'fenced-lock', name, key);
  return new LockFace(locks, protocol, asFenced);
}
