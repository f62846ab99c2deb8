import { LockFace, type Lock } from '../core/locks/lock-face.js';
import type { LockState } from '../core/locks/lock-state.js';
import { FairLockProtocol } from './fair.js';
import { FencedLockProtocol, HashLockProtocol } from './protocol.js';

/** Redisson's RLock: reentrant, on one hash. */
export function createLock(state: LockState, name: string, key: string): Lock {
  return new LockFace(state, new HashLockProtocol(state.services, 'lock', name, key));
}

/** Redisson's RFairLock: reentrant, first come first served. */
export function createFairLock(state: LockState, name: string, key: string): Lock {
  return new LockFace(state, new FairLockProtocol(state.services, name, key));
}

/** Redisson's RFencedLock: each grant carries a token that only grows. */
export function createFencedLock(state: LockState, name: string, key: string): Lock {
  return new LockFace(state, new FencedLockProtocol(state.services, 'fenced-lock', name, key));
}
