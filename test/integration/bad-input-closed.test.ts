import { describe, expect, test } from 'vitest';
import { ClosedError, NotHeldError } from '../../src/index.js';
import { lockFaces, type LockUnderTest } from '../contract/faces.js';
import { fixture, rejection } from '../contract/fixture.js';

describe.each(lockFaces)('after close: $name', (face: LockUnderTest) => {
  const { client, name } = fixture('bad-closed', face.lasting);

  test('every method rejects with ClosedError', async () => {
    const [own, object] = [client(), name()];
    const lock = face.create(own, object);
    await (await lock.acquire()).release();
    await own.close();

    const errors = await Promise.all([
      rejection(lock.acquire()),
      rejection(lock.acquire({ waitMs: 0 })),
      rejection(lock.tryAcquire()),
      rejection(lock.tryAcquire({ waitMs: 1_000, leaseMs: 1_000 })),
      rejection(lock.using(() => 'never')),
      rejection(lock.isLocked()),
      rejection(lock.holders()),
      rejection(lock.holdCount()),
      rejection(lock.remainingLeaseMs()),
      rejection(lock.forceRelease()),
    ]);

    expect(errors.filter((error) => !(error instanceof ClosedError))).toEqual([]);
    expect(errors[0]).toMatchObject({ code: 'ERR_CLOSED', name: 'ClosedError', resource: object });
  });

  test('holds are released, not held at once, and do nothing more', async () => {
    const [own, object] = [client(), name()];
    const other = face.create(client(), object);
    const lost: unknown[] = [];
    own.on('lost', (event) => lost.push(event));
    const outer = await face.create(own, object).acquire();
    const inner = await face.create(own, object).acquire({ within: outer });

    const closing = own.close();
    const atOnce = [outer.isHeld, inner.isHeld, outer.state, inner.state];
    await closing;

    expect(atOnce).toEqual([false, false, 'released', 'released']);
    expect([outer.signal.aborted, lost]).toEqual([false, []]);
    await outer.release();
    await inner[Symbol.asyncDispose]();
    expect(await rejection(outer.extend(1_000))).toBeInstanceOf(NotHeldError);
    expect(await rejection(inner.run(() => 'never'))).toBeInstanceOf(NotHeldError);
    await using next = await other.tryAcquire();
    expect(next).not.toBeNull();
  });

  test('bad arguments are refused as such, also then', async () => {
    const own = client();
    const lock = face.create(own, name());
    await own.close();

    expect(await rejection(lock.acquire({ waitMs: -1 }))).toBeInstanceOf(RangeError);
  });
});

describe('after close: latch', () => {
  const { client, name } = fixture('bad-closed-latch');

  test('every method rejects with ClosedError', async () => {
    const [own, object] = [client(), name()];
    const latch = own.getCountDownLatch(object);
    await own.close();

    const errors = await Promise.all([
      rejection(latch.trySetCount(1)),
      rejection(latch.countDown()),
      rejection(latch.count()),
      rejection(latch.wait()),
      rejection(latch.wait({ waitMs: 0 })),
      rejection(latch.delete()),
    ]);

    expect(errors.filter((error) => !(error instanceof ClosedError))).toEqual([]);
    expect(errors[0]).toMatchObject({ code: 'ERR_CLOSED', resource: object });
  });
});
