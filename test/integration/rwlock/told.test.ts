import { expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder } from '../../support/redis.js';

const { client, name } = fixture('told');

test('a forced release of a read lock is told at once to the readers of all clients', async () => {
  const object = name();
  const readers = Array.from({ length: 4 }, () => client({ leaseMs: 60_000 }));
  const holds = await Promise.all(
    [...readers, ...readers].map(
      async (reader) => await reader.getReadWriteLock(object).readLock.acquire(),
    ),
  );

  for (const { id } of readers) {
    await eventually(async () => (await channelsUnder(`redlatch:${id}`)).length === 1);
  }

  await client().getReadWriteLock(object).readLock.forceRelease();

  // The next renewal would be 20 s later.
  await eventually(() => holds.every(({ state }) => state === 'lost'));
  expect(holds[0]?.signal.reason).toMatchObject({ reason: 'deleted' });
});

test('a writer that reads loses both sides at once when it is forced out', async () => {
  const lock = client({ leaseMs: 60_000 }).getReadWriteLock(name());
  const write = await lock.writeLock.acquire();
  const read = await write.run(async () => await lock.readLock.acquire());

  await client().getReadWriteLock(lock.name).writeLock.forceRelease();

  await eventually(() => write.state === 'lost' && read.state === 'lost');
});
