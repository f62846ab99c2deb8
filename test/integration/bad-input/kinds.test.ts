// A name stands for one kind of object: calls of any other kind are refused, and change nothing.

import { describe, expect, test } from 'vitest';
import { WrongTypeError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder } from '../../support/redis.js';
import { allLasting, exclusiveLocks } from '../../support/kinds/kinds.js';
import { objectKinds, pairs, toldApart, type ObjectKind } from '../../support/kinds/objects.js';

// What a test puts in the way of an object stays as well.
const { client, name, raw } = fixture('bad-kinds', allLasting);

type Occupant = readonly [what: string, put: (key: string) => Promise<unknown>];

const ofOtherTypes: readonly Occupant[] = [
  ['a list', async (key) => await raw.rpush(key, 'a', 'b')],
  ['a set', async (key) => await raw.sadd(key, 'a')],
  ['a sorted set', async (key) => await raw.zadd(key, 1, 'a')],
];

const holders: Occupant = ['a hash', async (key) => await raw.hset(key, 'somebody:1', 1)];

const mode: Occupant = [
  'a hash with a mode',
  async (key) =>
    await raw.multi().hset(key, 'mode', 'read', 'somebody:1', 1).pexpire(key, 60_000).exec(),
];

const text: Occupant = ['a string that is no count', async (key) => await raw.set(key, 'text')];

const occupants: Record<ObjectKind['layout'], readonly Occupant[]> = {
  'hash of holders': [...ofOtherTypes, text, mode],
  'hash with a mode': [...ofOtherTypes, text, holders],
  count: [...ofOtherTypes, text, holders, mode],
};

/** Every method of a kind refuses the name, and leaves what is there as it is. */
async function expectRefused(kind: ObjectKind, own: ReturnType<typeof client>, object: string) {
  const before = await raw.dumpBuffer(object);

  for (const call of kind.calls(own, object)) {
    const error = await rejection(call());
    expect(error, String(call)).toBeInstanceOf(WrongTypeError);
    expect(error).toMatchObject({ code: 'ERR_WRONG_TYPE', resource: object });
    expect((error as Error).message).toContain(JSON.stringify(object));
  }

  expect(await raw.dumpBuffer(object)).toEqual(before);
}

describe.each(objectKinds)('a name that is no $id', (kind) => {
  test.each(occupants[kind.layout])('but %s is refused, and left alone', async (_, put) => {
    const object = name();
    await put(object);

    await expectRefused(kind, client(), object);
  });
});

test.each(toldApart)(
  'a $is.id of another client is refused as a $other.id, and left alone',
  async ({ is, other }) => {
    const object = name();
    const taken = await is.take(client(), object);

    await expectRefused(other, client(), object);

    await taken.remove();
  },
);

/** What is held is in use, but for the permits of a counting semaphore, which have no owner. */
const inUse = pairs.filter(
  ({ is, other }) =>
    is.layout !== other.layout || !['semaphore', 'count-down-latch'].includes(is.id),
);

test.each(inUse)(
  'a $is.id that this client uses is refused as a $other.id until it is gone',
  async ({ is, other }) => {
    const [object, own] = [name(), client()];
    const taken = await is.take(own, object);

    await expectRefused(other, own, object);
    await taken.remove();
    const again = await other.take(own, object);

    await again.remove();
  },
);

test.each(pairs)(
  'a $is.id that this client waits for is refused as a $other.id',
  async ({ is, other }) => {
    const [object, own] = [name(), client()];
    const taken = await is.take(client(), object);
    const waiting = is.wait(own, object);
    await eventually(async () => (await channelsUnder(object, raw)).length > 0);

    // Those who wait write to the server, but never to the object.
    await expectRefused(other, own, object);
    await taken.free();

    await waiting;
    await taken.remove();
  },
);

test.each(exclusiveLocks)(
  'the name of a $what is free for any kind after a loss and after a wait that failed',
  async (kind) => {
    const [object, own] = [name(), client()];
    const lock = kind.create(own, object);
    const hold = await lock.acquire({ leaseMs: 100 });
    await rejection(lock.acquire({ waitMs: 0 }));
    await eventually(() => hold.state === 'lost');

    const set = await eventually(async () => {
      return await own.getCountDownLatch(object).trySetCount(1);
    });

    expect(set).toBe(true);
  },
);
