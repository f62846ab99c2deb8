export { createClient } from './client.js';
export type { Client } from './client.js';
export type { ClientOptions } from './client-options.js';
export type {
  ClientEvents,
  Holder,
  HoldEvent,
  ObjectEvent,
  ObjectKind,
} from './core/observe/events.js';
export type { FencedHold, Hold } from './core/locks/hold.js';
export type { Lock } from './core/locks/lock-face.js';
export type { LockAcquireOptions } from './core/locks/locking.js';
export type {
  CompatibleDriver,
  DriverInstance,
  NodeRedisClient,
  NodeRedisCluster,
  RedisTemplate,
} from './core/connection/driver-types.js';
export type { FencedLock } from './lock/lock.js';
export type { AcquireOptions, WaitOptions } from './core/base/arguments.js';
export type { Credentials } from './core/base/credentials-options.js';
export type { ReplicasOptions } from './core/base/replicas-options.js';
export { createQuorumClient } from './quorum/client.js';
export type { QuorumClient } from './quorum/client.js';
export type { QuorumOptions } from './quorum/options.js';
export { CoordinationError } from './coordination-error.js';
export type { CoordinationErrorOptions } from './coordination-error.js';
export {
  AcquireTimeoutError,
  ClosedError,
  CommandTimeoutError,
  DeadlockError,
  LeaseLostError,
  NotHeldError,
  OutcomeUnknownError,
  PermitsMismatchError,
  ReplicasError,
} from './errors.js';
export {
  AccessDeniedError,
  UnexpectedReplyError,
  UnsupportedServerError,
  WrongTypeError,
} from './server-errors.js';
export { TooManyWaitersError } from './waiters-error.js';
export type { LeaseLostReason } from './errors.js';
export type { Guarantees } from './guarantees/guarantees.js';
export type { FaultGuarantee } from './guarantees/faults.js';
export type { CountDownLatch } from './latch/latch.js';
export type { MultiHold } from './multi-lock/multi-hold.js';
export type { MultiLock } from './multi-lock/multi-lock.js';
export type { ReadWriteLock } from './rwlock/rwlock.js';
export type { PermitExpirableSemaphore } from './expirable-semaphore/contract.js';
export type { Permit } from './expirable-semaphore/permit.js';
export type { Permits } from './semaphore/permits.js';
export type { PermitsSetting } from './core/permits/permits-setting.js';
export type { Semaphore } from './semaphore/semaphore.js';
