// A server that evicts keys to make room, locks among them.

import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { testScope } from '../support/scope.js';
import { ownServer } from '../support/server.js';

const scope = testScope('eviction');

test('a lock that is evicted has two owners until the next renewal, with a larger token', async () => {
  const server = await ownServer({ args: ['--maxmemory-policy', 'volatile-random'] });
  const raw = rawClient(server.url);
  const name = scope.name();
  const lock = scope.client({ redis: server.url, leaseMs: 1_000 }).getFencedLock(name);
  const hold = await lock.acquire();

  await raw.config('SET', 'maxmemory', '1');
  await eventually(async () => (await raw.exists(name)) === 0);
  await raw.config('SET', 'maxmemory', '0');
  const next = await scope.client({ redis: server.url }).getFencedLock(name).acquire();
  const held = [hold.isHeld, next.isHeld];
  await eventually(() => hold.state === 'lost');

  expect(held).toEqual([true, true]);
  expect(next.fencingToken).toBeGreaterThan(hold.fencingToken);
  expect(next.isHeld).toBe(true);
});
