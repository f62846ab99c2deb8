// The public types of the latch, checked by the compiler against the contract.

import { expectTypeOf } from 'vitest';
import type { CountDownLatch, WaitOptions } from '../../src/index.js';

expectTypeOf<WaitOptions>().toEqualTypeOf<{
  waitMs?: number | undefined;
  maxWaiters?: number | undefined;
  signal?: AbortSignal | undefined;
}>();
expectTypeOf<CountDownLatch>().toEqualTypeOf<{
  readonly name: string;
  trySetCount(count: number, options?: { ttlMs?: number | undefined }): Promise<boolean>;
  countDown(): Promise<void>;
  count(): Promise<number>;
  wait(options?: Omit<WaitOptions, 'maxWaiters'>): Promise<boolean>;
  delete(): Promise<boolean>;
}>();

declare const latch: CountDownLatch;

// @ts-expect-error -- an object never changes its name
latch.name = 'other';
// @ts-expect-error -- a count is a number
void latch.trySetCount('3');
// @ts-expect-error -- there is no lease to wait for
void latch.wait({ leaseMs: 5 });
