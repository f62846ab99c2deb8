// Leases of permits: who gets in when they end, how they are renewed, and how a loss is told.

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { LeaseLostError, NotHeldError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { countedTraffic } from '../../support/traffic.js';

const { client, name, raw } = fixture('permits-expiry');

const timeouts = (semaphore: string): string => `{${semaphore}}:timeout`;
const channel = (semaphore: string): string => `redisson_sc:{${semaphore}}`;

async function serverMs(): Promise<number> {
  const [seconds, micros] = await raw.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** Enters permits of others that expired a while ago. */
async function expire(semaphore: string, count: number): Promise<void> {
  const past = (await serverMs()) - 5_000;
  for (let left = count; left > 0; left -= 1_000) {
    const some = Array.from({ length: Math.min(left, 1_000) }, (_, i) => [
      String(past - i),
      randomBytes(16),
    ]);
    await raw.zadd(timeouts(semaphore), ...(some.flat() as [string, Buffer]));
  }
}

test('P1: with 20,000 expired permits every call works and is right', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.setPermits(1);
  const mine = await semaphore.acquire();
  await expire(semaphore.name, 20_000);

  const counts = [
    await semaphore.totalPermits(),
    await semaphore.availablePermits(),
    await semaphore.acquiredPermits(),
  ];
  const updated = await semaphore.updateLease(mine.id, 50_000);
  await semaphore.addPermits(5);
  await semaphore.setPermits(20_003);
  const released = await semaphore.tryRelease(mine.id);
  const one = await semaphore.tryAcquire({ leaseMs: 60_000 });
  const expired = await raw.zcount(timeouts(semaphore.name), '-inf', await serverMs());
  const available = await semaphore.availablePermits();
  const many = [];
  for (let i = 0; i < 15; i += 1) {
    many.push(await semaphore.tryAcquireMany(1_000, { leaseMs: 60_000 }));
  }

  expect(counts).toEqual([20_001, 20_000, 1]);
  expect([updated, released]).toEqual([true, true]);
  expect(one?.isHeld).toBe(true);
  // A call returns a thousand of them.
  expect(expired).toBe(19_000);
  expect(available).toBe(20_002);
  expect(many.flat()).toHaveLength(15_000);
  expect(await semaphore.availablePermits()).toBe(5_002);
  expect(await semaphore.totalPermits()).toBe(20_003);
  await semaphore.delete();
});

test('permits that expired after a shrink are counted right, though a call returns a thousand', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.setPermits(0);
  await expire(semaphore.name, 9_000);
  // Nine thousand were taken; of three thousand and one now, all are available.
  await semaphore.setPermits(3_001);

  const before = await semaphore.availablePermits();
  const first = await semaphore.tryAcquireMany(1_000, { leaseMs: 60_000 });
  const expired = await raw.zcount(timeouts(semaphore.name), '-inf', await serverMs());
  const granted = [
    first,
    await semaphore.tryAcquireMany(1_000, { leaseMs: 60_000 }),
    await semaphore.tryAcquireMany(1_000, { leaseMs: 60_000 }),
    await semaphore.tryAcquireMany(2, { leaseMs: 60_000 }),
    await semaphore.tryAcquire({ leaseMs: 60_000 }),
    await semaphore.tryAcquire({ leaseMs: 60_000 }),
  ].flat();
  const waiting = semaphore.acquire({ waitMs: 4_000 });
  await semaphore.updateLease(granted[0]!.id, 200);

  expect([before, expired]).toEqual([3_001, 8_000]);
  expect(granted.filter((permit) => permit !== null)).toHaveLength(3_001);
  expect(granted.slice(-4)).toEqual([expect.anything(), null, expect.anything(), null]);
  expect((await waiting).isHeld).toBe(true);
  expect(await semaphore.totalPermits()).toBe(3_001);
  await semaphore.delete();
});

test('a waiter is in at the moment the next permit expires, with no message', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(2);
  const start = performance.now();
  await semaphore.acquire({ leaseMs: 60_000 });
  await semaphore.acquire({ leaseMs: 400 });
  const other = client().getPermitExpirableSemaphore(semaphore.name);

  const permit = await other.acquire({ waitMs: 4_000 });

  const waitedMs = performance.now() - start;
  expect(permit.isHeld).toBe(true);
  expect(waitedMs).toBeGreaterThanOrEqual(398);
  expect(waitedMs).toBeLessThan(2_000);
  await semaphore.delete();
});

test('a request for many waits for as many expiries as it needs, and asks only then', async () => {
  const traffic = await countedTraffic(redisUrl());
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(4);
  for (const leaseMs of [60_000, 300, 350, 400]) {
    await semaphore.acquire({ leaseMs });
  }
  const waiter = client({ redis: traffic.url }).getPermitExpirableSemaphore(semaphore.name);

  const permits = await waiter.acquireMany(3, { waitMs: 4_000 });

  expect(permits).toHaveLength(3);
  // Once at first, once when the subscription stands, and once at the third expiry.
  expect(traffic.scripts()).toBeLessThanOrEqual(4);
  await semaphore.delete();
});

