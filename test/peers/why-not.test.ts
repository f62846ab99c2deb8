// What the README says about other libraries, shown beside them on a real server.

import { createRequire } from 'node:module';
import type { Redis } from 'ioredis';
import { Mutex, type LockOptions } from 'redis-semaphore';
import { expect, test } from 'vitest';
import { fixture } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { countedTraffic } from '../support/traffic.js';

const { client, name, raw } = fixture('why-not');

interface RedlockLock {
  expiration: number;
  readonly value: string;
  release(): Promise<unknown>;
}

interface Redlock {
  readonly settings: { readonly retryDelay: number };
  acquire(resources: string[], leaseMs: number): Promise<RedlockLock>;
  using<T>(resources: string[], leaseMs: number, task: () => Promise<T>): Promise<T>;
}

/** The package has types only for those who import it. */
const { default: RedlockClass } = createRequire(import.meta.url)('redlock') as {
  default: new (
    clients: Redis[],
    settings: Partial<
      Readonly<Record<'retryCount' | 'retryDelay' | 'automaticExtensionThreshold', number>>
    >,
  ) => Redlock;
};

const LEASE_MS = 60_000;

const redlock = (redis: Redis, retryCount = -1): Redlock =>
  new RedlockClass([redis], { retryCount, retryDelay: 20 });

/** One that asks once, unless it is to wait. */
const mutex = (redis: Redis, key: string, options: LockOptions = {}): Mutex =>
  new Mutex(redis, key, { lockTimeout: LEASE_MS, acquireAttemptsLimit: 1, ...options });

