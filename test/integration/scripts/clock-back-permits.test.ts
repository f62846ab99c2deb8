// The server's clock is set back by an hour, or a failover leads to a clock that is an hour behind, while
// permits of dead clients are out. They come back after their leases, and those that Java leased when Java
// said so.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LEASE_MS, stage, START, type Scene } from './permits-scripts.js';

/** What the clock shows after the step. */
const BACK = START - 3_600_000;
/** When a lease of ours was written is known to a second. */
const NEARLY_MS = 1_000;

/** The semaphore has one permit more, and that is taken. */
async function full(): Promise<Scene & { readonly other: Buffer }> {
  const scene = await stage();
  const other = randomBytes(16);
  await scene.at.acquire(START, other);
  return { ...scene, other };
}

/** In how many ms a client is to ask again. */
async function retryMs({ at }: Scene, atMs: number, count = 1): Promise<number> {
  const [served, retry] = (await at.acquire(atMs, randomBytes(16), count)).split(' ').map(Number);
  expect(served).toBe(0);
  return retry!;
}

/** How many leases are recorded. The number of permits is below 0. */
const leasesOf = async ({ redis, keys }: Scene): Promise<number> =>
  await redis.zcount(keys.leases, 0, '+inf');

/** By how much the lease of the permit is changed by whom. */
const changes: [what: string, change: (scene: Scene) => Promise<unknown>, leaseMs: number][] = [
  ['as it was acquired', async () => {}, LEASE_MS],
  ['that was renewed', ({ at }) => at.renew(START + 500, LEASE_MS), LEASE_MS],
  ['that was extended', ({ at }) => at.renew(START, 60_000), 60_000],
  ['that was set', ({ at }) => at.updateLease(START, 30_000), 30_000],
  ['that was cut short', ({ at }) => at.updateLease(START, 10), 10],
];

describe('after the clock was set back, the lease of a dead client', () => {
  test.each(changes)('%s runs for no longer than it was long', async (_, change, leaseMs) => {
    const scene = await stage();
    await change(scene);

    const retry = await retryMs(scene, BACK, 2);

    expect(retry).toBeGreaterThanOrEqual(leaseMs);
    expect(retry).toBeLessThan(leaseMs + NEARLY_MS);
    expect(await scene.at.acquire(BACK + retry, randomBytes(16), 2)).toBe('1 -1 -1');
  });

  test('runs for a second more at most with each step', async () => {
    const scene = await full();

    for (let step = 1; step <= 3; step += 1) {
      const retry = await retryMs(scene, BACK - step * 60_000 + 999, 2);

      expect(retry).toBeGreaterThanOrEqual(LEASE_MS);
      expect(retry).toBeLessThan(LEASE_MS + step * NEARLY_MS);
    }
  });

  test('is left alone by a question, which writes nothing', async () => {
    const scene = await stage();

    expect(await scene.at.inspect(BACK)).toBe('1 1 1');
    expect(await scene.at.configure(BACK)).toBe('1 1 1');
    expect(await scene.expiry()).toBe(START + LEASE_MS);
  });

  test('runs for no longer behind a thousand that Java has returned', async () => {
    const scene = await stage();
    await scene.redis.set(scene.keys.semaphore, 1_001);
    const first = randomBytes(16);
    // The lease of the dead client has not ended by then.
    await scene.at.acquire(START + 500, first, 1_000);
    await scene.redis.zremrangebyscore(scene.keys.timeouts, START + 500 + LEASE_MS, '+inf');
    await scene.redis.set(scene.keys.semaphore, 0);

    expect(await retryMs(scene, BACK)).toBe(0);
    const retry = await retryMs(scene, BACK);
    expect(retry).toBeGreaterThanOrEqual(LEASE_MS);
    expect(retry).toBeLessThan(LEASE_MS + NEARLY_MS);
  });

  test('does so beside one that was written since, and is longer', async () => {
    const scene = await stage();
    const other = randomBytes(16);
    await scene.at.acquire(BACK, other);
    await scene.at.updateLease(BACK, 86_400_000, other);

    expect(await retryMs(scene, BACK)).toBeLessThan(LEASE_MS + NEARLY_MS);
  });

  test('and of all others does so, a thousand with each request', async () => {
    const scene = await stage();
    await scene.redis.set(scene.keys.semaphore, 2_500);
    for (const count of [1_000, 1_000, 500]) {
      await scene.at.acquire(START, randomBytes(16), count);
    }

    expect(await retryMs(scene, BACK)).toBe(0);
    expect(await retryMs(scene, BACK)).toBe(0);
    expect(await retryMs(scene, BACK)).toBeLessThan(LEASE_MS + NEARLY_MS);
    expect(await scene.at.inspect(BACK + LEASE_MS + NEARLY_MS)).toBe('2501 0 1');
  });

  test('stays as Java wrote it', async () => {
    const scene = await full();
    const javaMs = START + 2 * LEASE_MS;
    await scene.redis.zadd(scene.keys.timeouts, javaMs, scene.permit);

    expect(await retryMs(scene, BACK, 2)).toBe(javaMs - BACK);
    expect(await scene.at.renew(BACK, LEASE_MS)).toBe('1');
    expect(await scene.expiry()).toBe(javaMs);
  });

  test('stays as it is where nothing was recorded', async () => {
    const scene = await full();
    await scene.redis.del(scene.keys.leases);

    expect(await retryMs(scene, BACK)).toBe(START + LEASE_MS - BACK);
  });
});

