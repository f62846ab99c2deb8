// The stack of what a call rejects with ends in the code that has called.

import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failing } from '../../src/core/base/failing.js';
import { AcquireTimeoutError, ClosedError, WrongTypeError } from '../../src/index.js';
import { kinds, lockKinds } from '../support/kinds/kinds.js';
import { quorumLocks } from '../support/kinds/quorum.js';
import { quorumOfFile } from '../support/quorum.js';
import { rawClient } from '../support/redis.js';
import {
  callerInThisFile,
  commandTimeoutMs,
  expectAllHome,
  expectHome,
  ofClient,
  ofExpirable,
  ofHold,
  ofLatch,
  ofLock,
  ofLockOutside,
  ofPermit,
  ofPermits,
  ofQuorumClient,
  ofSemaphore,
} from './stack-calls.js';
import { faultWorlds, type Finishing, type World } from './world.js';

const open = faultWorlds('stacks');
const quorumKinds = await quorumLocks();
const stage = await quorumOfFile('stacks-quorum');

let limit: number;
beforeAll(() => {
  limit = Error.stackTraceLimit;
  // The default of V8, whatever the runner has set.
  Error.stackTraceLimit = 10;
});
afterAll(() => {
  Error.stackTraceLimit = limit;
});

/** A client that gets no answers from when `mute` was called. */
async function muteable(context: Finishing): Promise<World & { readonly mute: () => void }> {
  const world = await open(context, { commandTimeoutMs });
  context.onTestFinished(() => world.proxy.resumeUpstream());
  return { ...world, mute: () => world.proxy.pauseUpstream() };
}

describe.each(lockKinds)('without an answer: $what', (kind) => {
  test('calls of the lock', async (context) => {
    const { client, name, mute } = await muteable(context);
    const lock = kind.create(client, name);
    mute();
    await expectAllHome(lock, ofLockOutside);
  });

  test('calls in its scope, and of its hold', async (context) => {
    const { client, name, mute } = await muteable(context);
    const lock = kind.create(client, name);
    const hold = await lock.acquire();
    mute();
    await hold.run(async () => {
      await expectHome('holdCount', () => lock.holdCount());
      await expectHome('re-entry', () => ofLock.acquire(lock));
    });
    await expectHome('extend', () => ofHold.extend(hold));
    if (!['read-lock', 'multi-lock'].includes(kind.id)) {
      await expectHome('detach', () => ofHold.detach(hold));
    }
    await expectHome('release', () => ofHold.release(hold));
    await expectHome('release again', () => ofHold.release(hold));
  });
});

test('without an answer: a permit-expirable semaphore and its permits', async (context) => {
  const { client, name, setPermits, mute } = await muteable(context);
  await setPermits(1);
  const semaphore = client.getPermitExpirableSemaphore(name);
  const permit = await semaphore.acquire();
  mute();
  await expectHome('extend', () => ofPermit.extend(permit));
  await expectHome('detach', () => ofPermit.detach(permit));
  await expectAllHome(semaphore, ofExpirable);
  await expectHome('release', () => ofPermit.release(permit));
});

test('without an answer: a semaphore and its permits', async (context) => {
  const { client, name, setPermits, mute } = await muteable(context);
  await setPermits(1);
  const semaphore = client.getSemaphore(name);
  const permits = await semaphore.acquire();
  mute();
  await expectHome('release', () => ofPermits.release(permits));
  await expectAllHome(semaphore, ofSemaphore);
});

test('without an answer: a latch, and what the server gives', async (context) => {
  const { client, name, mute } = await muteable(context);
  mute();
  await expectAllHome(client.getCountDownLatch(name), ofLatch);
  await expectAllHome(client, ofClient);
});

