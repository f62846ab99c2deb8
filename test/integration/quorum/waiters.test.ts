// How many may wait for the same names in one client of a quorum.

import { expect, test } from 'vitest';
import { TooManyWaitersError } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-waiters');

test('who would be one waiter too many for the same names is refused', async () => {
  const [other, client] = [stage.client(), stage.client({ maxWaiters: 1 })];
  const name = stage.name();
  const [lock, both] = [client.getLock(name), client.getMultiLock([name, stage.name()])];
  const hold = await other.getLock(name).acquire();
  const waiting = [lock, both].map(async (each) => await each.using(() => 'in'));

  for (const each of [lock, both]) {
    const refused = { code: 'ERR_TOO_MANY_WAITERS', resource: each.name, waiters: 1 };
    await eventually(async () => {
      const error: unknown = await each.acquire({ waitMs: 50 }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(refused);
    });
    expect(await each.tryAcquire({ waitMs: 5_000 })).toBeNull();
  }
  await hold.release();

  expect(await Promise.all(waiting)).toEqual(['in', 'in']);
});

test('behind a hold of the same client waiters are counted, and re-entries are not', async () => {
  const lock = stage.client({ maxWaiters: 1 }).getLock(stage.name());
  const hold = await lock.acquire();
  const waiting = lock.using(() => 'in');

  await expect(lock.acquire()).rejects.toThrow(TooManyWaitersError);
  const inner = await hold.run(async () => await lock.acquire());
  await inner.release();
  await hold.release();

  expect(await waiting).toBe('in');
  const all = Array.from({ length: 10 }, async () => await lock.using(() => 'in'));
  expect(new Set(await Promise.all(all))).toEqual(new Set(['in']));
});
