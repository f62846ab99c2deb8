import { describe, expect, test } from 'vitest';
import type { Permits } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { INT32_MAX } from '../bad-input/bad-input.js';

const { client, name, raw } = fixture('semaphore', [/^redlatch-test:/]);

test('permits are taken, refused when there are too few, and given back', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(3);

  const two = await semaphore.acquire(2);
  const refused = await semaphore.tryAcquire(2);
  const one = await semaphore.tryAcquire();
  const left = await semaphore.availablePermits();
  await two.release();
  await one?.release();

  expect([two.count, refused, one?.count, left]).toEqual([2, null, 1, 0]);
  expect(await semaphore.availablePermits()).toBe(3);
});

test('permits are set only once', async () => {
  const semaphore = client().getSemaphore(name());

  const answers = [
    await semaphore.trySetPermits(0),
    await semaphore.trySetPermits(5),
    await semaphore.availablePermits(),
  ];

  expect(answers).toEqual([true, false, 0]);
});

test('a semaphore that was never set has no permits, and a release makes it', async () => {
  const semaphore = client().getSemaphore(name());

  const before = [await semaphore.availablePermits(), await semaphore.tryAcquire()];
  await semaphore.release(2);

  expect(before).toEqual([0, null]);
  expect(await raw.get(semaphore.name)).toBe('2');
});

test('releasing permits twice gives them back once', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(2);
  const permits = await semaphore.acquire(2);

  await Promise.all([permits.release(), permits.release()]);
  await permits[Symbol.asyncDispose]();

  expect(await semaphore.availablePermits()).toBe(2);
});

test('anybody may release, also what was never taken', async () => {
  const object = name();
  await client().getSemaphore(object).trySetPermits(1);

  await client().getSemaphore(object).release(4);

  expect(await raw.get(object)).toBe('5');
});

test('drain takes what is left, and nothing of a count at or below zero', async () => {
  const semaphore = client().getSemaphore(name());

  const absent = [await semaphore.drainPermits(), await raw.exists(semaphore.name)];
  await semaphore.trySetPermits(7);
  const drained = [await semaphore.drainPermits(), await semaphore.drainPermits()];
  await semaphore.addPermits(-3);
  const negative = await semaphore.drainPermits();

  expect([absent, drained, negative]).toEqual([[0, 0], [7, 0], 0]);
  expect(await semaphore.availablePermits()).toBe(-3);
});

test('after a shrink below zero releases have to make up for it', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(2);
  const taken = [await semaphore.acquire(), await semaphore.acquire()];
  await semaphore.addPermits(-2);
  const waiting = semaphore.acquire();
  const seen = [await semaphore.availablePermits()];

  for (const permits of taken) {
    await permits.release();
    seen.push(await semaphore.availablePermits());
  }
  const refused = await semaphore.tryAcquire();
  await semaphore.addPermits(1);
  await waiting;

  expect(seen).toEqual([-2, -1, 0]);
  expect(refused).toBeNull();
  expect(await semaphore.availablePermits()).toBe(0);
});

test('delete says whether there was one, and waiters go on until permits are set', async () => {
  const semaphore = client().getSemaphore(name());
  await semaphore.trySetPermits(1);
  await semaphore.acquire();
  const waiting = semaphore.acquire();

  const deleted = [await semaphore.delete(), await semaphore.delete()];
  await client().getSemaphore(semaphore.name).trySetPermits(1);
  const permits = await waiting;

  expect(deleted).toEqual([true, false]);
  await permits.release();
});

