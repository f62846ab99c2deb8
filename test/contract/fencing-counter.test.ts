// The counter behind the fencing tokens: it moves with grants and their late reports only, and outlives every lease.

import { expect, test } from 'vitest';
import type { Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { fixture } from './fixture.js';

const { client, name, raw } = fixture('fencing-counter', [/^redisson_lock_token:/]);

const counterOf = (object: string): string => `redisson_lock_token:{${object}}`;

test('nothing but a grant moves the counter', async () => {
  const lock = client({ leaseMs: 900 }).getFencedLock(name());
  const outer = await lock.acquire();
  const counters = [await raw.get(counterOf(lock.name))];
  const look = async (): Promise<void> => {
    counters.push(await raw.get(counterOf(lock.name)));
  };

  const inner = await lock.acquire({ within: outer });
  await look();
  await inner.release();
  await look();
  await outer.extend(1_000);
  await look();
  await client().getFencedLock(lock.name).tryAcquire();
  await look();
  await outer.release();
  await look();

  expect(counters).toEqual(counters.map(() => String(outer.fencingToken)));
  expect(await raw.pttl(counterOf(lock.name))).toBe(-1);
});

test.each<[string, (hold: Hold) => Promise<unknown>]>([
  ['a release', async (hold) => await hold.release()],
  ['a forced release', async (hold) => await client().getFencedLock(hold.lockName).forceRelease()],
  ['the end of the lease', async (hold) => await eventually(() => !hold.isHeld)],
])('a token larger than any clock is followed by a larger one after %s', async (_, end) => {
  const object = name();
  const lock = client().getFencedLock(object);
  // As Java may have issued it.
  await raw.set(counterOf(object), String(2n ** 62n));

  const first = await lock.acquire({ leaseMs: 200 });
  const kept = await raw.pttl(counterOf(object));
  await end(first);
  await eventually(async () => (await raw.exists(object)) === 0);
  const next = await lock.acquire();

  expect(kept).toBe(-1);
  expect([first.fencingToken, next.fencingToken]).toEqual([2n ** 62n + 1n, 2n ** 62n + 2n]);
  await next.release();
});
