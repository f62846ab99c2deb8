// What cannot be detached or adopted, and what is done with a hold while it is detached.

import { afterAll, describe, expect, test } from 'vitest';
import { detachedString, type Detached } from '../../../src/core/grant/detached.js';
import { ClosedError, WrongTypeError, type Hold } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { messagesOn } from '../../support/messages.js';
import { startProxy } from '../../support/proxy.js';
import { quorumOfFile } from '../../support/quorum.js';
import { rawClient, redisUrl } from '../../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';
import { badIntegers, expectInteger, INT32_MAX } from '../bad-input/bad-input.js';

const scope = testScope('undetached');
const raw = rawClient();
const stage = await quorumOfFile('undetached-quorum');

afterAll(async () => {
  await expectNoResidue(scope.prefix, {
    allow: [/^redlatch_(?:cancelled|requests|tickets|beats|opened):/],
  });
  await expectNoChannels(scope.prefix);
});

const rejection = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    (value) => expect.unreachable(`resolved with ${String(value)}`),
    (error: unknown) => error,
  );

/** It cannot be detached, and stays what it was. */
async function expectAttached(hold: Hold, why: string): Promise<void> {
  const error = await rejection(hold.detach());
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toMatch(why);
  expect([hold.state, hold.isHeld]).toEqual(['held', true]);
}

describe('cannot be detached:', () => {
  test('the hold of a read lock', async () => {
    const hold = await scope.client().getReadWriteLock(scope.name()).readLock.acquire();
    await expectAttached(hold, 'it is a read-lock');
    await hold.release();
  });

  test('the hold of a multi-lock', async () => {
    const hold = await scope.client().getMultiLock([scope.name(), scope.name()]).acquire();
    await expectAttached(hold, 'the hold of a multi-lock');
    await hold.release();
  });

  test('the hold of a quorum', async () => {
    const hold = await stage.client().getLock(stage.name()).acquire();
    await expectAttached(hold, 'the hold of a quorum');
    await hold.release();
  });

  test('a hold that is re-entered, until it is left again, and the re-entry', async () => {
    const [client, other] = [scope.client(), scope.client()];
    const lock = client.getLock(scope.name());
    const outer = await lock.acquire();
    const inner = await lock.acquire({ within: outer });

    await expectAttached(outer, 'it was re-entered');
    await expectAttached(inner, 'it was re-entered');
    await inner.release();
    const adopted = await other.adopt(await outer.detach());

    expect((adopted as Hold).depth).toBe(1);
    expect(await raw.hgetall(lock.name)).toEqual({ [(adopted as Hold).holderId]: '1' });
    await adopted.release();
  });

  test('a hold whose re-entry begins while it is detached, and stays held', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const client = scope.client({ redis: proxy.url });
    const lock = client.getLock(scope.name());
    const outer = await lock.acquire();
    proxy.pauseDownstream();

    const detaching = rejection(outer.detach());
    const entering = lock.acquire({ within: outer });
    proxy.resumeDownstream();

    expect(await detaching).toBeInstanceOf(TypeError);
    const inner = await entering;
    expect([outer.isHeld, inner.isHeld]).toEqual([true, true]);
    await inner.release();
    await outer.release();
    expect(await raw.exists(lock.name)).toBe(0);
  });

  test('a write hold with a read hold inside, until that is released', async () => {
    const [client, other] = [scope.client(), scope.client()];
    const { readLock, writeLock } = client.getReadWriteLock(scope.name());
    const write = await writeLock.acquire();
    const read = await readLock.acquire({ within: write });

    await expectAttached(write, 'a read lock is held inside it');
    await read.release();

    await (await other.adopt(await write.detach())).release();
    expect(await raw.exists(writeLock.name)).toBe(0);
  });
});

test('using() leaves a hold alone that its task has detached', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const lock = client.getLock(scope.name());

  const detached = await lock.using(async (hold) => {
    const string = await hold.detach();
    // Its scope is over: this is somebody else.
    expect(await lock.tryAcquire()).toBeNull();
    expect(await lock.holdCount()).toBe(0);
    return string;
  });

  expect(await raw.exists(lock.name)).toBe(1);
  const adopted = await other.adopt(detached);
  await (adopted as Hold).run(async () => {
    // The adopter's scope is one like any other.
    const inner = await other.getLock(lock.name).acquire();
    expect(inner.depth).toBe(2);
    await inner.release();
  });
  await adopted.release();
  expect(await raw.exists(lock.name)).toBe(0);
});