describe('using', () => {
  test('runs the task with its permits and gives them back', async () => {
    const semaphore = client().getSemaphore(name());
    await semaphore.trySetPermits(5);

    const inside = await semaphore.using(async () => await semaphore.availablePermits(), {
      permits: 3,
    });

    expect([inside, await semaphore.availablePermits()]).toEqual([2, 5]);
  });

  test('lets the error of the task win', async () => {
    const own = client();
    const semaphore = own.getSemaphore(name());
    await semaphore.trySetPermits(1);
    const errors: unknown[] = [];
    own.on('error', ({ error }) => errors.push(error));

    const error = await rejection(
      semaphore.using(async () => {
        // What it takes cannot be given back any more.
        await semaphore.addPermits(INT32_MAX);
        throw new Error('of the task');
      }),
    );

    expect(error).toMatchObject({ message: 'of the task' });
    expect(errors).toMatchObject([expect.any(RangeError)]);
  });

  test('waits no longer than it may', async () => {
    const semaphore = client().getSemaphore(name());
    await semaphore.trySetPermits(0);

    const error = await rejection(semaphore.using(() => 'never', { waitMs: 300 }));

    expect(error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT', resource: semaphore.name });
  });
});

describe('the count stays within 32 bits', () => {
  test('a release beyond it is refused, and changes nothing', async () => {
    const semaphore = client().getSemaphore(name());
    await semaphore.trySetPermits(INT32_MAX - 2);

    const error = await rejection(semaphore.release(3));
    await semaphore.release(2);

    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toContain('permits must be an integer from 1 to 2 while');
    expect(String(error)).toContain('got 3');
    expect(await raw.get(semaphore.name)).toBe(String(INT32_MAX));
  });

  test('so is adding too many, or taking too many away', async () => {
    const semaphore = client().getSemaphore(name());
    await semaphore.trySetPermits(10);

    const more = await rejection(semaphore.addPermits(INT32_MAX - 9));
    await semaphore.addPermits(-INT32_MAX);
    const fewer = await rejection(semaphore.addPermits(-INT32_MAX));

    expect(more).toBeInstanceOf(RangeError);
    expect(String(more)).toContain('delta must be an integer from -2147483648 to 2147483637 while');
    expect(fewer).toBeInstanceOf(RangeError);
    expect(String(fewer)).toContain('delta must be an integer from -11 to 2147483647 while');
    expect(await raw.get(semaphore.name)).toBe(String(10 - INT32_MAX));
  });

  test('a release that is refused leaves the waiters to wait', async () => {
    const semaphore = client().getSemaphore(name());
    await semaphore.trySetPermits(INT32_MAX - 1);
    const waiting = semaphore.acquire(INT32_MAX);
    await semaphore.addPermits(0);

    const error = await rejection(semaphore.release(2));
    await semaphore.release(1);
    await waiting;

    expect(error).toBeInstanceOf(RangeError);
    expect(await raw.get(semaphore.name)).toBe('0');
  });
});

test('events name each grant, and tell when it was given back', async () => {
  const own = client();
  const semaphore = own.getSemaphore(name());
  const events: [string, object][] = [];
  own.on('acquired', (event) => events.push(['acquired', event]));
  own.on('released', (event) => events.push(['released', event]));
  await semaphore.trySetPermits(2);

  const [a, b] = await Promise.all([semaphore.acquire(), semaphore.acquire()]);
  await Promise.all([a.release(), b.release()]);

  const about = { resource: semaphore.name, kind: 'semaphore' };
  expect(events).toMatchObject([
    ['acquired', { ...about, waitedMs: expect.any(Number) as number }],
    ['acquired', about],
    ['released', { ...about, heldMs: expect.any(Number) as number }],
    ['released', about],
  ]);
  const ids = events.map(([, event]) => (event as { holderId: string }).holderId);
  expect(new Set(ids).size).toBe(2);
  expect(ids.every((id) => id.startsWith(`${own.id}:`))).toBe(true);
});

test('a semaphore is no lock until it is gone, and a lock in use is no semaphore', async () => {
  const own = client();
  const object = name();
  const semaphore = own.getSemaphore(object);
  await semaphore.trySetPermits(1);

  const error = await rejection(own.getLock(object).acquire());
  await semaphore.delete();
  const hold = await own.getLock(object).acquire();
  const refused: Promise<Permits | null> = semaphore.tryAcquire();

  expect(error).toMatchObject({ code: 'ERR_WRONG_TYPE' });
  expect(await rejection(refused)).toMatchObject({ code: 'ERR_WRONG_TYPE', resource: object });
  await hold.release();
});
