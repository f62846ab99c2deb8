// The public types of locks and holds, checked by the compiler against the contract.

import { expectTypeOf } from 'vitest';
import type {
  AcquireOptions,
  Hold,
  Lock,
  LockAcquireOptions,
  ReadWriteLock,
  ReplicasOptions,
} from '../../src/index.js';

expectTypeOf<AcquireOptions>().toEqualTypeOf<{
  waitMs?: number | undefined;
  leaseMs?: number | undefined;
  signal?: AbortSignal | undefined;
  maxHoldMs?: number | undefined;
  maxWaiters?: number | undefined;
  replicas?: ReplicasOptions | undefined;
}>();
expectTypeOf<ReplicasOptions>().toEqualTypeOf<{
  min: number;
  timeoutMs: number;
  onShortfall?: 'undo' | 'keep' | undefined;
}>();
expectTypeOf<{ [K in keyof LockAcquireOptions]-?: undefined }>().toExtend<LockAcquireOptions>();
expectTypeOf<LockAcquireOptions>().toExtend<AcquireOptions>();
expectTypeOf<LockAcquireOptions['within']>().toEqualTypeOf<Hold | null | undefined>();
expectTypeOf<keyof LockAcquireOptions>().toEqualTypeOf<
  'waitMs' | 'leaseMs' | 'maxHoldMs' | 'signal' | 'maxWaiters' | 'replicas' | 'within'
>();

expectTypeOf<keyof Lock>().toEqualTypeOf<
  | 'name'
  | 'acquire'
  | 'tryAcquire'
  | 'using'
  | 'isLocked'
  | 'holders'
  | 'holdCount'
  | 'remainingLeaseMs'
  | 'forceRelease'
>();
expectTypeOf<Lock['acquire']>().toEqualTypeOf<(options?: LockAcquireOptions) => Promise<Hold>>();
expectTypeOf<Lock['tryAcquire']>().toEqualTypeOf<
  (options?: LockAcquireOptions) => Promise<Hold | null>
>();
expectTypeOf<Lock['isLocked']>().toEqualTypeOf<() => Promise<boolean>>();
expectTypeOf<Lock['holdCount']>().toEqualTypeOf<() => Promise<number>>();
expectTypeOf<Lock['remainingLeaseMs']>().toEqualTypeOf<() => Promise<number | null>>();
expectTypeOf<Lock['forceRelease']>().toEqualTypeOf<() => Promise<boolean>>();
expectTypeOf<Awaited<ReturnType<Lock['holders']>>>().toExtend<
  { readonly holderId: string; readonly depth: number; readonly remainingMs: number }[]
>();

expectTypeOf<keyof Hold>().toEqualTypeOf<
  | 'lockName'
  | 'holderId'
  | 'depth'
  | 'fencingToken'
  | 'state'
  | 'signal'
  | 'isHeld'
  | 'remainingMs'
  | 'assertHeld'
  | 'extend'
  | 'detach'
  | 'run'
  | 'onContended'
  | 'release'
  | typeof Symbol.asyncDispose
>();
expectTypeOf<Hold['onContended']>().toEqualTypeOf<(listener: () => void) => () => void>();
expectTypeOf<Hold>().toExtend<AsyncDisposable>();
expectTypeOf<Hold['lockName']>().toEqualTypeOf<string>();
expectTypeOf<Hold['holderId']>().toEqualTypeOf<string>();
expectTypeOf<Hold['depth']>().toEqualTypeOf<number>();
expectTypeOf<Hold['fencingToken']>().toEqualTypeOf<bigint | undefined>();
expectTypeOf<Hold['state']>().toEqualTypeOf<'held' | 'suspect' | 'lost' | 'released'>();
expectTypeOf<Hold['signal']>().toEqualTypeOf<AbortSignal>();
expectTypeOf<Hold['isHeld']>().toEqualTypeOf<boolean>();
expectTypeOf<Hold['remainingMs']>().toEqualTypeOf<number>();
expectTypeOf<Hold['assertHeld']>().toEqualTypeOf<() => void>();
expectTypeOf<Hold['extend']>().toEqualTypeOf<(leaseMs: number) => Promise<void>>();
expectTypeOf<Hold['detach']>().toEqualTypeOf<
  (options?: { leaseMs?: number | undefined }) => Promise<string>
>();
expectTypeOf<Hold['release']>().toEqualTypeOf<() => Promise<void>>();

expectTypeOf<ReadWriteLock>().toEqualTypeOf<{
  readonly name: string;
  readonly readLock: Lock;
  readonly writeLock: Lock;
}>();

declare const lock: Lock;
declare const readWriteLock: ReadWriteLock;
declare const hold: Hold;

// The result of a task is the result of the call, whether the task is asynchronous or not.
expectTypeOf(lock.using(() => 1)).toEqualTypeOf<Promise<number>>();
expectTypeOf(lock.using(async () => await Promise.resolve('a'))).toEqualTypeOf<Promise<string>>();
expectTypeOf(lock.using((mine) => mine)).toEqualTypeOf<Promise<Hold>>();
expectTypeOf(lock.using(() => {}, { waitMs: 1, within: hold })).toEqualTypeOf<Promise<void>>();
// The options may come first.
expectTypeOf(lock.using({ waitMs: 1, within: hold }, (mine) => mine)).toEqualTypeOf<
  Promise<Hold>
>();
expectTypeOf(lock.using(undefined, () => 1)).toEqualTypeOf<Promise<number>>();
// @ts-expect-error -- there is no such option
void lock.using({ timeout: 5 }, () => 1);
// @ts-expect-error -- a task is needed
void lock.using({ waitMs: 5 });
expectTypeOf(hold.run(() => 1)).toEqualTypeOf<Promise<number>>();
expectTypeOf(hold.run(async () => await Promise.resolve('a'))).toEqualTypeOf<Promise<string>>();

// @ts-expect-error -- a hold tells, it is not told
hold.isHeld = true;
// @ts-expect-error -- a hold tells, it is not told
hold.state = 'held';
// @ts-expect-error -- an object never changes its name
lock.name = 'other';
// @ts-expect-error -- an object never changes its sides
readWriteLock.readLock = lock;
// @ts-expect-error -- only a hold can be re-entered
void lock.acquire({ within: 'some id' });
// @ts-expect-error -- there is no such option
void lock.acquire({ timeout: 5 });
// @ts-expect-error -- an extension has a length
void hold.extend();

/** A hold is released when the block is left. */
export async function leavesTheBlock(): Promise<number> {
  await using mine = await lock.acquire();
  await using perhaps = await lock.tryAcquire();
  return mine.depth + (perhaps?.depth ?? 0);
}
