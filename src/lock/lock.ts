import { LockFace, type Lock } from '../core/locks/lock-face.js';
import type { LockServices } from '../core/locks/lock-services.js';
import { FairLockProtocol } from './fair.js';
import { FencedLockProtocol, HashLockProtocol } from './protocol.js';

/** Redisson's RLock: reentrant, on one hash. */
export function createLock(locks: LockServices, name: string, key: string): Lock {
  return new LockFace(locks, new HashLockProtocol(locks.services, 'lock', name, key));
}

/** Redisson's RFairLock: reentrant, first come first served. */
export function createFairLock(locks: LockServices, name: string, key: string): Lock {
  return new LockFace(locks, new FairLockProtocol(locks.services, name, key));
}

/** Redisson's RFencedLock: each grant carries a token that only grows. */
export function createFencedLock(locks: LockServices, name: string, key: string): Lock {
  return new LockFace(locks, new FencedLockProtocol(locks.services, 'fenced-lock', name, key));
}
