// What a read-write lock tells about itself, and names that stand for something else.

import { expect, test } from 'vitest';
import { WrongTypeError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { JAVA, OTHER_JAVA, RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-views');

function setUp() {
  const view = new RwView(raw, name());
  return { ...client().getReadWriteLock(view.name), view };
}

test('the lock and its sides bear the name they were asked for with', () => {
  const lock = client().getReadWriteLock('book');

  expect([lock.name, lock.readLock.name, lock.writeLock.name]).toEqual(['book', 'book', 'book']);
});

test('a free lock is held by nobody on either side', async () => {
  const { readLock, writeLock } = setUp();

  for (const side of [readLock, writeLock]) {
    expect(await side.isLocked()).toBe(false);
    expect(await side.holders()).toEqual([]);
    expect(await side.holdCount()).toBe(0);
    expect(await side.remainingLeaseMs()).toBeNull();
  }
});

test('readers are all shown, each with its own depth and lease, and nobody writes', async () => {
  const { readLock, writeLock, view } = setUp();
  const outer = await readLock.acquire({ leaseMs: 20_000 });
  const inner = await readLock.acquire({ within: outer, leaseMs: 20_000 });
  const other = await client().getReadWriteLock(view.name).readLock.acquire({ leaseMs: 40_000 });

  const holders = await readLock.holders();
  const left = Object.fromEntries(holders.map((each) => [each.holderId, each.remainingMs]));

  expect(Object.fromEntries(holders.map((each) => [each.holderId, each.depth]))).toEqual({
    [outer.holderId]: 2,
    [other.holderId]: 1,
  });
  expect(left[outer.holderId]).toBeGreaterThan(15_000);
  expect(left[outer.holderId]).toBeLessThanOrEqual(20_000);
  expect(left[other.holderId]).toBeGreaterThan(35_000);
  expect(await readLock.remainingLeaseMs()).toBeGreaterThan(35_000);
  expect(await readLock.isLocked()).toBe(true);
  expect([await writeLock.isLocked(), await writeLock.holders()]).toEqual([false, []]);
  expect(await writeLock.remainingLeaseMs()).toBeNull();
  for (const hold of [inner, outer, other]) {
    await hold.release();
  }
});

test('a writer is shown under the id of its hold, and nobody reads', async () => {
  const { readLock, writeLock } = setUp();
  const hold = await writeLock.acquire({ leaseMs: 20_000 });

  const holders = await writeLock.holders();

  expect(holders).toMatchObject([{ holderId: hold.holderId, depth: 1 }]);
  expect(holders[0]?.remainingMs).toBeGreaterThan(15_000);
  expect(await writeLock.remainingLeaseMs()).toBeLessThanOrEqual(20_000);
  expect(await writeLock.isLocked()).toBe(true);
  expect([await readLock.isLocked(), await readLock.holders()]).toEqual([false, []]);
  expect(await readLock.remainingLeaseMs()).toBeNull();
  await hold.release();
});

test('a writer that reads is shown on both sides', async () => {
  const { readLock, writeLock } = setUp();
  const writing = await writeLock.acquire({ leaseMs: 60_000 });
  const reading = await readLock.acquire({ within: writing, leaseMs: 20_000 });

  const [readers, writers] = [await readLock.holders(), await writeLock.holders()];

  expect(readers).toMatchObject([{ holderId: reading.holderId, depth: 1 }]);
  expect(writers).toMatchObject([{ holderId: reading.holderId, depth: 1 }]);
  expect(await readLock.remainingLeaseMs()).toBeLessThanOrEqual(20_000);
  expect(await writeLock.remainingLeaseMs()).toBeGreaterThan(50_000);
  await reading.release();
  await writing.release();
});

test('readers of Redisson are shown while a hold key of theirs lives', async () => {
  const { readLock, view } = setUp();
  await view.javaReads(JAVA, 30_000, { holds: 2 });
  await view.javaReads(OTHER_JAVA, 60_000, { holdKeys: false });

  const holders = await readLock.holders();

  expect(holders).toMatchObject([{ holderId: JAVA, depth: 2 }]);
  expect(await readLock.remainingLeaseMs()).toBeLessThanOrEqual(30_000);
  await raw.del(view.name, view.holdKey(JAVA, 1), view.holdKey(JAVA, 2));
});

test('the longest lease of all readers counts, whoever they are', async () => {
  const { readLock, view } = setUp();
  const hold = await readLock.acquire({ leaseMs: 5_000 });
  await view.javaReads(OTHER_JAVA, 60_000, { holdKeys: false });
  const own = await readLock.remainingLeaseMs();
  await view.javaReads(OTHER_JAVA, 10_000);
  await view.javaReads(JAVA, 40_000);

  const longest = await readLock.remainingLeaseMs();
  await hold.release();

  expect(own).toBeLessThanOrEqual(5_000);
  expect(longest).toBeGreaterThan(35_000);
  expect(longest).toBeLessThanOrEqual(40_000);
  expect(await readLock.isLocked()).toBe(true);
  await raw.del(view.name, view.holdKey(JAVA), view.holdKey(OTHER_JAVA));
});

test('a lock is locked while one of several readers lives', async () => {
  const { readLock, view } = setUp();
  await view.javaReads(OTHER_JAVA, 60_000, { holdKeys: false });
  await view.javaReads(JAVA, 40_000);

  expect(await readLock.isLocked()).toBe(true);
  await raw.del(view.holdKey(JAVA));
  expect(await readLock.isLocked()).toBe(false);
  await raw.del(view.name);
});

test('a writer of Redisson without a lease is shown with no end', async () => {
  const { readLock, writeLock, view } = setUp();
  await view.javaWrites(JAVA, 30_000);
  const withLease = await writeLock.remainingLeaseMs();
  await raw.persist(view.name);

  const holders = await writeLock.holders();

  expect(withLease).toBeGreaterThan(25_000);
  expect(holders).toEqual([{ holderId: JAVA, depth: 1, remainingMs: Infinity }]);
  expect(await writeLock.remainingLeaseMs()).toBe(Infinity);
  expect(await readLock.isLocked()).toBe(false);
  await raw.del(view.name);
});

test('a hold count is that of the scope, on its own side', async () => {
  const { readLock, writeLock } = setUp();

  const inside = await readLock.using(
    async () => await readLock.using(async () => await readLock.holdCount()),
  );
  const [written, read] = await writeLock.using(async () => [
    await writeLock.holdCount(),
    await readLock.holdCount(),
  ]);

  expect([inside, written, read]).toEqual([2, 1, 0]);
  expect(await readLock.holdCount()).toBe(0);
});

test('both sides of one name in one client are one object', async () => {
  const { readLock, writeLock } = setUp();

  await readLock.using(() => undefined);
  await writeLock.using(async () => await readLock.using(() => undefined));

  expect(await writeLock.isLocked()).toBe(false);
});

test('a name that this client uses for another kind is refused, and the other way round', async () => {
  const own = client();
  const lockName = name();
  const lock = own.getLock(lockName);
  const { readLock, writeLock } = own.getReadWriteLock(lockName);

  const hold = await lock.acquire();
  const refused = [await rejection(readLock.acquire()), await rejection(writeLock.tryAcquire())];
  await hold.release();
  const reading = await readLock.acquire();
  refused.push(await rejection(lock.acquire()));
  await reading.release();
  await lock.using(() => undefined);

  expect(refused.map((error) => error instanceof WrongTypeError)).toEqual([true, true, true]);
});

test('N4: a name that somebody else holds as a plain lock is refused', async () => {
  const { readLock, writeLock, view } = setUp();
  const hold = await client().getLock(view.name).acquire();

  const errors = [
    await rejection(readLock.acquire()),
    await rejection(writeLock.acquire()),
    await rejection(readLock.tryAcquire()),
    await rejection(writeLock.holders()),
    await rejection(readLock.forceRelease()),
  ];

  expect(errors.every((error) => error instanceof WrongTypeError)).toBe(true);
  expect(await view.fields()).toEqual({ [hold.holderId]: '1' });
  await hold.release();
});

test('a name of another Redis type is refused, and keeps its value', async () => {
  const { readLock, writeLock, view } = setUp();
  await raw.set(view.name, '1', 'PX', 60_000);

  const errors = [
    await rejection(readLock.acquire()),
    await rejection(writeLock.acquire()),
    await rejection(readLock.isLocked()),
    await rejection(writeLock.forceRelease()),
  ];

  expect(errors.every((error) => error instanceof WrongTypeError)).toBe(true);
  expect(await raw.get(view.name)).toBe('1');
  await raw.del(view.name);
});
