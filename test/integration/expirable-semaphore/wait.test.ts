// Waiting for permits: who is served when, and what a wait that ends leaves behind.

import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import {
  CommandTimeoutError,
  type Permit,
  type PermitExpirableSemaphore,
} from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { prefixed } from '../../support/kinds/connection.js';
import { startProxy } from '../../support/proxy.js';
import { keysUnder, redisUrl } from '../../support/redis.js';
import { countedTraffic } from '../../support/traffic.js';

const { client, name, raw } = fixture('permits-wait');

/** Waits until so many clients listen for permits. */
async function listening({ name: semaphore }: PermitExpirableSemaphore, count = 1): Promise<void> {
  await eventually(
    async () => (await raw.pubsub('NUMSUB', `redisson_sc:{${semaphore}}`))[1] === count,
  );
}

/** A wait so short may end before the first answer. */
function noAnswer(error: unknown): null {
  expect(error).toBeInstanceOf(CommandTimeoutError);
  return null;
}

/** A semaphore with all its permits taken. */
async function exhausted(
  permits: number,
): Promise<{ semaphore: PermitExpirableSemaphore; held: Permit[] }> {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(permits);
  return { semaphore, held: await semaphore.acquireMany(permits) };
}

test('S1: requests of 5, 1 and 3 are all served, in their order, by single releases', async () => {
  const { semaphore, held } = await exhausted(9);
  const other = client().getPermitExpirableSemaphore(semaphore.name);
  const served: number[] = [];
  const waits = [5, 1, 3].map(async (count) => {
    await other.acquireMany(count);
    served.push(count);
  });
  await listening(other);

  for (const permit of held) {
    await permit.release();
  }
  await Promise.all(waits);

  expect(served).toEqual([5, 1, 3]);
  expect(await semaphore.availablePermits()).toBe(0);
  await semaphore.delete();
});

test('S2: one change that makes room for three lets three in', async () => {
  const { semaphore } = await exhausted(1);
  const other = client().getPermitExpirableSemaphore(semaphore.name);
  const waits = [1, 2, 3].map(() => other.acquire({ waitMs: 4_000 }));
  await listening(other);
  const start = performance.now();

  await semaphore.addPermits(3);
  await Promise.all(waits);

  expect(performance.now() - start).toBeLessThan(2_500);
  await semaphore.delete();
});

test('S3: a release nobody told of is found out', { timeout: 10_000 }, async () => {
  const { semaphore } = await exhausted(1);
  const other = client().getPermitExpirableSemaphore(semaphore.name);
  const waiting = other.acquire();
  await listening(other);

  await raw.incr(semaphore.name);

  expect((await waiting).isHeld).toBe(true);
  await semaphore.delete();
});

test('L11: a waiter that leaves with a wake-up passes it on', async () => {
  const { semaphore, held } = await exhausted(1);
  const other = client().getPermitExpirableSemaphore(semaphore.name);
  const abort = new AbortController();
  const first = rejection(other.acquire({ signal: abort.signal }));
  const second = other.acquire({ waitMs: 4_000 });
  await listening(other);

  const releasing = held[0]!.release();
  abort.abort(new Error('changed my mind'));
  await releasing;

  expect(String(await first)).toBe('Error: changed my mind');
  expect((await second).isHeld).toBe(true);
  await semaphore.delete();
});

test('a thousand waiters cost what one costs', async () => {
  const { semaphore, held } = await exhausted(1);
  const traffic = await countedTraffic(redisUrl());
  const other = client({ redis: traffic.url }).getPermitExpirableSemaphore(semaphore.name);
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const waits = Array.from({ length: 1_000 }, () =>
    rejection(other.acquire({ signal: abort.signal })),
  );
  await listening(other);
  await eventually(() => traffic.scripts() >= 2);

  abort.abort();
  await Promise.all(waits);

  expect(traffic.scripts()).toBeLessThanOrEqual(6);
  await held[0]!.release();
  expect(await semaphore.availablePermits()).toBe(1);
  await semaphore.delete();
});

