// Who gives up waiting for a read-write lock leaves nothing, and lets others in.

import { expect, test } from 'vitest';
import { AcquireTimeoutError, ClosedError, type Lock } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { keysUnder } from '../../support/redis.js';
import { BEAT_MS, RwView } from './rwlock.js';
import { randomFrom } from '../../../scripts/lib/random.mjs';
import { seed } from '../../support/seed.js';

const random = randomFrom(seed);

const { client, name, raw } = fixture('rwlock-leaving');
/** Clearly before anybody asks again of its own accord. */
const AT_ONCE_MS = BEAT_MS / 2;

function setUp() {
  const view = new RwView(raw, name());
  const [mine, theirs] = [client(), client()];
  const [own, other] = [mine.getReadWriteLock(view.name), theirs.getReadWriteLock(view.name)];
  return { mine, theirs, own, other, view };
}

/** Both lines are empty, and nobody is expected to beat. */
async function linesAreEmpty(view: RwView): Promise<void> {
  await eventually(async () => {
    expect(await raw.exists(view.writers, view.waiting, view.beats)).toBe(0);
  });
}

/** Acquires so many times, aborted at once, before an answer, or while it waits. */
async function acquireAndAbort(lock: Lock, times: number): Promise<unknown[]> {
  return await Promise.all(
    Array.from({ length: times }, async (_, i) => {
      const controller = new AbortController();
      const outcome = rejection(lock.acquire({ signal: controller.signal }));
      setTimeout(() => controller.abort(i), i % 2 === 0 ? 0 : random() * 200);
      return await outcome;
    }),
  );
}

test.each([
  ['reader', 'writeLock', 'readLock'],
  ['writer', 'readLock', 'writeLock'],
] as const)('a %s that runs out of time has left its line', async (_, held, wanted) => {
  const { own, other, view } = setUp();
  const hold = await own[held].acquire();

  const error = await rejection(other[wanted].acquire({ waitMs: 500 }));
  const answer = await other[wanted].tryAcquire({ waitMs: 500 });

  expect(error).toBeInstanceOf(AcquireTimeoutError);
  expect(answer).toBeNull();
  await linesAreEmpty(view);
  await hold.release();
  expect(await keysUnder(view.channel, raw)).toEqual([]);
});

test('asking once never stands in line', async () => {
  const { own, other, view } = setUp();
  const hold = await own.readLock.acquire();

  const refused = await other.writeLock.tryAcquire();
  const reading = await other.readLock.tryAcquire();

  expect(refused).toBeNull();
  expect(reading?.isHeld).toBe(true);
  await linesAreEmpty(view);
  await reading?.release();
  await hold.release();
});

test('a client that closes while its writer waits lets readers in at once', async () => {
  const { own, theirs, other, view } = setUp();
  const reading = await own.readLock.acquire();
  const writes = rejection(other.writeLock.acquire());
  await view.writersWait(1);
  const reads = own.readLock.acquire();
  await view.readersWait(1);

  const start = performance.now();
  await theirs.close();
  const second = await reads;

  expect(await writes).toBeInstanceOf(ClosedError);
  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  await linesAreEmpty(view);
  await second.release();
  await reading.release();
});

test('a client that closes while its readers wait keeps no writer out', async () => {
  const { own, theirs, other, view } = setUp();
  const writing = await own.writeLock.acquire();
  const reads = [1, 2, 3].map(async () => await rejection(other.readLock.acquire()));
  await view.readersWait(1);

  await theirs.close();
  const errors = await Promise.all(reads);
  await linesAreEmpty(view);
  await writing.release();
  const next = await own.writeLock.tryAcquire();

  expect(errors.every((error) => error instanceof ClosedError)).toBe(true);
  expect(next?.isHeld).toBe(true);
  await next?.release();
});

