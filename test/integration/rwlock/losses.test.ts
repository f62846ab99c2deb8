// Holds that end otherwise than by their release: erased, forced, crashed.

import { expect, test } from 'vitest';
import { LeaseLostError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startWorker } from '../../support/processes.js';
import { redisUrl } from '../../support/redis.js';
import { BEAT_MS, JAVA, OTHER_JAVA, RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-losses');
const LEASE_MS = 900;

function setUp(leaseMs = LEASE_MS) {
  const view = new RwView(raw, name());
  return { ...client({ leaseMs }).getReadWriteLock(view.name), view };
}

const ends: Record<string, (view: RwView, holderId: string) => Promise<unknown>> = {
  'its field and hold key are erased': async (view, holderId) =>
    await raw.multi().hdel(view.name, holderId).del(view.holdKey(holderId)).exec(),
  'the hash is deleted': async (view) => await raw.del(view.name),
  'another client forces it': async (view) =>
    await client().getReadWriteLock(view.name).readLock.forceRelease(),
  'a writer of Redisson has it': async (view) => {
    await raw.del(view.name);
    await view.javaWrites(JAVA, 5_000);
  },
};

test.each(Object.keys(ends))('a reader learns through its signal that %s', async (how) => {
  const { readLock, view } = setUp();
  const hold = await readLock.acquire();
  const told = new Promise((resolve) => {
    hold.signal.addEventListener('abort', () => resolve(hold.signal.reason));
  });

  await ends[how]?.(view, hold.holderId);
  const reason = await told;

  expect(reason).toBeInstanceOf(LeaseLostError);
  expect(reason).toMatchObject({ reason: how.startsWith('a writer') ? 'taken' : 'deleted' });
  expect(hold).toMatchObject({ state: 'lost', isHeld: false, remainingMs: 0 });
  expect(await rejection(hold.release())).toBe(reason);
  await raw.del(view.name, view.readers, view.holdKey(hold.holderId));
});

test('a hold key that was erased is set again with the next renewal', async () => {
  const { readLock, view } = setUp();
  const hold = await readLock.acquire();

  await raw.del(view.holdKey(hold.holderId));

  await eventually(async () => expect(await raw.exists(view.holdKey(hold.holderId))).toBe(1));
  expect(hold.isHeld).toBe(true);
  await hold.release();
});

test('a reader with a fixed lease learns of a forced release, too', async () => {
  const { readLock, view } = setUp();
  const hold = await readLock.acquire({ leaseMs: 60_000 });

  await client().getReadWriteLock(view.name).readLock.forceRelease();
  await eventually(() => hold.signal.aborted);

  expect(hold.signal.reason).toMatchObject({ reason: 'deleted' });
});

test('R9: a release of what is gone is a loss, however often it is called', async () => {
  const { readLock, view } = setUp(30_000);
  const hold = await readLock.acquire();
  await raw.del(view.name, view.holdKey(hold.holderId), view.readers);

  const first = await rejection(hold.release());
  const again = await rejection(hold.release());

  expect(first).toBeInstanceOf(LeaseLostError);
  expect(again).toBe(first);
});

test('a writer whose reads are nested loses all at once when the hash is deleted', async () => {
  const { readLock, writeLock, view } = setUp();
  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing });

  await raw.del(view.name);
  await eventually(() => writing.signal.aborted && reading.signal.aborted);

  expect([writing.state, reading.state]).toEqual(['lost', 'lost']);
  await raw.del(view.readers, view.holdKey(reading.holderId));
});

test('R10: forcing the read side leaves no hold key, not of Redisson’s readers either', async () => {
  const { readLock, view } = setUp(30_000);
  const outer = await readLock.acquire();
  const inner = await readLock.acquire({ within: outer });
  const other = await client().getReadWriteLock(view.name).readLock.acquire();
  await view.javaReads(JAVA, 60_000, { holds: 3 });
  const messages = await view.messages();

  const forced = await readLock.forceRelease();

  expect(forced).toBe(true);
  expect(await view.holdKeys()).toEqual([]);
  expect(await raw.exists(view.name, view.readers)).toBe(0);
  expect([outer.state, inner.state]).toEqual(['lost', 'lost']);
  await eventually(() => messages.length === 1);
  expect(messages).toEqual(['0']);
  expect(await rejection(other.release())).toBeInstanceOf(LeaseLostError);
});