test('P5: many waiters of one client ask once when a permit expires', async () => {
  const traffic = await countedTraffic(redisUrl());
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(20);
  await semaphore.acquireMany(20, { leaseMs: 400 });
  const waiter = client({ redis: traffic.url }).getPermitExpirableSemaphore(semaphore.name);

  const permits = await Promise.all(
    Array.from({ length: 20 }, () => waiter.acquire({ waitMs: 4_000 })),
  );

  expect(permits.every(({ isHeld }) => isHeld)).toBe(true);
  expect(traffic.scripts()).toBeLessThanOrEqual(5);
  await semaphore.delete();
});

test("P2: a client whose wall clock is an hour ahead takes nobody else's permit", async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 60_000 });
  const realNow = Date.now;
  Date.now = () => realNow() + 3_600_000;
  try {
    const other = client().getPermitExpirableSemaphore(semaphore.name);

    const stolen = await other.tryAcquire();
    const counts = [await other.availablePermits(), await other.acquiredPermits()];

    expect(stolen).toBe(null);
    expect(counts).toEqual([0, 1]);
  } finally {
    Date.now = realNow;
  }
  expect(await raw.zscore(timeouts(semaphore.name), Buffer.from(permit.id, 'hex'))).not.toBe(null);
  await semaphore.delete();
});

test('P4: an expired permit goes back to the pool when it is released, which says not held', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 30 });
  await eventually(() => permit.state === 'lost');
  await eventually(async () => (await semaphore.acquiredPermits()) === 0);

  const left = await raw.get(semaphore.name);
  const released = await semaphore.tryRelease(permit.id);
  const again = await rejection(semaphore.release(permit.id));

  expect([left, released]).toEqual(['0', false]);
  expect(await raw.get(semaphore.name)).toBe('1');
  expect(again).toBeInstanceOf(NotHeldError);
  expect(await rejection(permit.release())).toMatchObject({ reason: 'expired' });
  await semaphore.delete();
});

test('P6: a permit without a lease of its own outlives three leases', async () => {
  const one = client({ leaseMs: 600 });
  const semaphore = one.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(2);
  const permits = await semaphore.acquireMany(2);
  const end = performance.now() + 2_000;

  await eventually(() => performance.now() > end);

  expect(permits.map(({ state, isHeld }) => [state, isHeld])).toEqual([
    ['held', true],
    ['held', true],
  ]);
  expect(await semaphore.acquiredPermits()).toBe(2);
  await semaphore.delete();
});

test('P6: a deletion is told by the signal: at once here, elsewhere with the next renewal', async () => {
  const [one, other] = [client({ leaseMs: 900 }), client({ leaseMs: 900 })];
  const semaphore = one.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(2);
  const mine = await semaphore.acquire();
  const fixed = await other
    .getPermitExpirableSemaphore(semaphore.name)
    .acquire({ leaseMs: 60_000 });

  await semaphore.delete();

  expect(mine.signal.reason).toBeInstanceOf(LeaseLostError);
  expect(mine.signal.reason).toMatchObject({ reason: 'deleted' });
  await eventually(() => fixed.signal.aborted);
  expect(fixed.signal.reason).toMatchObject({ reason: 'deleted' });
});

test('a fixed lease that runs out is told by the signal', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  const permit = await semaphore.acquire({ leaseMs: 120 });
  const heard = new Promise<void>((resolve) => {
    permit.signal.addEventListener('abort', () => resolve());
  });

  await heard;

  expect([permit.isHeld, permit.remainingMs, permit.state]).toEqual([false, 0, 'lost']);
  expect(permit.signal.reason).toMatchObject({ reason: 'expired', resource: semaphore.name });
  expect(() => permit.assertHeld()).toThrow(LeaseLostError);
  await semaphore.delete();
});

test('a permit whose answer took longer than its lease is taken back and asked for anew', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const slow = client({ redis: proxy.url }).getPermitExpirableSemaphore(name());
  await slow.trySetPermits(2);
  proxy.pauseDownstream();
  const waiting = slow.acquire({ leaseMs: 150, waitMs: 4_000 });
  await eventually(async () => (await raw.zcard(timeouts(slow.name))) === 1);
  const [first] = await raw.zrangeBuffer(timeouts(slow.name), '0', '-1');
  const granted = performance.now();
  await eventually(() => performance.now() - granted > 200);
  proxy.resumeDownstream();

  const permit = await waiting;

  expect(permit.isHeld).toBe(true);
  expect(permit.id).not.toBe(first?.toString('hex'));
  await permit.release();
  await eventually(async () => (await raw.get(slow.name)) === '2');
  await slow.delete();
});

test('a waiter whose grant came after its lease keeps its place', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getPermitExpirableSemaphore(name());
  const elsewhere = client().getPermitExpirableSemaphore(semaphore.name);
  await semaphore.setPermits(1);
  const permit = await elsewhere.acquire();
  const order: string[] = [];
  const wait = async (who: string, leaseMs?: number): Promise<void> => {
    const granted = await semaphore.acquire(leaseMs === undefined ? {} : { leaseMs });
    order.push(who);
    await granted.release();
  };
  const first = wait('first', 400);
  const second = wait('second');
  const asked = (): number => proxy.requests().length;
  await eventually(async () => (await raw.pubsub('NUMSUB', channel(semaphore.name)))[1] === 1);
  const before = asked();

  proxy.delay({ downMs: 600 });
  await permit.release();
  // The grant, and what follows when its answer has come: it is given back, and asked for anew.
  await eventually(() => asked() >= before + 3);
  proxy.delay({});
  await Promise.all([first, second]);

  expect(order).toEqual(['first', 'second']);
  await semaphore.delete();
});
