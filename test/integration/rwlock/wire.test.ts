// What a read-write lock leaves on the server, byte for byte as Redisson would.

import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { keysUnder } from '../../support/redis.js';
import { RwView } from './rwlock.js';

const { client, name, prefix, raw } = fixture('rwlock-wire');
const LEASE_MS = 20_000;

/** A lock of a fresh client, and what the server shows of it. */
function setUp(lockName = name()) {
  const lock = client().getReadWriteLock(lockName);
  return { ...lock, view: new RwView(raw, lockName) };
}

/** Every one of these keys has a TTL of at most `ms`. */
async function expireWithin(ms: number, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    const ttlMs = await raw.pttl(key);
    expect(ttlMs, key).toBeGreaterThan(ms - 5_000);
    expect(ttlMs, key).toBeLessThanOrEqual(ms);
  }
}

test('a reader is mode, its field and one hold key, all with the lease as TTL', async () => {
  const { readLock, view } = setUp(`${prefix}-reader`);

  const hold = await readLock.acquire({ leaseMs: LEASE_MS });

  const holdKey = view.holdKey(hold.holderId);
  expect(await view.fields()).toEqual({ mode: 'read', [hold.holderId]: '1' });
  expect(holdKey).toBe(`{${view.name}}:${hold.holderId}:rwlock_timeout:1`);
  expect(await raw.get(holdKey)).toBe('1');
  const keys = await keysUnder(view.name, raw);
  expect(keys).toEqual([view.name, holdKey, view.readers].toSorted());
  await expireWithin(LEASE_MS, ...keys);
  await hold.release();
  expect(await keysUnder(view.name, raw)).toEqual([]);
});

test('a writer is mode and its field, and no other key', async () => {
  const { writeLock, view } = setUp(`${prefix}-writer`);

  const hold = await writeLock.acquire({ leaseMs: LEASE_MS });

  expect(await view.fields()).toEqual({ mode: 'write', [`${hold.holderId}:write`]: '1' });
  expect(await keysUnder(view.name, raw)).toEqual([view.name]);
  await expireWithin(LEASE_MS, view.name);
  await hold.release();
  expect(await keysUnder(view.name, raw)).toEqual([]);
});

test('a writer that reads has both fields, and keeps the read one when it has written', async () => {
  const { readLock, writeLock, view } = setUp();
  const writing = await writeLock.acquire({ leaseMs: LEASE_MS });

  const reading = await readLock.acquire({ within: writing, leaseMs: LEASE_MS });
  const both = await view.fields();
  await writing.release();

  const { holderId } = reading;
  expect(both).toEqual({ mode: 'write', [`${holderId}:write`]: '1', [holderId]: '1' });
  expect(await view.fields()).toEqual({ mode: 'read', [holderId]: '1' });
  expect(await view.holdKeys()).toEqual([view.holdKey(holderId)]);
  await expireWithin(LEASE_MS, view.name, view.holdKey(holderId), view.readers);
  await reading.release();
  expect(await raw.exists(view.name, view.holdKey(holderId), view.readers)).toBe(0);
});

test('a reader with n holds has hold keys 1 to n, and they go one by one', async () => {
  const { readLock, view } = setUp();
  const first = await readLock.acquire();
  const second = await readLock.acquire({ within: first });
  const third = await readLock.acquire({ within: second });
  const { holderId } = first;
  const seen: { count: string | undefined; keys: string[] }[] = [];
  const look = async (): Promise<void> => {
    const { [holderId]: count } = await view.fields();
    seen.push({ count, keys: await view.holdKeys() });
  };

  await look();
  for (const hold of [first, third, second]) {
    await hold.release();
    await look();
  }

  const keys = [1, 2, 3].map((n) => view.holdKey(holderId, n));
  expect(seen).toEqual([
    { count: '3', keys },
    { count: '2', keys: keys.slice(0, 2) },
    { count: '1', keys: keys.slice(0, 1) },
    { count: undefined, keys: [] },
  ]);
});

