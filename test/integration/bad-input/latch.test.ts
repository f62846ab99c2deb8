import { expect, test } from 'vitest';
import type { CountDownLatch, WaitOptions } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { badIntegers, expectInteger, INT32_MAX } from './bad-input.js';

const { client, name, raw } = fixture('bad-latch');

async function stage(): Promise<{ latch: CountDownLatch; proxy: Proxy; scripts: () => number }> {
  const proxy = await startProxy({ target: redisUrl() });
  const latch = client({ redis: proxy.url }).getCountDownLatch(name());
  const scripts = (): number =>
    proxy.requests().filter(([command]) => /^eval/i.test(command ?? '')).length;
  return { latch, proxy, scripts };
}

test('trySetCount refuses a count that is no integer in its range, and sends nothing', async () => {
  const { latch, scripts } = await stage();

  for (const bad of [...badIntegers(1, INT32_MAX), { value: undefined, error: TypeError }]) {
    const error = await rejection(latch.trySetCount(bad.value as number));
    expectInteger(error, 'count', [1, INT32_MAX], bad);
  }

  expect(scripts()).toBe(0);
});

test('trySetCount refuses a ttlMs that is no integer in its range, and sends nothing', async () => {
  const { latch, scripts } = await stage();

  for (const bad of badIntegers(1, INT32_MAX)) {
    const error = await rejection(latch.trySetCount(1, { ttlMs: bad.value as number }));
    expectInteger(error, 'ttlMs', [1, INT32_MAX], bad);
  }

  expect(scripts()).toBe(0);
});

test('wait refuses a waitMs that is no integer in its range, and sends nothing', async () => {
  const { latch, scripts } = await stage();

  for (const bad of badIntegers(0, INT32_MAX)) {
    const error = await rejection(latch.wait({ waitMs: bad.value as number }));
    expectInteger(error, 'waitMs', [0, INT32_MAX], bad);
  }

  expect(scripts()).toBe(0);
});

test('options and signals of the wrong type are refused, and nothing is sent', async () => {
  const { latch, scripts } = await stage();

  for (const bad of [null, 5, 'soon', true, [], () => ({})]) {
    const errors = [
      await rejection(latch.wait(bad as unknown as WaitOptions)),
      await rejection(latch.trySetCount(1, bad as unknown as { ttlMs: number })),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('options must be an object');
    }
  }
  for (const bad of [null, 5, {}, { aborted: false }, new AbortController()]) {
    const error = await rejection(latch.wait({ signal: bad as unknown as AbortSignal }));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('signal must be an AbortSignal');
  }

  expect(scripts()).toBe(0);
});

test('the smallest and the largest values are taken', async () => {
  const { latch } = await stage();

  const answers = [
    await latch.trySetCount(INT32_MAX, { ttlMs: INT32_MAX }),
    await latch.count(),
    await latch.delete(),
    await latch.trySetCount(1, { ttlMs: 60_000 }),
    await latch.delete(),
  ];

  expect(answers).toEqual([true, INT32_MAX, true, true, true]);
  expect(await raw.exists(latch.name)).toBe(0);
});
