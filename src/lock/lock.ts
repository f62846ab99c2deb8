import { LockFace } from '../core/lock-face.js';
import type { Lock } from '../core/lock-face.js';
import type { Runtime } from '../core/runtime.js';
import { FairLockProtocol } from './fair.js';
import { FencedLockProtocol, HashLockProtocol } from './protocol.js';

/** Redisson's RLock: reentrant, on one hash. */
export function createLock(runtime: Runtime, name: string, key: string): Lock {
  return new LockFace(runtime, new HashLockProtocol(runtime, 'lock', name, key));
}

/** Redisson's RFairLock: reentrant, first come first served. */
export function createFairLock(runtime: Runtime, name: string, key: string): Lock {
  return new LockFace(runtime, new FairLockProtocol(runtime, name, key));
}

/** Redisson's RFencedLock: each grant carries a token that only grows. */
export function createFencedLock(runtime: Runtime, name: string, key: string): Lock {
  return new LockFace(runtime, new FencedLockProtocol(runtime, 'fenced-lock', name, key));
}
