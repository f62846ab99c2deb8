// Redisson's readers and writers on the same lock, as it writes them.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { BEAT_MS, JAVA, OTHER_JAVA, RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-foreign');

function setUp() {
  const view = new RwView(raw, name());
  return { ...client().getReadWriteLock(view.name), view };
}

test('a writer waits until the hold key of a reader of Redisson is gone', async () => {
  const { writeLock, view } = setUp();
  await view.javaReads(JAVA, 700);
  // Its other holds, or a lease that was added up, may keep the hash for longer.
  await raw.pexpire(view.name, 60_000);

  const refused = await writeLock.tryAcquire();
  const hold = await writeLock.acquire({ waitMs: 10_000 });

  expect(refused).toBeNull();
  expect(await raw.exists(view.holdKey(JAVA))).toBe(0);
  expect(await view.fields()).toEqual({ mode: 'write', [`${hold.holderId}:write`]: '1' });
  await hold.release();
});

test('one live hold key of several is enough to keep writers out', async () => {
  const { writeLock, view } = setUp();
  await view.javaReads(JAVA, 60_000, { holds: 3 });
  await raw.del(view.holdKey(JAVA, 1), view.holdKey(JAVA, 2));

  const kept = await writeLock.tryAcquire();
  await raw.del(view.holdKey(JAVA, 3));
  const hold = await writeLock.tryAcquire();

  expect(kept).toBeNull();
  expect(hold?.isHeld).toBe(true);
  await hold?.release();
});

test('a reader of Redisson without a hold key is dead and keeps no writer out', async () => {
  const { writeLock, view } = setUp();
  await view.javaReads(JAVA, 60_000, { holdKeys: false });
  await view.javaReads(OTHER_JAVA, 60_000, { holdKeys: false });

  const hold = await writeLock.tryAcquire();

  expect(await view.fields()).toEqual({ mode: 'write', [`${hold?.holderId}:write`]: '1' });
  await hold?.release();
});

test('a reader whose holds are no number keeps no writer out', async () => {
  const { writeLock, view } = setUp();
  await view.javaReads(JAVA, 60_000);
  await raw.hset(view.name, JAVA, 'many');

  const hold = await writeLock.tryAcquire();

  expect(hold?.isHeld).toBe(true);
  await hold?.release();
  await raw.del(view.holdKey(JAVA));
});

test('readers join readers of Redisson, and leave them as they were', async () => {
  const { readLock, view } = setUp();
  await view.javaReads(JAVA, 60_000);
  const messages = await view.messages();

  const hold = await readLock.acquire();
  const together = await view.fields();
  await hold.release();
  await raw.publish(view.channel, '7');

  expect(together).toEqual({ mode: 'read', [JAVA]: '1', [hold.holderId]: '1' });
  expect(await view.fields()).toEqual({ mode: 'read', [JAVA]: '1' });
  await eventually(() => messages.length > 0);
  expect(messages).toEqual(['7']);
  await raw.del(view.name, view.holdKey(JAVA));
});

test('a reader of Redisson that leaves does not disturb ours', async () => {
  const { readLock, writeLock, view } = setUp();
  await view.javaReads(JAVA, 60_000);
  const hold = await readLock.acquire({ leaseMs: 20_000 });

  await view.javaLeaves(JAVA);
  const refused = await writeLock.tryAcquire();

  expect(refused).toBeNull();
  expect(await view.fields()).toEqual({ mode: 'read', [hold.holderId]: '1' });
  expect(await raw.pttl(view.holdKey(hold.holderId))).toBeGreaterThan(10_000);
  await hold.extend(30_000);
  expect(hold.isHeld).toBe(true);
  await hold.release();
  expect(await raw.exists(view.name)).toBe(0);
});

test('the last reader of ours frees a lock that dead readers of Redisson are left in', async () => {
  const { readLock, view } = setUp();
  const hold = await readLock.acquire();
  await view.javaReads(JAVA, 60_000, { holdKeys: false });
  const messages = await view.messages();

  await hold.release();

  await eventually(() => messages.length === 1);
  expect(messages).toEqual(['0']);
  expect(await raw.exists(view.name, view.readers)).toBe(0);
});

