import { expect, test } from 'vitest';
import type { Semaphore, WaitOptions } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { badIntegers, expectInteger, INT32_MAX } from './bad-input.js';
import { scriptsOf } from '../semaphore/world.js';

const { client, name, raw } = fixture('bad-semaphore', [/^redlatch-test:/]);

async function stage(): Promise<{ semaphore: Semaphore; scripts: () => number }> {
  const proxy = await startProxy({ target: redisUrl() });
  const semaphore = client({ redis: proxy.url }).getSemaphore(name());
  return { semaphore, scripts: () => scriptsOf(proxy) };
}

const int32Min = -INT32_MAX - 1;

type BadCall = [string, string, number, number, (semaphore: Semaphore, bad: never) => unknown];

const calls: BadCall[] = [
  ['trySetPermits', 'permits', 0, INT32_MAX, (s, bad) => s.trySetPermits(bad)],
  ['trySetPermits', 'ttlMs', 1, INT32_MAX, (s, bad) => s.trySetPermits(1, { ttlMs: bad })],
  ['addPermits', 'delta', int32Min, INT32_MAX, (s, bad) => s.addPermits(bad)],
  ['acquire', 'permits', 1, INT32_MAX, (s, bad) => s.acquire(bad)],
  ['acquire', 'waitMs', 0, INT32_MAX, (s, bad) => s.acquire(1, { waitMs: bad })],
  ['tryAcquire', 'permits', 1, INT32_MAX, (s, bad) => s.tryAcquire(bad)],
  ['tryAcquire', 'waitMs', 0, INT32_MAX, (s, bad) => s.tryAcquire(1, { waitMs: bad })],
  ['release', 'permits', 1, INT32_MAX, (s, bad) => s.release(bad)],
  ['using', 'permits', 1, INT32_MAX, (s, bad) => s.using(() => 'never', { permits: bad })],
  ['using', 'waitMs', 0, INT32_MAX, (s, bad) => s.using(() => 'never', { waitMs: bad })],
];

test.each(calls)('%s refuses bad %s, and sends nothing', async (_, argument, min, max, call) => {
  const { semaphore, scripts } = await stage();

  for (const bad of badIntegers(min, max)) {
    const error = await rejection(Promise.resolve(call(semaphore, bad.value as never)));
    expectInteger(error, argument, [min, max], bad);
  }

  expect(scripts()).toBe(0);
});

test('options, signals and tasks of the wrong type are refused, and nothing is sent', async () => {
  const { semaphore, scripts } = await stage();

  for (const bad of [null, 5, 'soon', true, [], () => ({})]) {
    const errors = [
      await rejection(semaphore.acquire(1, bad as unknown as WaitOptions)),
      await rejection(semaphore.tryAcquire(1, bad as unknown as WaitOptions)),
      await rejection(semaphore.trySetPermits(1, bad as unknown as { ttlMs: number })),
      await rejection(semaphore.using(() => 'never', bad as unknown as WaitOptions)),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('options must be an object');
    }
  }
  for (const bad of [null, 5, {}, new AbortController()]) {
    const error = await rejection(semaphore.acquire(1, { signal: bad as unknown as AbortSignal }));
    expect(String(error)).toContain('signal must be an AbortSignal');
  }
  const noTask = await rejection(semaphore.using('task' as unknown as () => string));
  const noDelta = await rejection(semaphore.addPermits(undefined as unknown as number));

  expect(String(noTask)).toContain('task must be a function');
  expect(String(noDelta)).toContain('delta must be an integer');
  expect(scripts()).toBe(0);
});

test('the smallest and the largest values are taken', async () => {
  const { semaphore } = await stage();

  const set = await semaphore.trySetPermits(INT32_MAX, { ttlMs: INT32_MAX });
  const all = await semaphore.acquire(INT32_MAX);
  await semaphore.addPermits(int32Min);
  const lowest = await semaphore.availablePermits();
  await semaphore.addPermits(INT32_MAX);
  await semaphore.release(1);
  await all.release();

  expect([set, lowest]).toEqual([true, int32Min]);
  expect(await raw.get(semaphore.name)).toBe(String(INT32_MAX));
});
