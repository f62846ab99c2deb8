// A hold as callers and logs look at it.

import { afterAll, expect, test } from 'vitest';
import { rawClient } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('hold-views');

afterAll(async () => {
  const raw = rawClient();
  const tokens = await raw.keys(`redisson_lock_token:{${scope.prefix}*`);
  await Promise.all(tokens.map(async (key) => await raw.del(key)));
  await expectNoResidue(scope.prefix);
});

test('the time left is whole milliseconds, not more than the lease', async () => {
  const lock = scope.client().getLock(scope.name());

  const hold = await lock.acquire({ leaseMs: 10_000 });
  const { remainingMs } = hold;

  expect(Number.isInteger(remainingMs)).toBe(true);
  expect(remainingMs).toBeGreaterThan(0);
  expect(remainingMs).toBeLessThanOrEqual(10_000);
  await hold.release();
  expect(hold.remainingMs).toBe(0);
});

test('a hold can be logged as JSON, from an inner one too', async () => {
  const lock = scope.client().getFencedLock(scope.name());

  const [outer, inner] = await lock.using(
    async (hold) => await lock.using((again) => [hold, again].map((each) => JSON.stringify(each))),
  );

  const seen = [outer, inner].map((json): unknown => JSON.parse(json ?? ''));
  expect(seen).toMatchObject([
    { lockName: lock.name, depth: 1, state: 'held' },
    { lockName: lock.name, depth: 2, state: 'held' },
  ]);
  expect(seen[0]).toHaveProperty('fencingToken', expect.stringMatching(/^\d+$/));
});