test('a writer of Redisson keeps readers and writers out, and its hash is left alone', async () => {
  const { readLock, writeLock, view } = setUp();
  await view.javaWrites(JAVA, 60_000);

  const refused = [await readLock.tryAcquire(), await writeLock.tryAcquire()];

  expect(refused).toEqual([null, null]);
  expect(await view.fields()).toEqual({ mode: 'write', [`${JAVA}:write`]: '1' });
  await raw.del(view.name);
});

test('a writer of Redisson that crashed is waited for no longer than its lease', async () => {
  const { readLock, writeLock, view } = setUp();
  await view.javaWrites(JAVA, 500);

  const [reading, writing] = await Promise.all([
    readLock.acquire({ waitMs: 10_000 }).then(async (hold) => await hold.release()),
    writeLock.acquire({ waitMs: 10_000 }).then(async (hold) => await hold.release()),
  ]);

  expect([reading, writing]).toEqual([undefined, undefined]);
  expect(await raw.exists(view.name)).toBe(0);
});

test('the message of a writer of Redisson lets every waiting reader in', async () => {
  const view = new RwView(raw, name());
  await view.javaWrites(JAVA, 60_000);
  const clients = [client(), client(), client()];
  const reads = clients.flatMap((each) => {
    const { readLock } = each.getReadWriteLock(view.name);
    return [1, 2, 3, 4].map(async () => await readLock.acquire());
  });
  await view.readersWait(clients.length);

  const start = performance.now();
  await view.javaStopsWriting();
  const holds = await Promise.all(reads);

  expect(performance.now() - start).toBeLessThan(BEAT_MS / 2);
  expect(Object.keys(await view.fields())).toHaveLength(1 + holds.length);
  await Promise.all(holds.map(async (hold) => await hold.release()));
});

test('the message of the last reader of Redisson lets a waiting writer in', async () => {
  const { writeLock, view } = setUp();
  await view.javaReads(JAVA, 60_000);
  const writes = writeLock.acquire();
  await view.writersWait(1);
  await view.listened(1);

  const start = performance.now();
  await raw.multi().del(view.name, view.holdKey(JAVA)).publish(view.channel, '0').exec();
  const hold = await writes;

  expect(performance.now() - start).toBeLessThan(BEAT_MS / 2);
  await hold.release();
});

test('a downgrade of Redisson without a message costs readers a re-check at most', async () => {
  const { readLock, view } = setUp();
  await view.javaWrites(JAVA, 60_000);
  const reads = readLock.acquire();
  await view.readersWait(1);

  const start = performance.now();
  const readerToo = raw.multi().set(view.holdKey(JAVA), '1', 'PX', 60_000);
  await readerToo.hdel(view.name, `${JAVA}:write`).hset(view.name, 'mode', 'read', JAVA, 1).exec();
  const hold = await reads;

  expect(performance.now() - start).toBeLessThan(BEAT_MS + 1_500);
  expect(await view.fields()).toEqual({ mode: 'read', [JAVA]: '1', [hold.holderId]: '1' });
  await hold.release();
  await raw.del(view.name, view.holdKey(JAVA));
});

test('a writer of Redisson that also reads is one writer, and one reader when it has written', async () => {
  const { readLock, writeLock, view } = setUp();
  await view.javaWrites(JAVA, 60_000);
  await raw.hset(view.name, JAVA, 1);
  await raw.set(view.holdKey(JAVA), '1', 'PX', 60_000);

  const [readers, writers] = [await readLock.holders(), await writeLock.holders()];

  expect(readers).toMatchObject([{ holderId: JAVA, depth: 1 }]);
  expect(writers).toMatchObject([{ holderId: JAVA, depth: 1 }]);
  await raw.del(view.name, view.holdKey(JAVA));
});