describe.each([...kinds, ...quorumKinds])('$what', (kind) => {
  const clients = async (context: Finishing): Promise<World> => {
    const world = await open(context);
    const { connect } = kind;
    if (kind.isSemaphore) {
      await world.setPermits(1);
    }
    if (connect === undefined) {
      return world;
    }
    const [client, other] = [connect({}), connect({})];
    context.onTestFinished(async () => {
      await Promise.all([client, other].map(async (each) => await each.close()));
    });
    return { ...world, client, other };
  };

  test('a wait whose time is up, or whose client is closed', async (context) => {
    const { client, other, name } = await clients(context);
    const object = kind.get(client, name);
    await using _rival = await kind.rival(other, name).acquire();

    const errors = await Promise.all([
      expectHome('acquire', () => object.acquire({ waitMs: 80 })),
      expectHome('acquire at once', () => object.acquire({ waitMs: 0 })),
      expectHome('using', () => object.using(() => {}, { waitMs: 80 })),
    ]);
    const waiting = expectHome('a wait', () => object.acquire());
    await client.close();
    errors.push(await waiting, await expectHome('too late', () => object.acquire()));

    expect(errors.map((error) => error.name)).toEqual([
      ...Array.from({ length: 3 }, () => AcquireTimeoutError.name),
      ...Array.from({ length: 2 }, () => ClosedError.name),
    ]);
  });

  test.skipIf(kind.connect !== undefined)('a name that is in use', async (context) => {
    const { client, name } = await open(context);
    const raw = rawClient();
    await raw.rpush(name, 'other');
    context.onTestFinished(async () => {
      await raw.del(name);
    });

    const error = await expectHome('tryAcquire', () => kind.get(client, name).tryAcquire());

    expect(error).toBeInstanceOf(WrongTypeError);
  });
});

test('a majority without an answer', async (context) => {
  const client = await stage.connected({ commandTimeoutMs });
  const [one, two] = [stage.name(), stage.name()];
  const locks = [client.getLock(one), client.getFencedLock(one), client.getMultiLock([one, two])];
  const held = await Promise.all(
    [client.getLock(`${one}-held`), client.getMultiLock([`${one}-too`, `${two}-too`])].map(
      async (lock) => await lock.acquire(),
    ),
  );
  context.onTestFinished(() => stage.servers.forEach((server) => server.resume()));

  stage.servers.slice(1).forEach((server) => server.pause());
  await Promise.all(locks.map(async (lock) => await expectAllHome(lock, ofLockOutside)));
  await Promise.all(
    held.map(async (hold) => await expectHome('extend', () => ofHold.extend(hold))),
  );
  await Promise.all(
    held.map(async (hold) => await expectHome('release', () => ofHold.release(hold))),
  );
  await expectAllHome(client, ofQuorumClient);
});

test('a reason to abort, and the error of a task, keep their stacks', async (context) => {
  const { client, other, name } = await open(context);
  const lock = client.getLock(name);
  const rival = await other.getLock(name).acquire();
  const own = await lock.acquire({ waitMs: 20 }).catch((error: unknown) => error as Error);
  const { stack } = own as Error;
  const fresh = new AcquireTimeoutError('of the program');
  const before = fresh.stack;

  const call = (): Promise<unknown> => lock.acquire({ signal: AbortSignal.abort(own) });
  expect(await callerInThisFile(call).catch((error: unknown) => error)).toBe(own);
  const abort = new AbortController();
  const waiting = callerInThisFile(() => lock.acquire({ signal: abort.signal }));
  abort.abort(fresh);
  expect(await waiting.catch((error: unknown) => error)).toBe(fresh);
  await rival.release();
  const task = async (): Promise<never> => await Promise.reject(fresh);
  expect(await lock.using(task).catch((error: unknown) => error)).toBe(fresh);

  expect([(own as Error).stack, fresh.stack]).toEqual([stack, before]);
});

test('a loss is one object, which keeps the stack that was printed first', async (context) => {
  const { client, name, mute } = await muteable(context);
  const printed: unknown[] = [];
  client.on('lost', ({ error }) => printed.push(error.stack));
  const lock = client.getLock(name);
  const hold = await lock.acquire({ leaseMs: 300 });
  mute();

  const calls = [
    () => hold.run(async () => await lock.acquire()),
    () => hold.extend(1_000),
    () => hold.release(),
  ];
  for (const call of calls) {
    const error = await callerInThisFile(call).catch((thrown: unknown) => thrown);
    expect(error).toBe(hold.signal.reason);
  }

  expect(printed).toEqual([(hold.signal.reason as Error).stack]);
});

test('what is settled does not fail any more', async ({ onTestFinished }) => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));

  const settled = new Promise((resolve) => {
    resolve('done');
    resolve(failing(new AcquireTimeoutError('too late')));
    resolve(failing(new Error('too late')));
  });

  expect(await settled).toBe('done');
  await setImmediate();
  expect(unhandled).toEqual([]);
});