test('waits that end by abort or timeout lose no permit and leave nothing', async () => {
  const { semaphore, held } = await exhausted(3);
  const other = client().getPermitExpirableSemaphore(semaphore.name);
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const waits = Array.from({ length: 60 }, (_, i) =>
    i % 2 === 0
      ? other.tryAcquireMany(1 + (i % 3), { waitMs: 5 + i }).catch(noAnswer)
      : other.acquire({ signal: abort.signal }).catch(() => null),
  );
  const churn = held.map(async (permit) => await permit.release());
  await Promise.all(churn);
  abort.abort();

  const granted = (await Promise.all(waits)).flatMap((each) => each ?? []);
  await Promise.all(granted.map((permit) => permit.release()));

  await eventually(async () => (await semaphore.availablePermits()) === 3);
  expect(await semaphore.acquiredPermits()).toBe(0);
  const keys = await keysUnder(semaphore.name, raw);
  const leases = prefixed('redlatch_leases', semaphore.name);
  expect(keys.filter((key) => !key.startsWith('redlatch_requests:')).toSorted()).toEqual(
    [semaphore.name, leases].toSorted(),
  );
  expect(await raw.zrange(leases, '0', '-1')).toEqual(['total']);
  await semaphore.delete();
});

test('an acquisition that is given up while its answer is on the way takes nothing', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const slow = client({ redis: proxy.url }).getPermitExpirableSemaphore(name());
  await slow.trySetPermits(5);
  proxy.pauseDownstream();
  const abort = new AbortController();
  const waits = [slow.acquireMany(3, { signal: abort.signal }), slow.acquire()];
  await eventually(async () => (await raw.get(slow.name)) === '1');

  abort.abort(new Error('enough'));
  const error = await rejection(waits[0]!);
  proxy.resumeDownstream();
  const kept = (await waits[1]) as Permit;

  expect(String(error)).toBe('Error: enough');
  expect(kept.isHeld).toBe(true);
  await eventually(async () => (await slow.availablePermits()) === 4);
  expect(await slow.acquiredPermits()).toBe(1);
  await slow.delete();
});

test('an attempt that does not wait is refused while others of its client do', async () => {
  const { semaphore, held } = await exhausted(2);
  const other = client().getPermitExpirableSemaphore(semaphore.name);
  const big = other.acquireMany(2, { waitMs: 4_000 });
  await listening(other);
  await held[0]!.release();

  const small = await other.tryAcquire();
  await held[1]!.release();

  expect(small).toBe(null);
  expect(await big).toHaveLength(2);
  await semaphore.delete();
});

test('waiters go on waiting when the semaphore is deleted, until permits are set again', async () => {
  const { semaphore } = await exhausted(1);
  const other = client().getPermitExpirableSemaphore(semaphore.name);
  const waiting = other.acquire({ waitMs: 4_000 });
  await listening(other);

  await semaphore.delete();
  await semaphore.trySetPermits(1);

  expect((await waiting).isHeld).toBe(true);
  await semaphore.delete();
});

test("at most N grants in any window of one lease, by the server's time", async () => {
  const LEASE_MS = 250;
  const limiter = name();
  await client().getPermitExpirableSemaphore(limiter).trySetPermits(3);
  const clients = [client(), client()].map((each) => each.getPermitExpirableSemaphore(limiter));
  const grants: number[] = [];

  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const { id } = await clients[i % 2]!.acquire({ leaseMs: LEASE_MS });
      const expiry = await raw.zscore(`{${limiter}}:timeout`, Buffer.from(id, 'hex'));
      grants.push(Number(expiry) - LEASE_MS);
    }),
  );

  const order = grants.toSorted((a, b) => a - b);
  expect(order).toHaveLength(12);
  for (let i = 3; i < order.length; i += 1) {
    expect(order[i]! - order[i - 3]!).toBeGreaterThanOrEqual(LEASE_MS);
  }
  await clients[0]!.delete();
});