test('the last reader publishes 0, one of several nothing', async () => {
  const { readLock, view } = setUp();
  const messages = await view.messages();
  const [first, second] = [await readLock.acquire(), await readLock.acquire()];

  await first.release();
  await raw.publish(view.channel, '7');
  await second.release();

  await eventually(() => messages.length === 2);
  expect(messages).toEqual(['7', '0']);
});

test('a writer that leaves publishes 1, its inner hold nothing', async () => {
  const { writeLock, view } = setUp();
  const messages = await view.messages();
  const outer = await writeLock.acquire();
  const inner = await writeLock.acquire({ within: outer });

  await inner.release();
  await raw.publish(view.channel, '7');
  await outer.release();

  await eventually(() => messages.length === 2);
  expect(messages).toEqual(['7', '1']);
});

test('R1: a downgrade publishes 1, and its reader 0 when it leaves', async () => {
  const { readLock, writeLock, view } = setUp();
  const messages = await view.messages();
  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing });

  await writing.release();
  await raw.publish(view.channel, '7');
  await reading.release();

  await eventually(() => messages.length === 3);
  expect(messages).toEqual(['1', '7', '0']);
});

test('who waits stands in private keys that live ten minutes, and leaves no other', async () => {
  const view = new RwView(raw, `${prefix}-line`);
  const holding = await client().getReadWriteLock(view.name).writeLock.acquire();
  const reader = client();
  const reads = reader.getReadWriteLock(view.name).readLock.acquire();
  await view.readersWait(1);
  const writes = client().getReadWriteLock(view.name).writeLock.acquire();
  const [writer = ''] = await view.writersWait(1);

  const keys = await keysUnder(view.name, raw);
  const [waiting, beats] = [
    await raw.zrange(view.waiting, '0', '-1'),
    await raw.zrange(view.beats, '0', '-1'),
  ];

  const all = [view.name, view.beats, view.tickets, view.waiting, view.writers];
  expect(keys).toEqual(all.toSorted());
  expect(waiting).toEqual([reader.id]);
  expect(beats.toSorted()).toEqual([reader.id, writer].toSorted());
  expect(writer).toMatch(/^[\da-f-]{36}:\d+$/);
  await expireWithin(600_000, view.beats, view.waiting, view.writers);
  await holding.release();
  await (await reads).release();
  await (await writes).release();
  // The times of its turns are kept for a second.
  await raw.del(view.tickets);
  expect(await keysUnder(view.name, raw)).toEqual([]);
});

test('a tagged name keeps its own tag in every key and channel', async () => {
  const tagged = `{${prefix}-tag}:book`;
  const { readLock, view } = setUp(tagged);
  const messages = await view.messages();

  const hold = await readLock.acquire();
  const keys = await keysUnder(`${prefix}-tag`, raw);
  await hold.release();

  const holdKey = `${tagged}:${hold.holderId}:rwlock_timeout:1`;
  expect(keys).toEqual([tagged, holdKey, `redlatch_readers:${tagged}`].toSorted());
  expect(view.channel).toBe(`redisson_rwlock:${tagged}`);
  await eventually(() => messages.length === 1);
});

test('with a key prefix every key and channel is that of the whole name', async () => {
  const short = `${prefix}-short`.slice(prefix.length);
  const view = new RwView(raw, prefix + short);
  const { writeLock, readLock } = client({ keyPrefix: prefix }).getReadWriteLock(short);
  const messages = await view.messages();

  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing });

  const { holderId } = writing;
  expect(await view.fields()).toEqual({
    mode: 'write',
    [`${holderId}:write`]: '1',
    [holderId]: '1',
  });
  expect(await view.holdKeys()).toEqual([view.holdKey(holderId)]);
  await writing.release();
  await reading.release();
  await eventually(() => messages.length === 2);
  expect(messages).toEqual(['1', '0']);
});
