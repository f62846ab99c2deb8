// Arguments that a permit-expirable semaphore refuses before anything is sent.

import { expect, test } from 'vitest';
import type { AcquireOptions, PermitExpirableSemaphore } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { badIntegers, expectInteger, INT32_MAX, thrown } from './bad-input.js';

const { client, name } = fixture('bad-permits');

const ID = '0123456789abcdef0123456789abcdef';

async function stage(): Promise<{ semaphore: PermitExpirableSemaphore; scripts: () => number }> {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getPermitExpirableSemaphore(name());
  const scripts = (): number =>
    proxy.requests().filter(([command]) => /^eval/i.test(command ?? '')).length;
  return { semaphore, scripts };
}

test('integers of the wrong type or outside their range are refused by name', async () => {
  const { semaphore, scripts } = await stage();
  const calls: [string, number, number, (bad: number) => Promise<unknown>][] = [
    ['permits', 0, INT32_MAX, async (bad) => await semaphore.trySetPermits(bad)],
    ['ttlMs', 1, INT32_MAX, async (bad) => await semaphore.trySetPermits(1, { ttlMs: bad })],
    ['permits', 0, INT32_MAX, async (bad) => await semaphore.setPermits(bad)],
    ['delta', -INT32_MAX - 1, INT32_MAX, async (bad) => await semaphore.addPermits(bad)],
    ['count', 1, 1_000, async (bad) => await semaphore.acquireMany(bad)],
    ['count', 1, 1_000, async (bad) => await semaphore.tryAcquireMany(bad)],
    ['waitMs', 0, INT32_MAX, async (bad) => await semaphore.acquire({ waitMs: bad })],
    ['leaseMs', 1, INT32_MAX, async (bad) => await semaphore.tryAcquire({ leaseMs: bad })],
    ['leaseMs', 1, INT32_MAX, async (bad) => await semaphore.updateLease(ID, bad)],
  ];

  for (const [argument, min, max, call] of calls) {
    for (const bad of badIntegers(min, max)) {
      const error = await rejection(call(bad.value as number));
      expectInteger(error, argument, [min, max], bad);
    }
  }

  expect(scripts()).toBe(0);
});

test('permit ids that are no 32 lower-case hex digits are refused', async () => {
  const { semaphore, scripts } = await stage();
  const calls = [
    async (bad: never) => await semaphore.release(bad),
    async (bad: never) => await semaphore.tryRelease(bad),
    async (bad: never) => await semaphore.updateLease(bad, 1_000),
  ];

  for (const call of calls) {
    for (const bad of [undefined, null, 5, {}, Buffer.from(ID, 'hex')]) {
      const error = await rejection(call(bad as never));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('permitId must be a string');
    }
    for (const bad of ['', 'short', ID.toUpperCase(), `${ID}0`, ` ${ID}`, `${ID}\n`]) {
      const error = await rejection(call(bad as never));
      expect(error).toBeInstanceOf(RangeError);
      expect(String(error)).toContain('permitId must be 32 lower-case hex digits');
      expect(String(error)).toContain(JSON.stringify(bad));
    }
  }

  expect(scripts()).toBe(0);
});

test('options, signals, tasks and names of the wrong type are refused', async () => {
  const { semaphore, scripts } = await stage();

  for (const bad of [null, 5, 'soon', true, []]) {
    const options = bad as unknown as AcquireOptions;
    for (const call of [semaphore.acquire(options), semaphore.tryAcquireMany(1, options)]) {
      const error = await rejection(call);
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('options must be an object');
    }
    const error = await rejection(semaphore.using(bad as unknown as () => void));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('task must be a function');
  }
  const signal = {} as AbortSignal;
  expect(String(await rejection(semaphore.acquire({ signal })))).toContain('signal must be');
  const aborted = AbortSignal.abort(new Error('before'));
  expect(String(await rejection(semaphore.acquire({ signal: aborted })))).toBe('Error: before');
  expect(thrown(() => client().getPermitExpirableSemaphore(''))).toBeInstanceOf(RangeError);
  expect(thrown(() => client().getPermitExpirableSemaphore('a{b'))).toBeInstanceOf(RangeError);

  expect(scripts()).toBe(0);
});

test('after close every call is refused', async () => {
  const one = client();
  const semaphore = one.getPermitExpirableSemaphore(name());
  await one.close();

  const calls = [
    semaphore.acquire(),
    semaphore.tryAcquireMany(2),
    semaphore.trySetPermits(1),
    semaphore.setPermits(1),
    semaphore.addPermits(1),
    semaphore.totalPermits(),
    semaphore.availablePermits(),
    semaphore.acquiredPermits(),
    semaphore.tryRelease(ID),
    semaphore.updateLease(ID, 1),
    semaphore.delete(),
  ];

  for (const call of calls) {
    expect(await rejection(call)).toMatchObject({ code: 'ERR_CLOSED', resource: semaphore.name });
  }
});

test('the smallest and the largest values are taken', async () => {
  const { semaphore } = await stage();

  const set = await semaphore.trySetPermits(INT32_MAX, { ttlMs: INT32_MAX });
  const [permit] = await semaphore.acquireMany(1, { leaseMs: INT32_MAX, waitMs: INT32_MAX });
  await permit!.extend(INT32_MAX);
  const updated = await semaphore.updateLease(permit!.id, INT32_MAX);
  await semaphore.setPermits(0);

  expect([set, updated, permit!.isHeld]).toEqual([true, true, true]);
  expect(await semaphore.availablePermits()).toBe(-1);
  await semaphore.delete();
});
