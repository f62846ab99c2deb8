// Who may be inside together: any number of readers, or one writer.

import { expect, test } from 'vitest';
import type { Lock } from '../../../src/index.js';
import { fixture, gate } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { RwView } from './rwlock.js';
import { randomFrom } from '../../../scripts/lib/random.mjs';
import { seed } from '../../support/seed.js';

const random = randomFrom(seed);

const { client, name, raw } = fixture('rwlock-sharing');

/** Both sides of one lock in so many clients. */
function locksOf(clients: number) {
  const lockName = name();
  return Array.from({ length: clients }, () => client().getReadWriteLock(lockName));
}

/** Counts who is inside, and the most that ever were at once. */
function room() {
  const inside = { readers: 0, writers: 0, mostReaders: 0, mostWriters: 0, mixed: 0 };
  const enter = async (side: 'readers' | 'writers', stay: () => Promise<void>): Promise<void> => {
    inside[side] += 1;
    inside.mostReaders = Math.max(inside.mostReaders, inside.readers);
    inside.mostWriters = Math.max(inside.mostWriters, inside.writers);
    inside.mixed += inside.readers > 0 && inside.writers > 0 ? 1 : 0;
    await stay();
    inside[side] -= 1;
  };
  return { inside, enter };
}

const stay = async (): Promise<void> =>
  await new Promise((resolve) => {
    setTimeout(resolve, random() * 3);
  });

const repeat = async (lock: Lock, times: number, task: () => Promise<void>): Promise<void> => {
  for (let i = 0; i < times; i += 1) {
    await lock.using(task);
  }
};

test('forty readers of two clients are all inside at once', async () => {
  const locks = locksOf(2);
  const { inside, enter } = room();
  const door = gate();

  const reads = locks.flatMap(({ readLock }) =>
    Array.from({ length: 20 }, async () => {
      await readLock.using(async () => await enter('readers', async () => await door.opened));
    }),
  );
  await eventually(() => inside.readers === 40);
  door.open();
  await Promise.all(reads);

  expect(inside).toMatchObject({ readers: 0, mostReaders: 40 });
});

test('a writer is alone', async () => {
  const [mine, theirs] = locksOf(2);
  const hold = await mine?.writeLock.acquire();

  const refused = [
    await mine?.readLock.tryAcquire(),
    await mine?.writeLock.tryAcquire(),
    await theirs?.readLock.tryAcquire(),
    await theirs?.writeLock.tryAcquire(),
  ];
  await hold?.release();
  const next = await theirs?.writeLock.tryAcquire();

  expect(refused).toEqual([null, null, null, null]);
  expect(next?.isHeld).toBe(true);
  await next?.release();
});

test('a writer waits for the last of many readers', async () => {
  const [mine, theirs] = locksOf(2);
  const readers = [mine, theirs].flatMap((each) => (each ? [each.readLock, each.readLock] : []));
  const holds = await Promise.all(readers.map(async (lock) => await lock.acquire()));
  const events: string[] = [];

  const write = theirs?.writeLock.acquire().then(async (hold) => {
    events.push('writes');
    await hold.release();
  });
  await new RwView(raw, mine?.readLock.name ?? '').writersWait(1);
  for (const hold of holds) {
    events.push('leaves');
    await hold.release();
  }
  await write;

  expect(events).toEqual(['leaves', 'leaves', 'leaves', 'leaves', 'writes']);
});

test('readers that waited for one writer are inside together', async () => {
  const locks = locksOf(3);
  const [{ writeLock } = { writeLock: undefined }] = locks;
  const writing = await writeLock?.acquire();
  const { inside, enter } = room();
  const door = gate();

  const reads = locks.flatMap(({ readLock }) =>
    Array.from({ length: 10 }, async () => {
      await readLock.using(async () => await enter('readers', async () => await door.opened));
    }),
  );
  await new RwView(raw, writeLock?.name ?? '').readersWait(3);
  const during = inside.readers;
  await writing?.release();
  await eventually(() => inside.readers === 30);
  door.open();
  await Promise.all(reads);

  expect(during).toBe(0);
});

test('readers and writers of three clients are never inside together, and all get in', async () => {
  const locks = locksOf(3);
  const { inside, enter } = room();
  let [reads, writes] = [0, 0];

  await Promise.all(
    locks.flatMap(({ readLock, writeLock }) => [
      ...[1, 2, 3].map(async () => {
        await repeat(readLock, 25, async () => {
          await enter('readers', stay);
          reads += 1;
        });
      }),
      repeat(writeLock, 25, async () => {
        await enter('writers', stay);
        writes += 1;
      }),
    ]),
  );

  expect(inside).toMatchObject({ readers: 0, writers: 0, mostWriters: 1, mixed: 0 });
  expect(inside.mostReaders).toBeGreaterThan(1);
  expect([reads, writes]).toEqual([225, 75]);
});

test('two locks with the same word in their names have nothing to do with each other', async () => {
  const lockName = name();
  const [one, other] = [client(), client()];
  const writing = await one.getReadWriteLock(`${lockName}-a`).writeLock.acquire();

  const hold = await other.getReadWriteLock(`${lockName}-b`).writeLock.tryAcquire();

  expect(hold?.isHeld).toBe(true);
  await hold?.release();
  await writing.release();
});