test('each side forces only its own mode', async () => {
  const { readLock, writeLock, view } = setUp(30_000);
  const reading = await readLock.acquire();
  const onReaders = [await writeLock.forceRelease(), reading.isHeld];
  await reading.release();
  const writing = await writeLock.acquire();
  const onWriter = [await readLock.forceRelease(), writing.isHeld];

  const messages = await view.messages();
  const forced = await writeLock.forceRelease();
  await eventually(() => messages.length === 1);

  expect(onReaders).toEqual([false, true]);
  expect(onWriter).toEqual([false, true]);
  expect([forced, writing.isHeld, messages]).toEqual([true, false, ['1']]);
  expect(await readLock.forceRelease()).toBe(false);
});

test('forcing the write side ends the reads of that writer, and leaves no hold key', async () => {
  const { readLock, writeLock, view } = setUp(LEASE_MS);
  const writing = await writeLock.acquire();
  const reading = await readLock.acquire({ within: writing });

  const forced = await client().getReadWriteLock(view.name).writeLock.forceRelease();

  expect(forced).toBe(true);
  expect(await raw.exists(view.name, view.readers, view.holdKey(writing.holderId))).toBe(0);
  await eventually(() => writing.signal.aborted && reading.signal.aborted);
});

test('forcing a side lets those in who waited for it', async () => {
  const { readLock, writeLock, view } = setUp(30_000);
  await readLock.acquire();
  const other = client().getReadWriteLock(view.name);
  const writes = other.writeLock.acquire();
  await view.writersWait(1);
  await view.listened(1);

  const start = performance.now();
  await readLock.forceRelease();
  const writing = await writes;
  const reads = readLock.acquire();
  await view.readersWait(1);
  await writeLock.forceRelease();
  const reading = await reads;

  expect(performance.now() - start).toBeLessThan(BEAT_MS);
  expect(reading.isHeld).toBe(true);
  await reading.release();
  expect(await rejection(writing.release())).toBeInstanceOf(LeaseLostError);
});

test('R8: a reader that was killed is taken out when its lease ends, though others read', async () => {
  const { readLock, writeLock, view } = setUp();
  const reading = await readLock.acquire();
  const args = [redisUrl(), view.name, 'readLock', '500'];
  const worker = startWorker('rwlock', { args });
  const { holderId } = await worker.message<{ type: string; holderId: string }>('held');
  await worker.kill('SIGKILL');
  const before = await view.fields();

  await eventually(async () => (await raw.exists(view.holdKey(holderId))) === 0);
  const another = await readLock.acquire();
  const after = await view.fields();
  const writes = writeLock.acquire();
  await view.writersWait(1);
  await another.release();
  const start = performance.now();
  await reading.release();
  const writing = await writes;

  expect(Object.keys(before).toSorted()).toEqual(['mode', reading.holderId, holderId].toSorted());
  const still = ['mode', reading.holderId, another.holderId];
  expect(Object.keys(after).toSorted()).toEqual(still.toSorted());
  expect(performance.now() - start).toBeLessThan(BEAT_MS / 2);
  await writing.release();
});

test('R8: continuous readers keep no expired one, neither shown nor waited for', async () => {
  const { readLock, writeLock, view } = setUp();
  let reading = await readLock.acquire();
  const zombie = await client().getReadWriteLock(view.name).readLock.acquire({ leaseMs: 300 });
  await view.javaReads(JAVA, 300);
  await view.javaReads(OTHER_JAVA, 60_000, { holdKeys: false });

  await eventually(async () => {
    const next = await readLock.acquire();
    await reading.release();
    reading = next;
    return (await raw.exists(view.holdKey(zombie.holderId), view.holdKey(JAVA))) === 0;
  });
  const holders = await readLock.holders();
  await reading.release();
  const writing = await writeLock.tryAcquire();

  expect(holders).toMatchObject([{ holderId: reading.holderId }]);
  expect(await view.fields()).toEqual({ mode: 'write', [`${writing?.holderId}:write`]: '1' });
  await writing?.release();
});
