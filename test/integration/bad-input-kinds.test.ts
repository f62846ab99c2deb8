import { describe, expect, test } from 'vitest';
import { WrongTypeError, type Client, type Lock } from '../../src/index.js';
import { lockFaces, type LockUnderTest } from '../contract/faces.js';
import { fixture, rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { channelsUnder } from '../support/redis.js';

const { client, name, raw } = fixture('bad-kinds', [
  /^redisson_lock_token:/,
  // What a test puts in the way of an object.
  /^latchkey-test:/,
]);

/** Other objects and foreign data, each written under the key given. */
const occupants: [string, (key: string) => Promise<unknown>][] = [
  ['a string', async (key) => await raw.set(key, 'text')],
  ['a list', async (key) => await raw.rpush(key, 'a', 'b')],
  ['a set', async (key) => await raw.sadd(key, 'a')],
  ['a sorted set', async (key) => await raw.zadd(key, 1, 'a')],
];

const readWriteLock: (typeof occupants)[number] = [
  'a read-write lock',
  async (key) =>
    await raw.multi().hset(key, 'mode', 'read', 'somebody:1', 1).pexpire(key, 60_000).exec(),
];

const hash: (typeof occupants)[number] = [
  'a hash',
  async (key) => await raw.hset(key, 'somebody:1', 1),
];

const words: (typeof occupants)[number] = [
  'a string that is no count',
  async (key) => await raw.set(key, 'no number'),
];

function lockCalls(lock: Lock): Promise<unknown>[] {
  return [
    rejection(lock.acquire()),
    rejection(lock.acquire({ waitMs: 5_000, leaseMs: 1_000 })),
    rejection(lock.tryAcquire()),
    rejection(lock.using(() => 'never')),
    rejection(lock.isLocked()),
    rejection(lock.holders()),
    rejection(lock.remainingLeaseMs()),
    rejection(lock.forceRelease()),
  ];
}

function latchCalls(own: Client, object: string): Promise<unknown>[] {
  const latch = own.getCountDownLatch(object);
  return [
    rejection(latch.trySetCount(1)),
    rejection(latch.countDown()),
    rejection(latch.count()),
    rejection(latch.wait()),
    rejection(latch.wait({ waitMs: 0 })),
    rejection(latch.delete()),
  ];
}

function expectRefused(errors: readonly unknown[], object: string): void {
  expect(errors.filter((error) => !(error instanceof WrongTypeError))).toEqual([]);
  for (const error of errors) {
    expect(error).toMatchObject({ code: 'ERR_WRONG_TYPE', resource: object });
    expect((error as Error).message).toContain(JSON.stringify(object));
  }
}

describe.each(lockFaces)('a name that is no $name', (face: LockUnderTest) => {
  test.each([...occupants, readWriteLock])('but %s is refused, and left alone', async (_, put) => {
    const object = name();
    await put(object);
    const before = await raw.dumpBuffer(object);

    const errors = await Promise.all(lockCalls(face.create(client(), object)));

    expectRefused(errors, object);
    expect(await raw.dumpBuffer(object)).toEqual(before);
  });

  test('but a latch of another client is refused', async () => {
    const object = name();
    await client().getCountDownLatch(object).trySetCount(3);

    const errors = await Promise.all(lockCalls(face.create(client(), object)));

    expectRefused(errors, object);
    expect(await raw.get(object)).toBe('3');
  });

  test('is refused to other kinds of this client as long as it is held', async () => {
    const [own, object] = [client(), name()];
    const others = lockFaces.filter((other) => other !== face);
    const hold = await face.create(own, object).acquire();

    const errors = await Promise.all([
      ...others.flatMap((other) => lockCalls(other.create(own, object))),
      ...latchCalls(own, object),
    ]);

    expectRefused(errors, object);
    expect(hold.isHeld).toBe(true);
    await hold.release();
    for (const other of others) {
      await using free = await other.create(own, object).tryAcquire();
      expect(free).not.toBeNull();
    }
  });

  test('cannot be forced free as another kind by the client that holds it', async () => {
    const [own, object] = [client(), name()];
    const hold = await face.create(own, object).acquire();

    for (const other of lockFaces.filter((each) => each !== face)) {
      const error = await rejection(other.create(own, object).forceRelease());
      expect(error).toBeInstanceOf(WrongTypeError);
    }

    expect(await raw.hget(object, hold.holderId)).toBe('1');
    await hold.release();
  });

  test('is refused to other kinds of this client while somebody waits for it', async () => {
    const [own, object] = [client(), name()];
    const holder = await face.create(client(), object).acquire();
    const waiting = face.create(own, object).acquire();
    await eventually(async () => (await channelsUnder(object, raw)).length > 0);

    const errors = await Promise.all([
      ...lockFaces
        .filter((other) => other !== face)
        .map(async (other) => await rejection(other.create(own, object).acquire())),
      ...latchCalls(own, object),
    ]);

    expectRefused(errors, object);
    await holder.release();
    await (await waiting).release();
  });

  test('is free for any kind after the loss and after a wait that failed', async () => {
    const [own, object] = [client(), name()];
    const lock = face.create(own, object);
    const hold = await lock.acquire({ leaseMs: 100 });
    await rejection(lock.acquire({ waitMs: 0 }));
    await eventually(() => hold.state === 'lost');

    const set = await eventually(async () => {
      return await own.getCountDownLatch(object).trySetCount(1);
    });

    expect(set).toBe(true);
  });
});

describe('a name that is no latch', () => {
  test.each([...occupants.slice(1), hash, words])(
    'but %s is refused, and left alone',
    async (_, put) => {
      const object = name();
      await put(object);
      const before = await raw.dumpBuffer(object);

      const errors = await Promise.all(latchCalls(client(), object));

      expectRefused(errors, object);
      expect(await raw.dumpBuffer(object)).toEqual(before);
    },
  );

  test('but a lock of another client is refused', async () => {
    const object = name();
    const hold = await client().getLock(object).acquire();

    const errors = await Promise.all(latchCalls(client(), object));

    expectRefused(errors, object);
    expect(hold.isHeld).toBe(true);
    await hold.release();
  });

  test('is refused to locks of this client while somebody waits for it', async () => {
    const [own, object] = [client(), name()];
    const latch = own.getCountDownLatch(object);
    await latch.trySetCount(1);
    const waiting = latch.wait();

    const errors = await Promise.all(
      lockFaces.map(async (face) => await rejection(face.create(own, object).acquire())),
    );
    await latch.countDown();

    expectRefused(errors, object);
    expect(await waiting).toBe(true);
  });
});
