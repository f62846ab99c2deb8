// A bound on one side of a read-write lock is one of its whole holder.

import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { fixture } from '../../contract/fixture.js';
import { RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-bounds');

const free = async (lockName: string): Promise<void> => {
  await eventually(async () => expect(await new RwView(raw, lockName).fields()).toEqual({}));
};

test('a reader inside a writer ends with the bound of the writer', async () => {
  const lock = client().getReadWriteLock(name());
  const write = await lock.writeLock.acquire({ maxHoldMs: 400 });
  const read = await lock.readLock.acquire({ within: write });

  await eventually(() => write.state === 'lost' && read.state === 'lost');

  expect(read.signal.reason).toMatchObject({ reason: 'expired' });
  await free(lock.name);
});

test('a writer ends with the bound of a reader inside it', async () => {
  const lock = client().getReadWriteLock(name());
  const write = await lock.writeLock.acquire();
  const read = await lock.readLock.acquire({ within: write, maxHoldMs: 400 });

  await eventually(() => write.state === 'lost' && read.state === 'lost');

  expect(write.signal.reason).toMatchObject({ reason: 'expired' });
  await free(lock.name);
});

test('a reader that stays when its writer has released has no bound any more', async () => {
  const lock = client().getReadWriteLock(name());
  const from = performance.now();
  const write = await lock.writeLock.acquire({ maxHoldMs: 400 });
  await using read = await lock.readLock.acquire({ within: write });

  await write.release();
  await eventually(() => performance.now() - from > 600);

  expect([read.state, read.isHeld]).toEqual(['held', true]);
});
