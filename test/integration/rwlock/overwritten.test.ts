// Something else is written over a read-write lock that many wait for.

import { expect, test } from 'vitest';
import { WrongTypeError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { keysUnder } from '../../support/redis.js';
import { RwView } from './rwlock.js';

const { client, name, raw } = fixture('rwlock-overwritten');

test('waiting readers are all told, and nothing is cleaned up that never was', async () => {
  const view = new RwView(raw, name());
  await client().getReadWriteLock(view.name).writeLock.acquire({ leaseMs: 60_000 });
  const mine = client();
  const errors: Error[] = [];
  mine.on('error', ({ error }) => errors.push(error));
  const { readLock } = mine.getReadWriteLock(view.name);
  const waiting = Array.from({ length: 50 }, () => rejection(readLock.acquire()));
  await eventually(async () => expect(await raw.zcard(view.waiting)).toBe(1));

  await raw.set(view.name, 'something else');
  const told = await Promise.all(waiting);

  expect(told.every((error) => error instanceof WrongTypeError)).toBe(true);
  const burnt = (await keysUnder(view.name, raw)).filter(
    (key) => key.includes('_cancelled:') && key.includes(mine.id),
  );
  expect([errors.length, burnt]).toEqual([0, []]);
  await raw.del(view.name);
});