/** No timer fires and no message is read meanwhile. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('whoever waits is told, and asks no more; those of redlock and redis-semaphore ask again and again', async () => {
  const key = name();
  const taken = `${key}-taken`;
  const hold = await client().getLock(key).acquire();
  // As the others keep their locks.
  await raw.mset(taken, 'somebody', `mutex:${taken}`, 'somebody');
  const [own, red, semaphore] = [
    await countedTraffic(redisUrl()),
    await countedTraffic(redisUrl()),
    await countedTraffic(redisUrl()),
  ];
  const waiting = client({ redis: own.url }).getLock(key).acquire();
  await eventually(async () => (await raw.llen(`redlatch_line:{${key}}`)) === 1);
  const asking = redlock(rawClient(red.url)).acquire([taken], LEASE_MS);
  const polling = mutex(rawClient(semaphore.url), taken, {
    acquireTimeout: LEASE_MS,
    acquireAttemptsLimit: Infinity,
  });
  const trying = polling.acquire();

  await eventually(() => red.names().length >= 20 && semaphore.names().length >= 20);
  const asked = own.names().length;

  // An ask, its channel, and one ask more as long as it is not seen to listen.
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(6);
  // As they would be by default.
  expect(new RedlockClass([raw], {}).settings).toMatchObject({ retryDelay: 200, retryCount: 10 });
  await raw.del(taken, `mutex:${taken}`);
  await hold.release();
  await (await waiting).release();
  await (await asking).release();
  await trying;
  await polling.release();
});

test('a fair lock goes to whoever asked first; others give theirs to whoever asks at the right moment', async () => {
  const key = name();
  const fair = client().getFairLock(key);
  const order: string[] = [];
  const first = await fair.acquire();
  const waited = client()
    .getFairLock(key)
    .using(() => order.push('who waited'));
  await eventually(async () => (await raw.llen(`redisson_lock_queue:{${key}}`)) === 1);

  await first.release();
  await fair.using(() => order.push('who came back'));
  await waited;

  expect(order).toEqual(['who waited', 'who came back']);

  const redis = rawClient();
  const taken = mutex(redis, key);
  await taken.acquire();
  const waits = mutex(redis, key, { retryInterval: LEASE_MS, acquireAttemptsLimit: 2 });
  const stop = new AbortController();
  const waiting = waits.acquire(stop.signal).catch(() => 'never');
  await taken.release();
  const isBack = await mutex(redis, key).tryAcquire();

  expect(isBack).toBe(true);
  stop.abort();
  expect(await waiting).toBe('never');
  await raw.del(`mutex:${key}`);
});

test('after a pause longer than its lease a hold says that it is over; redis-semaphore says that it has the lock', async () => {
  const key = name();
  const leaseMs = 200;
  const hold = await client().getLock(key).acquire({ leaseMs });
  const lost: Error[] = [];
  const onLockLost = (error: Error): void => void lost.push(error);
  const peer = mutex(rawClient(), key, { lockTimeout: leaseMs, onLockLost });
  await peer.acquire();

  pause(2 * leaseMs);

  expect(hold.isHeld).toBe(false);
  expect(() => hold.assertHeld()).toThrow();
  expect([peer.isAcquired, lost]).toEqual([true, []]);
  expect(await raw.exists(key, `mutex:${key}`)).toBe(0);
  await peer.release();
});

test('an acquisition whose answer is lost has the lock; that of redis-semaphore waits for itself, that of redlock is refused', async () => {
  const key = name();
  const proxy = await startProxy({ target: redisUrl() });
  const asks = /^(?:eval|evalsha|set)$/i;
  const lost = async <T>(acquire: () => Promise<T>): Promise<T> => {
    const { cut } = proxy.cutReplyAfter(([command = '']) => asks.test(command));
    const outcome = await acquire();
    expect(cut).toHaveLength(1);
    return outcome;
  };
  const own = client({ redis: proxy.url });
  await own.getLock(name()).isLocked();
  const redis = rawClient(proxy.url);
  await redis.ping();
  const peer = mutex(redis, key);

  const hold = await lost(async () => await own.getLock(key).acquire());
  expect(await raw.hgetall(key)).toEqual({ [hold.holderId]: '1' });
  await hold.release();

  // The scripts of redlock are on the server by then: it asks once.
  const warm = await redlock(redis).acquire([name()], LEASE_MS);
  await warm.release();
  // Its own lock is in its way, at each of its attempts.
  const ask = async (): Promise<unknown> => await redlock(redis, 3).acquire([key], LEASE_MS);
  expect(await lost(async () => await ask().catch((error: unknown) => error))).toBeInstanceOf(
    Error,
  );
  expect(await raw.exists(key)).toBe(0);

  expect(await lost(async () => await peer.tryAcquire())).toBe(false);
  expect(await raw.get(`mutex:${key}`)).toBe(peer.identifier);
  await raw.del(`mutex:${key}`);

  const set = async (): Promise<unknown> => await redis.set(key, 'mine', 'PX', LEASE_MS, 'NX');
  expect(await lost(set)).toBeNull();
  expect(await raw.get(key)).toBe('mine');
  await raw.del(key);
});

test('a task takes a lock that it has once more; with others it waits for itself', async () => {
  const key = name();
  const lock = client().getLock(key);

  const depth = await lock.using(async () => await lock.using((inner) => inner.depth));

  expect(depth).toBe(2);
  const redis = rawClient();
  const held = await redlock(redis).acquire([key], LEASE_MS);
  await expect(redlock(redis, 0).acquire([key], LEASE_MS)).rejects.toThrow();
  await held.release();
  const peer = mutex(redis, key);
  await peer.acquire();
  expect(await mutex(redis, key).tryAcquire()).toBe(false);
  await peer.release();
});

test('fifty held locks are renewed by one command; redis-semaphore and redlock send one for each', async () => {
  const ways = [
    await countedTraffic(redisUrl()),
    await countedTraffic(redisUrl()),
    await countedTraffic(redisUrl()),
  ] as const;
  const [own, semaphore, red] = ways;
  const leaseMs = 3_000;
  const names = Array.from({ length: 50 }, () => name());
  const renewing = client({ redis: own.url, leaseMs });
  const holds = await Promise.all(names.map(async (key) => await renewing.getLock(key).acquire()));
  const redis = rawClient(semaphore.url);
  const peers = names.map((key) =>
    mutex(redis, key, { lockTimeout: leaseMs, refreshInterval: 300, onLockLost: () => {} }),
  );
  await Promise.all(peers.map(async (peer) => await peer.acquire()));
  const extending = new RedlockClass([rawClient(red.url)], { automaticExtensionThreshold: 59_500 });
  const over = new AbortController();
  const used = names.map(
    async (key) =>
      await extending.using([`${key}-red`], LEASE_MS, async () => {
        while (!over.signal.aborted) {
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      }),
  );
  const before = ways.map((way) => way.scripts());

  // Each asks for a script by its digest once in vain, then with its source.
  const sent = (): number[] => ways.map((way, i) => way.scripts() - (before[i] ?? 0));
  await eventually(() => sent().every((count, i) => count >= (i === 0 ? 1 : 2 * names.length)));
  const [byOwn = 0] = sent();

  // One round, or two when the others were slow.
  expect(byOwn).toBeLessThanOrEqual(4);
  over.abort();
  await Promise.all(used);
  await Promise.all(holds.map(async (hold) => await hold.release()));
  await Promise.all(peers.map(async (peer) => await peer.release()));
});

test('every grant of a fenced lock has a larger token; the values of redlock have no order', async () => {
  const key = name();
  const fenced = client().getFencedLock(key);
  const tokens = [];
  const values = new Set<string>();
  for (let i = 0; i < 3; i += 1) {
    tokens.push(await fenced.using((hold) => hold.fencingToken));
    const lock = await redlock(rawClient()).acquire([`${key}-red`], LEASE_MS);
    values.add(lock.value);
    await lock.release();
  }

  expect(tokens).toEqual(tokens.toSorted((one, other) => Number(one - other)));
  expect(new Set(tokens).size).toBe(3);
  expect([...values].every((value) => /^[0-9a-f]{32}$/.test(value))).toBe(true);
  expect(values.size).toBe(3);
  await raw.del(`redisson_lock_token:{${key}}`);
});
