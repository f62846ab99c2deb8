// The public types of the counting semaphore, checked by the compiler against the contract.

import { expectTypeOf } from 'vitest';
import type { Permits, Semaphore, WaitOptions } from '../../src/index.js';

expectTypeOf<Omit<Semaphore, 'using'>>().toEqualTypeOf<{
  readonly name: string;
  trySetPermits(permits: number, options?: { ttlMs?: number | undefined }): Promise<boolean>;
  addPermits(delta: number): Promise<void>;
  drainPermits(): Promise<number>;
  availablePermits(): Promise<number>;
  acquire(permits?: number, options?: WaitOptions): Promise<Permits>;
  tryAcquire(permits?: number, options?: WaitOptions): Promise<Permits | null>;
  release(permits?: number): Promise<void>;
  delete(): Promise<boolean>;
}>();
expectTypeOf<Parameters<Semaphore['using']>[1]>().toEqualTypeOf<
  (WaitOptions & { permits?: number | undefined }) | undefined
>();

expectTypeOf<Permits>().toExtend<AsyncDisposable>();
expectTypeOf<Omit<Permits, typeof Symbol.asyncDispose>>().toEqualTypeOf<{
  readonly count: number;
  release(): Promise<void>;
}>();

declare const semaphore: Semaphore;
declare const permits: Permits;

// The result of a task is the result of the call, whether the task is asynchronous or not.
expectTypeOf(semaphore.using(() => 1)).toEqualTypeOf<Promise<number>>();
expectTypeOf(semaphore.using(async () => await Promise.resolve('a'))).toEqualTypeOf<
  Promise<string>
>();
expectTypeOf(semaphore.using(() => {}, { permits: 2, waitMs: 1 })).toEqualTypeOf<Promise<void>>();

// The options may come first.
expectTypeOf(semaphore.using({ permits: 2 }, () => 1)).toEqualTypeOf<Promise<number>>();
expectTypeOf(semaphore.using(undefined, async () => await Promise.resolve('a'))).toEqualTypeOf<
  Promise<string>
>();
// @ts-expect-error -- but not alone
void semaphore.using({ permits: 2 });
const task = (): number => 1;
// @ts-expect-error -- there is one task
void semaphore.using(task, task);

// @ts-expect-error -- an object never changes its name
semaphore.name = 'other';
// @ts-expect-error -- what was granted does not change
permits.count = 2;
// @ts-expect-error -- permits of a counting semaphore have no lease
void semaphore.acquire(1, { leaseMs: 5 });
// @ts-expect-error -- the number of permits comes first
void semaphore.acquire({ waitMs: 5 });
// @ts-expect-error -- and nothing is passed to a task
void semaphore.using((granted: Permits) => granted);
// @ts-expect-error -- a change has a size
void semaphore.addPermits();

/** Permits are given back when the block is left. */
export async function leavesTheBlock(): Promise<number> {
  await using mine = await semaphore.acquire(2);
  await using perhaps = await semaphore.tryAcquire();
  return mine.count + (perhaps?.count ?? 0);
}
