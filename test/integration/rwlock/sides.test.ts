// What happens to one side of a read-write lock is known on the other.

import { expect, test } from 'vitest';
import { LeaseLostError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-sides');

/** A writer that reads beside, and somebody else who has forced and taken the lock since. */
async function usurped() {
  const lockName = name();
  const mine = client().getReadWriteLock(lockName);
  const theirs = client().getReadWriteLock(lockName);
  const write = await mine.writeLock.acquire();
  const read = await mine.readLock.acquire({ within: write });
  await theirs.writeLock.forceRelease();
  const usurper = await theirs.writeLock.acquire();
  return { mine, write, read, usurper };
}

test('a writer that finds its lock taken at the release has lost what it read, too', async () => {
  const { write, read, usurper } = await usurped();

  expect(await rejection(write.release())).toBeInstanceOf(LeaseLostError);

  expect([read.isHeld, read.state]).toEqual([false, 'lost']);
  await usurper.release();
});

test('a writer that finds its lock taken when it extends has lost what it read, too', async () => {
  const { write, read, usurper } = await usurped();

  expect(await rejection(write.extend(60_000))).toBeInstanceOf(LeaseLostError);

  expect([read.isHeld, write.isHeld]).toEqual([false, false]);
  await usurper.release();
});

test('a writer that cannot read beside has lost its lock', async () => {
  const { mine, write, read, usurper } = await usurped();

  expect(await rejection(mine.readLock.acquire({ within: write }))).toBeInstanceOf(LeaseLostError);

  expect([write.state, read.state]).toEqual(['lost', 'lost']);
  await usurper.release();
});

test('two thousand branches of one reader go in and out with small commands', async () => {
  const { readLock } = client().getReadWriteLock(name());
  const view = new RwView(raw, readLock.name);
  let most = 0;

  await readLock.using(async () => {
    const branches = Array.from({ length: 2_000 }, async () => {
      await readLock.using(async () => {
        most = Math.max(most, Number(Object.values(await view.fields())[1]));
      });
    });
    await Promise.all(branches);
  });

  expect(most).toBeGreaterThan(1);
  expect(await view.fields()).toEqual({});
  expect(await view.holdKeys()).toEqual([]);
}, 20_000);
