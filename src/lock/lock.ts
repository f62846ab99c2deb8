import { UnexpectedReplyError } from '../server-errors.js';
import type { FencedHold, LockHold } from '../core/locks/hold.js';
import { LockFace, type Lock, type LockAcquireOptions } from '../core/locks/lock-face.js';
import { anyHold } from '../core/locks/lock-grants.js';
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

type FencedLockHold = LockHold & FencedHold;

/** The script of a fenced lock answers each grant with a token, which re-entries share. */
function asFenced(hold: LockHold): FencedLockHold {
  if (!isFenced(hold)) {
    const { lockName: resource } = hold;
    throw new UnexpectedReplyError(`"${resource}" was granted without a fencing token`, {
      resource,
    });
  }
  return hold;
}

function isFenced(hold: LockHold): hold is FencedLockHold {
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
