// How long the holds of a read-write lock last: leases take the maximum, and are renewed one by one.

import { expect, test } from 'vitest';
import { createClient, LeaseLostError, type Hold } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { redisUrl } from '../../support/redis.js';
import { outlive, RwView } from './rwlock.js';

const { name, raw } = fixture('rwlock-leases');
const LEASE_MS = 900;

/** A lock of a client that is closed with the scope: tests that wait for leases run side by side. */
function setUp(leaseMs = 30_000) {
  const view = new RwView(raw, name());
  const client = createClient({ redis: redisUrl(), leaseMs });
  return {
    ...client.getReadWriteLock(view.name),
    view,
    [Symbol.asyncDispose]: async () => await client.close({ timeoutMs: 1_000 }),
  };
}

async function releaseAll(...holds: (Hold | null)[]): Promise<void> {
  for (const hold of holds) {
    await hold?.release();
  }
}

test('R6: re-entries of a writer take the longest lease, never the sum', async () => {
  await using lock = setUp();
  const { writeLock, view } = lock;
  const outer = await writeLock.acquire({ leaseMs: 10_000 });

  const holds = [outer];
  for (const leaseMs of [10_000, 20_000, 1_000, 20_000]) {
    const [innermost = outer] = holds;
    holds.unshift(await writeLock.acquire({ within: innermost, leaseMs }));
  }

  const ttlMs = await raw.pttl(view.name);
  expect(ttlMs).toBeGreaterThan(15_000);
  expect(ttlMs).toBeLessThanOrEqual(20_000);
  await releaseAll(...holds);
});

test('R6: re-entries of a reader take the longest lease for what they keep', async () => {
  await using lock = setUp();
  const { readLock, view } = lock;
  const outer = await readLock.acquire({ leaseMs: 5_000 });

  const inner = await readLock.acquire({ within: outer, leaseMs: 20_000 });
  const shorter = await readLock.acquire({ within: inner, leaseMs: 1_000 });
  await releaseAll(shorter, inner);

  const ttls = [await raw.pttl(view.name), await raw.pttl(view.holdKey(outer.holderId))];
  for (const ttlMs of ttls) {
    expect(ttlMs).toBeGreaterThan(15_000);
    expect(ttlMs).toBeLessThanOrEqual(20_000);
  }
  expect(outer.remainingMs).toBeGreaterThan(15_000);
  await outer.release();
});

test('R5: releasing reads under a write hold never shortens its lease', async () => {
  await using lock = setUp();
  const { readLock, writeLock, view } = lock;
  const writing = await writeLock.acquire({ leaseMs: 60_000 });
  const outer = await readLock.acquire({ within: writing, leaseMs: 2_000 });
  const inner = await readLock.acquire({ within: outer, leaseMs: 3_000 });
  const ttls: number[] = [];

  for (const hold of [inner, outer]) {
    await hold.release();
    ttls.push(await raw.pttl(view.name));
  }

  expect(Math.min(...ttls)).toBeGreaterThan(50_000);
  expect(await view.fields()).toEqual({ mode: 'write', [`${writing.holderId}:write`]: '1' });
  await writing.release();
});

test('a reader with a short lease does not shorten that of another reader', async () => {
  await using lock = setUp();
  const { readLock, view } = lock;
  const long = await readLock.acquire({ leaseMs: 60_000 });
  const short = await readLock.acquire({ leaseMs: 1_000 });

  const before = await raw.pttl(view.name);
  await short.release();
  const after = await raw.pttl(view.name);

  expect(Math.min(before, after, await raw.pttl(view.readers))).toBeGreaterThan(50_000);
  await long.release();
});

test.concurrent('readers, writers, a writer that reads and nested reads outlive three leases', async () => {
  await using reader = setUp(LEASE_MS);
  await using writer = setUp(LEASE_MS);
  await using both = setUp(LEASE_MS);
  await using nested = setUp(LEASE_MS);
  const reading = await reader.readLock.acquire();
  const writing = await writer.writeLock.acquire();
  const outer = await both.writeLock.acquire();
  const own = await both.readLock.acquire({ within: outer });
  const first = await nested.readLock.acquire();
  const second = await nested.readLock.acquire({ within: first });
  const third = await nested.readLock.acquire({ within: second });
  const holds = [third, second, first, own, outer, writing, reading];

  await outlive(3, LEASE_MS);

  expect(new Set(holds.map(({ state }) => state))).toEqual(new Set(['held']));
  expect(await reader.view.holdKeys()).toHaveLength(1);
  expect(await both.view.holdKeys()).toHaveLength(1);
  expect(await nested.view.holdKeys()).toHaveLength(3);
  expect(await nested.view.fields()).toEqual({ mode: 'read', [first.holderId]: '3' });
  const keys = await Promise.all([reader, both, nested].map(({ view }) => view.holdKeys()));
  const ttls = await Promise.all(keys.flat().map(async (key) => await raw.pttl(key)));
  expect(Math.min(...ttls)).toBeGreaterThan(0);
  expect(Math.max(...ttls)).toBeLessThanOrEqual(LEASE_MS);
  await releaseAll(...holds);
});