test('a client that closes releases what it holds on both sides', async () => {
  const { theirs, other, own, view } = setUp();
  const writing = await other.writeLock.acquire();
  const reading = await other.readLock.acquire({ within: writing });
  const more = await other.readLock.acquire({ within: reading });

  await theirs.close();

  expect([writing, reading, more].map(({ isHeld }) => isHeld)).toEqual([false, false, false]);
  expect(await raw.exists(view.name, view.readers)).toBe(0);
  expect(await view.holdKeys()).toEqual([]);
  await own.writeLock.using(() => undefined);
});

test('of waiting readers one that leaves takes nobody’s place with it', async () => {
  const { own, other, view } = setUp();
  const writing = await own.writeLock.acquire();
  const controller = new AbortController();
  const leaves = rejection(other.readLock.acquire({ signal: controller.signal }));
  const stays = other.readLock.acquire();
  await view.readersWait(1);

  controller.abort('enough');
  const reason = await leaves;
  const start = performance.now();
  await writing.release();
  const hold = await stays;

  expect(reason).toBe('enough');
  expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  await hold.release();
});

test('two thousand aborted readers leave nothing', async () => {
  const { own, other, view } = setUp();
  const writing = await own.writeLock.acquire();

  const reasons = await acquireAndAbort(other.readLock, 2_000);

  expect(reasons).toEqual(reasons.map((_, i) => i));
  await linesAreEmpty(view);
  expect(await view.fields()).toEqual({ mode: 'write', [`${writing.holderId}:write`]: '1' });
  expect(await view.holdKeys()).toEqual([]);
  await writing.release();
  await other.writeLock.using(() => undefined);
});

test('five hundred aborted writers leave nothing', async () => {
  const { own, other, view } = setUp();
  const reading = await own.readLock.acquire();

  const reasons = await acquireAndAbort(other.writeLock, 500);

  expect(reasons).toEqual(reasons.map((_, i) => i));
  await linesAreEmpty(view);
  expect(Object.keys(await view.fields())).toEqual(['mode', reading.holderId]);
  const second = await own.readLock.tryAcquire();
  expect(second?.isHeld).toBe(true);
  await second?.release();
  await reading.release();
});

test('aborts that race with a grant leave either a hold or nothing', async () => {
  const { own, other, view } = setUp();
  let held = 0;
  let waitedMs = 0;

  for (let round = 0; round < 40; round += 1) {
    const start = performance.now();
    const writing = await own.writeLock.acquire();
    waitedMs = Math.max(waitedMs, performance.now() - start);
    const controller = new AbortController();
    const { signal } = controller;
    const waits = [other.readLock, other.readLock, other.writeLock].map(
      async (lock) => await lock.acquire({ signal }).catch(() => undefined),
    );
    setTimeout(() => controller.abort(), random() * 4);
    await new Promise((resolve) => {
      setTimeout(resolve, random() * 3);
    });
    await writing.release();
    await Promise.all(
      waits.map(async (wait) => {
        const hold = await wait;
        held += hold?.isHeld === true ? 1 : 0;
        await hold?.release();
      }),
    );
  }

  expect(waitedMs).toBeLessThan(AT_ONCE_MS);
  expect(held).toBeLessThan(120);
  await linesAreEmpty(view);
  await eventually(async () => (await raw.exists(view.name, view.readers)) === 0);
  expect(await view.holdKeys()).toEqual([]);
});

test('a reader does not wait for a writer that came after it, when the writer before it gives up', async () => {
  const { own, other, view } = setUp();
  const reading = await own.readLock.acquire();
  const abort = new AbortController();
  const first = rejection(other.writeLock.acquire({ signal: abort.signal }));
  await eventually(async () => (await raw.zcard(view.writers)) === 1);
  const reader = own.readLock.acquire();
  await eventually(async () => (await raw.zcard(view.waiting)) === 1);
  const second = other.writeLock.acquire();

  abort.abort(new Error('given up'));
  await first;
  const next = await reader;

  expect([reading.isHeld, next.isHeld]).toEqual([true, true]);
  await Promise.all([reading.release(), next.release()]);
  await (await second).release();
});
