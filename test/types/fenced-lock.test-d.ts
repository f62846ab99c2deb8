// The public types of the fenced lock, checked by the compiler against the contract.

import { expectTypeOf } from 'vitest';
import type { FencedHold, FencedLock, Hold, Lock, LockAcquireOptions } from '../../src/index.js';

// A fenced lock is a lock, and its holds are holds.
expectTypeOf<FencedLock>().toExtend<Lock>();
expectTypeOf<FencedHold>().toExtend<Hold>();
expectTypeOf<keyof FencedLock>().toEqualTypeOf<keyof Lock>();
expectTypeOf<keyof FencedHold>().toEqualTypeOf<keyof Hold>();
expectTypeOf<Lock>().not.toExtend<FencedLock>();
expectTypeOf<Hold>().not.toExtend<FencedHold>();

expectTypeOf<FencedHold['fencingToken']>().toEqualTypeOf<bigint>();
expectTypeOf<FencedLock['acquire']>().toEqualTypeOf<
  (options?: LockAcquireOptions) => Promise<FencedHold>
>();
expectTypeOf<FencedLock['tryAcquire']>().toEqualTypeOf<
  (options?: LockAcquireOptions) => Promise<FencedHold | null>
>();

declare const lock: FencedLock;
declare const hold: FencedHold;

expectTypeOf(lock.using((mine) => mine)).toEqualTypeOf<Promise<FencedHold>>();
expectTypeOf(lock.using(({ fencingToken }) => fencingToken)).toEqualTypeOf<Promise<bigint>>();
expectTypeOf(lock.using({ waitMs: 1 }, (mine) => mine)).toEqualTypeOf<Promise<FencedHold>>();
expectTypeOf(lock.using(() => 1, { waitMs: 1, within: hold })).toEqualTypeOf<Promise<number>>();

/** Tokens are compared without asking first whether there is one. */
export async function compares(): Promise<boolean> {
  const first = await lock.using((mine) => mine.fencingToken);
  const second = await lock.acquire();
  const third = await lock.tryAcquire();
  return first < second.fencingToken && second.fencingToken < (third?.fencingToken ?? 0n);
}

/** What takes any lock takes a fenced one. */
export async function takesAny(any: Lock): Promise<Hold> {
  return await any.using((mine: Hold) => mine);
}

void takesAny(lock);

// @ts-expect-error -- a hold tells, it is not told
hold.fencingToken = 1n;