test.concurrent('L1: releasing inner reads leaves the write lock, and other reads, renewed', async () => {
  await using lock = setUp(LEASE_MS);
  const { readLock, writeLock, view } = lock;
  const writing = await writeLock.acquire();
  const reads = [];
  for (let i = 0; i < 3; i += 1) {
    reads.push(await readLock.acquire({ within: writing }));
  }
  const [kept, ...others] = reads;

  await releaseAll(...others);
  await outlive(2, LEASE_MS);

  const { holderId } = writing;
  expect([writing.state, kept?.state]).toEqual(['held', 'held']);
  expect(await view.fields()).toEqual({
    mode: 'write',
    [`${holderId}:write`]: '1',
    [holderId]: '1',
  });
  expect(await view.holdKeys()).toEqual([view.holdKey(holderId)]);
  await releaseAll(writing);
  await outlive(2, LEASE_MS);
  expect(kept?.state).toBe('held');
  await releaseAll(kept ?? null);
});

test.concurrent('L9: a read that is acquired while the last one is released is renewed', async () => {
  await using lock = setUp(LEASE_MS);
  const { readLock, view } = lock;
  let hold = await readLock.acquire();

  for (let i = 0; i < 20; i += 1) {
    const releasing = hold.release();
    hold = await readLock.acquire();
    await releasing;
  }
  await outlive(2, LEASE_MS);

  expect(hold.state).toBe('held');
  expect(await view.fields()).toEqual({ mode: 'read', [hold.holderId]: '1' });
  await hold.release();
});

test.concurrent('L19: a fixed read inside a renewed one changes nothing for it', async () => {
  await using lock = setUp(LEASE_MS);
  const { readLock } = lock;
  const outer = await readLock.acquire();

  const inner = await readLock.acquire({ within: outer, leaseMs: 100 });
  await inner.release();
  await outlive(2, LEASE_MS);

  expect(outer.state).toBe('held');
  await outer.release();
});

test.concurrent('L19: a renewed read inside a fixed one renews both until it is released', async () => {
  await using lock = setUp(LEASE_MS);
  const { readLock, view } = lock;
  const outer = await readLock.acquire({ leaseMs: LEASE_MS });
  const inner = await readLock.acquire({ within: outer });

  await outlive(2, LEASE_MS);
  const during = [outer.state, inner.state];
  await inner.release();
  await eventually(() => !outer.isHeld);

  expect(during).toEqual(['held', 'held']);
  expect(outer.signal.reason).toMatchObject({ reason: 'expired' });
  await eventually(async () => (await raw.exists(view.holdKey(outer.holderId))) === 0);
});

test('extend makes every hold key of the reader last, and never shortens', async () => {
  await using lock = setUp();
  const { readLock, view } = lock;
  const outer = await readLock.acquire({ leaseMs: 5_000 });
  const inner = await readLock.acquire({ within: outer, leaseMs: 5_000 });

  await inner.extend(40_000);
  await outer.extend(1_000);

  const keys = [view.name, ...(await view.holdKeys())];
  const ttls = await Promise.all(keys.map(async (key) => await raw.pttl(key)));
  expect(keys).toHaveLength(3);
  expect(Math.min(...ttls, outer.remainingMs)).toBeGreaterThan(30_000);
  await releaseAll(inner, outer);
});

test.concurrent('a read with a fixed lease ends with it, is told so, and lets a writer in', async () => {
  await using lock = setUp();
  const { readLock, writeLock } = lock;
  const reading = await readLock.acquire({ leaseMs: 400 });
  const told = new Promise((resolve) => {
    reading.signal.addEventListener('abort', () => resolve(reading.signal.reason));
  });

  const writing = await writeLock.acquire({ waitMs: 10_000 });

  expect(reading.isHeld).toBe(false);
  expect(await told).toMatchObject({ code: 'ERR_LEASE_LOST', reason: 'expired' });
  expect(await rejection(reading.release())).toBeInstanceOf(LeaseLostError);
  expect(writing.isHeld).toBe(true);
  await writing.release();
});

test.concurrent('a fixed read inside a write hold ends alone', async () => {
  await using lock = setUp(LEASE_MS);
  const { readLock, writeLock } = lock;
  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing, leaseMs: 100 });

  await eventually(() => !reading.isHeld);
  await outlive(2, LEASE_MS);

  expect([writing.state, reading.state]).toEqual(['held', 'lost']);
  expect(await readLock.holders()).toEqual([]);
  await writing.release();
});

test.concurrent('a writer whose own read has expired frees the lock when it leaves', async () => {
  await using lock = setUp();
  const { readLock, writeLock, view } = lock;
  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing, leaseMs: 100 });
  await eventually(async () => (await raw.exists(view.holdKey(reading.holderId))) === 0);

  await writing.release();

  // Redisson would wait for the whole lease of the hash.
  expect(await view.fields()).toEqual({});
  expect(await raw.exists(view.readers)).toBe(0);
});

test.concurrent('a write whose lease ends before that of its read lets nobody wait for it', async () => {
  await using lock = setUp();
  const { readLock, writeLock, view } = lock;
  const writing = await writeLock.acquire({ leaseMs: 300 });
  const reading = await readLock.acquire({ within: writing, leaseMs: 20_000 });

  await eventually(() => !writing.isHeld);
  const readingOn = reading.isHeld;
  await reading.release();
  const next = await writeLock.acquire({ waitMs: 2_000 });

  expect(readingOn).toBe(true);
  expect(await view.fields()).toEqual({ mode: 'write', [`${next.holderId}:write`]: '1' });
  await next.release();
});
