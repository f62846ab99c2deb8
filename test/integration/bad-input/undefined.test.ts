// An option that is undefined counts as not given.

import { afterEach, expect, test, vi } from 'vitest';
import type { AcquireOptions } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { redisUrl } from '../../support/redis.js';
import { titled } from '../../support/kinds/kind.js';
import { allLasting, kinds, lockKinds } from '../../support/kinds/kinds.js';

const { client, name } = fixture('undefined', allLasting);

afterEach(() => {
  vi.unstubAllEnvs();
});

const NOTHING = { waitMs: undefined, leaseMs: undefined, signal: undefined, within: undefined };
const UNLIMITED: AcquireOptions = NOTHING;

test('by createClient and close', async () => {
  vi.stubEnv('REDIS_URL', redisUrl());
  const one = client({
    redis: undefined,
    keyPrefix: undefined,
    leaseMs: undefined,
    commandTimeoutMs: undefined,
    waitMs: undefined,
    stalledAfterMs: undefined,
    shardedSubscriptionMode: undefined,
    label: undefined,
    credentials: undefined,
  });

  const key = name();
  const hold = await one.getLock(key).acquire();
  const seen = await client().getLock(key).isLocked();
  const { remainingMs } = hold;
  await one.close({ timeoutMs: undefined });

  expect(seen).toBe(true);
  // The lease is the default one: 30 s.
  expect(remainingMs).toBeGreaterThan(20_000);
  expect(remainingMs).toBeLessThanOrEqual(30_000);
});

test.each(titled(kinds))('by a %s', async (_, kind) => {
  const [own, key] = [client(), name()];
  const one = await kind.create(own, key);

  // Without a limit `acquire` waits for those before it, and `tryAcquire` asks once.
  const grant = await one.acquire(UNLIMITED);
  const refused = await kind.rival(client(), key).tryAcquire(UNLIMITED);
  const waiting = kind.rival(own, key).using(() => 'in', UNLIMITED);
  await grant.release();

  expect(refused).toBeNull();
  expect(await waiting).toBe('in');
});

test.each(titled(lockKinds))('by a %s, where it is asked for within nothing', async (_, kind) => {
  const one = kind.create(client(), name());

  const hold = await one.acquire({ within: undefined });

  expect(hold.depth).toBe(1);
  await hold.release();
});

test('by the objects with a life or a number', async () => {
  const own = client();
  const [semaphore, expirable, latch] = [
    own.getSemaphore(name()),
    own.getPermitExpirableSemaphore(name()),
    own.getCountDownLatch(name()),
  ];

  const set = [
    await semaphore.trySetPermits(1, { ttlMs: undefined }),
    await expirable.trySetPermits(1, { ttlMs: undefined }),
    await latch.trySetCount(1, { ttlMs: undefined }),
  ];
  const left = await semaphore.using(() => semaphore.availablePermits(), {
    permits: undefined,
    waitMs: undefined,
    signal: undefined,
  });
  const waiting = latch.wait({ waitMs: undefined, signal: undefined });
  await latch.countDown();

  expect(set).toEqual([true, true, true]);
  expect(left).toBe(0);
  expect(await waiting).toBe(true);
  await Promise.all([semaphore.delete(), expirable.delete()]);
});
