// A server that evicts keys to make room, locks and the records of permits among them.

import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { LeaseLostError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { rawClient } from '../support/redis.js';
import { testScope } from '../support/scope.js';
import { ownServer } from '../support/server.js';

const scope = testScope('eviction');

interface Releasable {
  release(): Promise<void>;
}

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

const SEMAPHORES = 60;

/** Writes until the server has evicted a third of the keys that are there, and returns the ones that are left. */
async function evictThird(raw: Redis): Promise<ReadonlySet<string>> {
  const keys = await raw.keys('*');
  const memory = await raw.info('memory');
  const used = Number(/^used_memory:(\d+)/mu.exec(memory)?.[1]);
  await raw.config('SET', 'maxmemory', String(used + 100_000));
  const left = async (): Promise<string[]> => {
    const now = new Set(await raw.keys('*'));
    return keys.filter((key) => now.has(key));
  };
  for (let i = 0; (await left()).length > (keys.length * 2) / 3; i += 50) {
    const writes = raw.pipeline();
    for (let j = 0; j < 50; j += 1) {
      writes.set(`filler-${i + j}`, 'x'.repeat(200));
    }
    await writes.exec();
  }
  await raw.config('SET', 'maxmemory', '0');
  // Each command may have evicted more until now.
  return new Set(await left());
}

test('of semaphores whose keys are evicted all permits come back, unless both records of a permit went at once', async () => {
  const server = await ownServer({ args: ['--maxmemory-policy', 'allkeys-random'] });
  const raw = rawClient(server.url);
  const holder = scope.client({ redis: server.url, leaseMs: 60_000 });
  const user = scope.client({ redis: server.url });
  const names = Array.from({ length: SEMAPHORES }, () => scope.name());
  const held: Releasable[] = [];
  for (const name of names) {
    const [leased, counted] = [`{${name}}:leased`, `{${name}}:counted`];
    held.push(await holder.getSemaphore(counted, { permits: 3 }).acquire(2));
    const expirable = holder.getPermitExpirableSemaphore(leased, { permits: 3 });
    held.push(...(await expirable.acquireMany(2)));
  }

  const left = await evictThird(raw);
  for (const one of held) {
    await one.release().catch((error: unknown) => expect(error).toBeInstanceOf(LeaseLostError));
  }

  let spoilt = 0;
  for (const name of names) {
    const counted = user.getSemaphore(`{${name}}:counted`, { permits: 3 });
    expect(await counted.tryAcquire(3)).not.toBeNull();
    expect(await counted.tryAcquire()).toBeNull();
    const leased = `{${name}}:leased`;
    const records = [`${leased}:timeout`, `redlatch_leases:${leased}`];
    const wereBothEvicted = left.has(leased) && !records.some((key) => left.has(key));
    const expirable = user.getPermitExpirableSemaphore(leased, { permits: 3 });
    expect(await expirable.tryAcquireMany(wereBothEvicted ? 1 : 3)).not.toBeNull();
    expect(await expirable.tryAcquire()).toBeNull();
    spoilt += wereBothEvicted ? 1 : 0;
  }
  expect(spoilt).toBeLessThan(SEMAPHORES / 3);
});
