// What a refused call says about a name: nothing that would stand in the way of its true kind.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, WrongTypeError, type CountDownLatch } from '../../src/index.js';
import { FOREIGNER, lockFaces } from '../contract/faces.js';
import { fixture, rejection } from '../contract/fixture.js';

const { client, name, raw } = fixture('refused', [/^redisson_lock_token:/]);

const latchCalls: [string, (latch: CountDownLatch) => Promise<unknown>][] = [
  ['count()', async (latch) => await latch.count()],
  ['countDown()', async (latch) => await latch.countDown()],
  ['trySetCount()', async (latch) => await latch.trySetCount(1)],
  ['delete()', async (latch) => await latch.delete()],
  ['wait()', async (latch) => await latch.wait()],
  ['wait({ waitMs: 0 })', async (latch) => await latch.wait({ waitMs: 0 })],
];

describe.each(lockFaces)('a name that is a $name', (face) => {
  test.each(latchCalls)('can be used as one after a refused %s', async (_, call) => {
    const [object, own] = [name(), client()];
    const lock = face.create(own, object);
    const theirs = await face.create(client(), object).acquire();

    const refused = await rejection(call(own.getCountDownLatch(object)));
    const busy = await lock.tryAcquire();
    await theirs.release();
    const hold = await lock.tryAcquire();

    expect(refused).toBeInstanceOf(WrongTypeError);
    expect(busy).toBeNull();
    expect(hold?.isHeld).toBe(true);
    await hold?.release();
  });

  test('a re-entry that finds somebody else there says that it was taken', async () => {
    const [object, own] = [name(), client()];
    const lock = face.create(own, object);
    const hold = await lock.acquire();
    await face.usurp(raw, object, FOREIGNER, 500);

    const error = await hold.run(async () => await rejection(lock.acquire()));

    expect(error).toBeInstanceOf(LeaseLostError);
    expect(error).toMatchObject({ reason: 'taken' });
    expect(hold.signal.reason).toBe(error);
  });

  test('a re-entry that finds nobody there says that it was deleted', async () => {
    const [object, own] = [name(), client()];
    const lock = face.create(own, object);
    const hold = await lock.acquire();
    await face.erase(raw, object);

    const error = await hold.run(async () => await rejection(lock.acquire()));

    expect(error).toBeInstanceOf(LeaseLostError);
    expect(error).toMatchObject({ reason: 'deleted' });
  });
});

test('a name that is a latch can be used as one after a refused lock call', async () => {
  const [object, own] = [name(), client()];
  await client().getCountDownLatch(object).trySetCount(1);

  const refused = await rejection(own.getLock(object).tryAcquire());
  await own.getCountDownLatch(object).countDown();

  expect(refused).toBeInstanceOf(WrongTypeError);
  expect(await raw.exists(object)).toBe(0);
});