describe('after the clock was set back, a live holder', () => {
  test('is told that it holds its permit for its lease and no longer', async () => {
    const { at } = await stage();

    const left = Number((await at.renew(BACK, 0)).split(':')[2]);

    expect(left).toBeGreaterThanOrEqual(LEASE_MS);
    expect(left).toBeLessThan(LEASE_MS + NEARLY_MS);
  });

  test('keeps its permit for as long as it has renewed it, whoever asks', async () => {
    const scene = await full();

    expect(await scene.at.renew(BACK, 60_000)).toBe('1');
    await retryMs(scene, BACK, 2);

    expect(await scene.expiry()).toBe(BACK + 60_000);
  });

  test('that renews for as long as before is not cut short', async () => {
    const scene = await full();

    expect(await scene.at.renew(BACK, LEASE_MS)).toBe('1');
    await retryMs(scene, BACK, 2);

    expect(await scene.expiry()).toBeGreaterThanOrEqual(BACK + LEASE_MS);
  });
});

describe('the record of leases', () => {
  test.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['a release', ({ at }) => at.release(START)],
    ['a release by id', ({ at }) => at.releaseAny(START)],
    ['what is given back', ({ at }) => at.giveBack(START)],
    ['a deletion', ({ at }) => at.delete(START)],
  ])('goes with %s', async (_, end) => {
    const scene = await stage();
    expect(await leasesOf(scene)).toBe(1);

    await end(scene);

    expect(await leasesOf(scene)).toBe(0);
  });

  test('loses a permit that has expired', async () => {
    const scene = await stage();

    await scene.at.acquire(START + LEASE_MS);

    expect(await leasesOf(scene)).toBe(1);
  });

  test('does not grow with permits that Java returns', async () => {
    const { at, redis, keys } = await stage();

    for (let i = 1; i <= 50; i += 1) {
      const id = randomBytes(16);
      await at.acquire(START + i, id);
      await redis.multi().zrem(keys.timeouts, id).incr(keys.semaphore).exec();
    }

    expect(await redis.zcard(keys.leases)).toBeLessThanOrEqual(10);
  });

  test('lives as long as the semaphore, or for thirty days', async () => {
    const { at, redis, keys } = await stage();
    expect(await redis.pttl(keys.leases)).toBeGreaterThan(29 * 86_400_000);

    await redis.pexpire(keys.semaphore, 60_000);
    await at.renew(START + 1, LEASE_MS);

    expect(await redis.pttl(keys.leases)).toBeLessThanOrEqual(60_000);
  });
});
