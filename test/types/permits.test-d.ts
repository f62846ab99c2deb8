// The public types of the permit-expirable semaphore, checked by the compiler against the contract.

import { expectTypeOf } from 'vitest';
import type { AcquireOptions, Hold, Permit, PermitExpirableSemaphore } from '../../src/index.js';

expectTypeOf<Omit<PermitExpirableSemaphore, 'using'>>().toEqualTypeOf<{
  readonly name: string;
  trySetPermits(permits: number, options?: { ttlMs?: number | undefined }): Promise<boolean>;
  setPermits(permits: number): Promise<void>;
  addPermits(delta: number): Promise<void>;
  totalPermits(): Promise<number>;
  availablePermits(): Promise<number>;
  acquiredPermits(): Promise<number>;
  acquire(options?: AcquireOptions): Promise<Permit>;
  tryAcquire(options?: AcquireOptions): Promise<Permit | null>;
  acquireMany(count: number, options?: AcquireOptions): Promise<Permit[]>;
  tryAcquireMany(count: number, options?: AcquireOptions): Promise<Permit[] | null>;
  release(permitId: string): Promise<void>;
  tryRelease(permitId: string): Promise<boolean>;
  updateLease(permitId: string, leaseMs: number): Promise<boolean>;
  delete(): Promise<boolean>;
}>();
expectTypeOf<Parameters<PermitExpirableSemaphore['using']>[1]>().toEqualTypeOf<
  AcquireOptions | undefined
>();

// A permit is a hold with a name of its own.
type OfHold = Omit<Hold, 'lockName' | 'holderId' | 'depth' | 'fencingToken' | 'run'>;
expectTypeOf<Omit<Permit, 'id'>>().toEqualTypeOf<OfHold>();
expectTypeOf<Permit['id']>().toEqualTypeOf<string>();
expectTypeOf<Permit>().toExtend<AsyncDisposable>();

declare const semaphore: PermitExpirableSemaphore;
declare const permit: Permit;

// The result of a task is the result of the call, whether the task is asynchronous or not.
expectTypeOf(semaphore.using(() => 1)).toEqualTypeOf<Promise<number>>();
expectTypeOf(semaphore.using(async () => await Promise.resolve('a'))).toEqualTypeOf<
  Promise<string>
>();
expectTypeOf(semaphore.using((mine) => mine)).toEqualTypeOf<Promise<Permit>>();

// The options may come first.
expectTypeOf(semaphore.using({ leaseMs: 5 }, (mine) => mine)).toEqualTypeOf<Promise<Permit>>();

// @ts-expect-error -- an object never changes its name
semaphore.name = 'other';
// @ts-expect-error -- a permit tells, it is not told
permit.isHeld = true;
// @ts-expect-error -- a permit keeps its id
permit.id = 'another';
// @ts-expect-error -- permits are released by their ids
void semaphore.release();
// @ts-expect-error -- nothing can be re-entered here
void semaphore.acquire({ within: permit });
// @ts-expect-error -- how many comes first
void semaphore.acquireMany({ waitMs: 5 });

/** A permit is released when the block is left. */
export async function leavesTheBlock(): Promise<string> {
  await using mine = await semaphore.acquire({ leaseMs: 1_000 });
  await using perhaps = await semaphore.tryAcquire();
  return mine.id + (perhaps?.id ?? '');
}