test('those to whom a fair lock was passed on leave its queue when it is detached', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const lock = client.getFairLock(scope.name());
  const queue = `redisson_lock_queue:{${lock.name}}`;
  const first = await lock.acquire();
  const second = lock.acquire();
  const third = lock.acquire();
  await eventually(async () => (await raw.llen(queue)) === 2);
  // The second is granted it by the server, and passes it on to the third.
  await first.release();
  await (await second).release();
  const hold = await third;
  const told = await messagesOn([`redlatch:${client.id}`]);

  const adopted = await other.adopt(await hold.detach());
  await eventually(async () => (await raw.llen(queue)) === 0);
  await adopted.release();

  expect(told.filter((message) => message.startsWith('f'))).toEqual([]);
  expect(await raw.exists(lock.name)).toBe(0);
});

const ours: Detached = {
  kind: 'lock',
  name: 'jobs',
  key: 'jobs',
  holderId: '00112233-4455-4677-8899-aabbccddeeff:7',
  fencingToken: undefined,
  boundMs: undefined,
};
const encode = (value: unknown): string =>
  `redlatch-hold:1:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
const { holderId: id, ...named } = ours;
const fields = { kind: named.kind, name: named.name, key: named.key, id };

describe('adopt refuses', () => {
  test.each([
    ['no string', 5, 'a string that detach() gave, got 5'],
    ['nothing', undefined, 'a string that detach() gave, got undefined'],
    ['another string', 'secret-of-somebody', 'a string of 18 characters that it did not give'],
    ['a string of a later version', 'redlatch-hold:2:e30', 'got one of version 2'],
    ['no JSON', 'redlatch-hold:1:aaaa', 'a string of 20 characters'],
    ['null', encode(null), 'characters that it did not give'],
    ['another kind', encode({ ...fields, kind: 'read-lock' }), 'characters that it did not give'],
    ['no name', encode({ ...fields, name: 5 }), 'characters that it did not give'],
    ['another id', encode({ ...fields, id: 'x:1' }), 'characters that it did not give'],
    ['no bound', encode({ ...fields, boundMs: 0 }), 'characters that it did not give'],
    ['a token too much', encode({ ...fields, token: '1' }), 'characters that it did not give'],
    [
      'a fenced lock without a token',
      encode({ ...fields, kind: 'fenced-lock' }),
      'characters that it did not give',
    ],
    ['another prefix', detachedString({ ...ours, key: 'a:jobs' }), 'the same keyPrefix'],
  ])('%s, and does not show it', async (_, value, message) => {
    const error = await rejection(scope.client().adopt(value as string));

    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('secret-of-somebody');
  });

  test('what it reads back is what was detached', () => {
    expect(encode(fields)).toBe(detachedString(ours));
  });

  test('a closed client, and a name that is in use by another kind of object', async () => {
    const [closed, client] = [scope.client(), scope.client()];
    await closed.close();
    const name = scope.name();
    const detached = detachedString({ ...ours, name, key: name });
    await using _latch = {
      [Symbol.asyncDispose]: async () => void (await raw.del(name)),
    };
    await client.getCountDownLatch(name).trySetCount(1);

    expect(await rejection(closed.adopt(detached))).toBeInstanceOf(ClosedError);
    expect(await rejection(client.adopt(detached))).toBeInstanceOf(WrongTypeError);
    expect(await rejection(scope.client().adopt(detached))).toBeInstanceOf(WrongTypeError);
  });

  test('leases and options that are none, as detach does', async () => {
    const client = scope.client();
    const hold = await client.getLock(scope.name()).acquire();
    const calls = [
      (options: object) => hold.detach(options),
      (options: object) => client.adopt(detachedString(ours), options),
    ];

    for (const call of calls) {
      for (const bad of badIntegers(1, INT32_MAX)) {
        const error = await rejection(call({ leaseMs: bad.value }));
        expectInteger(error, 'leaseMs', [1, INT32_MAX], bad);
      }
      for (const bad of [null, 5, 'x', { lease: 5 }, { waitMs: 5 }]) {
        expect(await rejection(call(bad as object))).toBeInstanceOf(TypeError);
      }
    }
    expect(hold.isHeld).toBe(true);
    await hold.release();
  });
});

test('an adoption under way when its client is closed is taken back', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const [old, other] = [scope.client(), scope.client({ redis: proxy.url })];
  const lock = old.getLock(scope.name());
  const hold = await lock.acquire();
  const detached = await hold.detach();
  await other.getLock(lock.name).isLocked();
  proxy.pauseDownstream();

  const adopting = rejection(other.adopt(detached));
  const closing = other.close();
  proxy.resumeDownstream();
  await closing;

  expect(await adopting).toBeInstanceOf(ClosedError);
  expect(await raw.hkeys(lock.name)).toEqual([hold.holderId]);
  await (await old.adopt(detached)).release();
});
