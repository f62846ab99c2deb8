// What a permit-expirable semaphore and its permits refuse, in every method that takes it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AcquireOptions, Permit, PermitExpirableSemaphore } from '../../../src/index.js';
import { allLasting } from '../../support/kinds/kinds.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { badIntegers, expectInteger, INT32_MAX } from './bad-input.js';

const { client, name } = fixture('bad-permits', allLasting);

type Acquire = (one: PermitExpirableSemaphore, options: AcquireOptions) => Promise<unknown>;

const acquires: [string, Acquire][] = [
  ['acquire', async (one, options) => await one.acquire(options)],
  ['tryAcquire', async (one, options) => await one.tryAcquire(options)],
  ['acquireMany', async (one, options) => await one.acquireMany(2, options)],
  ['tryAcquireMany', async (one, options) => await one.tryAcquireMany(2, options)],
  ['using', async (one, options) => await one.using(() => 'never', options)],
];

let proxy: Proxy;

/** Script calls that left for the server. */
function scripts(): number {
  return proxy.requests().filter(([command]) => /^eval/i.test(command ?? '')).length;
}

beforeAll(async () => {
  proxy = await startProxy({ target: redisUrl() });
});

afterAll(async () => {
  await proxy.close();
});

function create(): PermitExpirableSemaphore {
  return client({ redis: proxy.url }).getPermitExpirableSemaphore(name());
}

async function createPermit(): Promise<Permit> {
  const semaphore = create();
  await semaphore.trySetPermits(1);
  return await semaphore.acquire();
}

describe.each(acquires)('%s', (_, acquire) => {
  test.each([
    ['waitMs', 0],
    ['leaseMs', 1],
  ])('refuses a %s that is no integer in its range, and sends nothing', async (argument, min) => {
    const semaphore = create();
    const before = scripts();

    for (const bad of badIntegers(min, INT32_MAX)) {
      const error = await rejection(acquire(semaphore, { [argument]: bad.value }));
      expectInteger(error, argument, [min, INT32_MAX], bad);
    }

    expect(scripts()).toBe(before);
  });

  test('refuses options and a signal of the wrong type, and sends nothing', async () => {
    const semaphore = create();
    const before = scripts();

    for (const bad of [null, 5, 'soon', true, [], () => ({})]) {
      const error = await rejection(acquire(semaphore, bad as unknown as AcquireOptions));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('options must be an object');
    }
    for (const bad of [null, 5, {}, { aborted: false }, new AbortController()]) {
      const error = await rejection(acquire(semaphore, { signal: bad as unknown as AbortSignal }));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('signal must be an AbortSignal');
    }

    expect(scripts()).toBe(before);
  });
});

test.each([[null], [undefined], [5], ['task'], [{}], [Promise.resolve()]])(
  'using refuses what is no task, and sends nothing: %s',
  async (bad) => {
    const semaphore = create();
    const before = scripts();

    const error = await rejection(semaphore.using(bad as unknown as () => void));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('task must be a function');
    expect(scripts()).toBe(before);
  },
);

test.each([[null], [5], ['soon'], [true], [[]], [() => ({})]])(
  'trySetPermits refuses options that are no object, and sends nothing: %s',
  async (bad) => {
    const semaphore = create();
    const before = scripts();

    const error = await rejection(semaphore.trySetPermits(1, bad as unknown as { ttlMs: number }));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('options must be an object');
    expect(scripts()).toBe(before);
  },
);

test('what is left out is of the wrong type, and nothing is sent', async () => {
  const semaphore = create();
  const before = scripts();
  const nothing = undefined as unknown as number;

  const errors = [
    await rejection(semaphore.trySetPermits(nothing)),
    await rejection(semaphore.setPermits(nothing)),
    await rejection(semaphore.addPermits(nothing)),
    await rejection(semaphore.acquireMany(nothing)),
    await rejection(semaphore.tryAcquireMany(nothing)),
    await rejection(semaphore.updateLease('0'.repeat(32), nothing)),
  ];

  const named = ['permits', 'permits', 'delta', 'count', 'count', 'leaseMs'];
  for (const [i, error] of errors.entries()) {
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(`${named[i]} must be an integer from `);
  }
  expect(scripts()).toBe(before);
});

test('extend refuses what is no lease, sends nothing, and the permit stays held', async () => {
  const permit = await createPermit();
  const before = scripts();

  for (const bad of [...badIntegers(1, INT32_MAX), { value: undefined, error: TypeError }]) {
    const error = await rejection(permit.extend(bad.value as number));
    expectInteger(error, 'leaseMs', [1, INT32_MAX], bad);
  }

  expect(scripts()).toBe(before);
  expect(permit.isHeld).toBe(true);
  await permit.release();
});

test('undefined stands for a default', async () => {
  const semaphore = create();
  await semaphore.trySetPermits(1, { ttlMs: undefined } as unknown as { ttlMs: number });
  const none = { waitMs: undefined, leaseMs: undefined, signal: undefined };

  await using permit = await semaphore.tryAcquire(none as unknown as AcquireOptions);

  expect(permit?.isHeld).toBe(true);
});
