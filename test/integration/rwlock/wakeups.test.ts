// Nobody who could come in sleeps on: one message lets every waiting reader in.

import { expect, test } from 'vitest';
import type { Hold, Lock } from '../../../src/index.js';
import { fixture } from '../../contract/fixture.js';
import { BEAT_MS, JAVA, RwView } from './rwlock.js';
import { randomFrom } from '../../../scripts/lib/random.mjs';
import { seed } from '../../support/seed.js';

const random = randomFrom(seed);

const { client, name, raw } = fixture('rwlock-wakeups');
/** Clearly before anybody asks again of its own accord. */
const AT_ONCE_MS = BEAT_MS / 2;

/** Read locks of so many clients. */
function readLocks(lockName: string, clients: number): Lock[] {
  return Array.from({ length: clients }, () => client().getReadWriteLock(lockName).readLock);
}

async function releaseAll(holds: readonly Hold[]): Promise<void> {
  await Promise.all(holds.map(async (hold) => await hold.release()));
}

test('R1: a downgrade lets the waiting readers of three clients in at once', async () => {
  const view = new RwView(raw, name());
  const { readLock, writeLock } = client().getReadWriteLock(view.name);
  const writing = await writeLock.acquire();
  const own = await readLock.acquire({ within: writing });
  const reads = readLocks(view.name, 3).flatMap((lock) => [lock.acquire(), lock.acquire()]);
  await view.readersWait(3);

  const start = performance.now();
  await writing.release();
  const holds = await Promise.all(reads);

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  expect(own.isHeld).toBe(true);
  expect(Object.keys(await view.fields())).toHaveLength(1 + 7);
  await releaseAll([own, ...holds]);
});

test('R1: a downgrade lets the readers of its own client in at once', async () => {
  const view = new RwView(raw, name());
  const { readLock, writeLock } = client().getReadWriteLock(view.name);
  const writing = await writeLock.acquire();
  const own = await readLock.acquire({ within: writing });
  const reads = [readLock.acquire(), readLock.acquire()];
  await view.readersWait(1);

  const start = performance.now();
  await writing.release();
  const holds = await Promise.all(reads);

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  await releaseAll([own, ...holds]);
});

test('R2: of readers that begin to wait while a writer leaves none is missed', async () => {
  const writer = client();
  const readers = [client(), client()];
  const lateMs: number[] = [];
  let held = 0;

  for (let round = 0; round < 30; round += 1) {
    const lockName = name();
    const writing = await writer.getReadWriteLock(lockName).writeLock.acquire();
    const reads = readers.flatMap((each) => {
      const { readLock } = each.getReadWriteLock(lockName);
      return Array.from({ length: 100 }, async () => {
        await new Promise((resolve) => {
          setTimeout(resolve, random() * 12);
        });
        return await readLock.acquire();
      });
    });
    await new Promise((resolve) => {
      setTimeout(resolve, random() * 12);
    });
    await writing.release();
    const start = performance.now();
    const holds = await Promise.all(reads);
    lateMs.push(performance.now() - start);
    held += holds.filter(({ isHeld }) => isHeld).length;
    await releaseAll(holds);
  }

  expect(held).toBe(30 * 200);
  expect(Math.max(...lateMs)).toBeLessThan(BEAT_MS - 200);
});

test('R2: of readers whose channel is still subscribed none is missed either', async () => {
  const lockName = name();
  const { writeLock } = client().getReadWriteLock(lockName);
  const locks = readLocks(lockName, 2);
  const lateMs: number[] = [];

  for (let round = 0; round < 40; round += 1) {
    const writing = await writeLock.acquire();
    const reads = locks.flatMap((lock) =>
      Array.from({ length: 10 }, async (_, i) => {
        await new Promise((resolve) => {
          setTimeout(resolve, i % 4);
        });
        return await lock.acquire();
      }),
    );
    await new Promise((resolve) => {
      setTimeout(resolve, random() * 5);
    });
    await writing.release();
    const start = performance.now();
    const holds = await Promise.all(reads);
    lateMs.push(performance.now() - start);
    await releaseAll(holds);
  }

  expect(Math.max(...lateMs)).toBeLessThan(BEAT_MS - 200);
});

test('R11: the message of a last reader lets all readers in that slept on', async () => {
  const view = new RwView(raw, name());
  await view.javaWrites(JAVA, 60_000);
  const reads = readLocks(view.name, 2).flatMap((lock) => [1, 2, 3].map(() => lock.acquire()));
  await view.readersWait(2);

  const start = performance.now();
  // It has downgraded without a message, and now it has read, too.
  await raw.multi().del(view.name).publish(view.channel, '0').exec();
  const holds = await Promise.all(reads);

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  await releaseAll(holds);
});

test('the last reader to leave lets a writer of another client in at once', async () => {
  const view = new RwView(raw, name());
  const [lock] = readLocks(view.name, 1);
  const reading = await lock?.acquire();
  const writes = client().getReadWriteLock(view.name).writeLock.acquire();
  await view.writersWait(1);
  await view.listened(1);

  const start = performance.now();
  await reading?.release();
  const hold = await writes;

  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  await hold.release();
});

test('inside one client the sides wake each other without a subscription', async () => {
  const { readLock, writeLock } = client().getReadWriteLock(name());
  const writing = await writeLock.acquire();
  const events: string[] = [];
  const later = [
    readLock.using(() => void events.push('read')),
    readLock.using(() => void events.push('read')),
    writeLock.using(() => void events.push('write')),
  ];

  const start = performance.now();
  await writing.release();
  await Promise.all(later);

  expect(events.toSorted()).toEqual(['read', 'read', 'write']);
  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
});
