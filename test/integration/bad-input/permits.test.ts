// What a permit-expirable semaphore and its permits refuse, in every method that takes it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AcquireOptions, Permit, PermitExpirableSemaphore } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { NO_PERMIT } from '../../support/kinds/objects.js';
import { badIntegers, expectInteger, INT32_MAX } from './bad-input.js';
import { allLasting } from '../../support/kinds/kinds.js';

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
    ['maxHoldMs', 1],
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

  test('ends with the reason of a signal that has aborted, and sends nothing', async () => {
    const semaphore = create();
    const before = scripts();
    const signal = AbortSignal.abort(new Error('before'));

    const error = await rejection(acquire(semaphore, { signal }));

    expect(String(error)).toBe('Error: before');
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

test('integers of the wrong type or outside their range are refused by name', async () => {
  const semaphore = create();
  const before = scripts();
  const calls: [string, number, number, (bad: number) => Promise<unknown>][] = [
    ['permits', 0, INT32_MAX, async (bad) => await semaphore.trySetPermits(bad)],
    ['ttlMs', 1, INT32_MAX, async (bad) => await semaphore.trySetPermits(1, { ttlMs: bad })],
    ['permits', 0, INT32_MAX, async (bad) => await semaphore.setPermits(bad)],
    ['delta', -INT32_MAX - 1, INT32_MAX, async (bad) => await semaphore.addPermits(bad)],
    ['count', 1, 1_000, async (bad) => await semaphore.acquireMany(bad)],
    ['count', 1, 1_000, async (bad) => await semaphore.tryAcquireMany(bad)],
    ['leaseMs', 1, INT32_MAX, async (bad) => await semaphore.updateLease(NO_PERMIT, bad)],
  ];

  for (const [argument, min, max, call] of calls) {
    for (const bad of badIntegers(min, max)) {
      const error = await rejection(call(bad.value as number));
      expectInteger(error, argument, [min, max], bad);
    }
  }

  expect(scripts()).toBe(before);
});

test('permit ids that are no 32 lower-case hex digits are refused', async () => {
  const semaphore = create();
  const before = scripts();
  const calls = [
    async (bad: never) => await semaphore.release(bad),
    async (bad: never) => await semaphore.tryRelease(bad),
    async (bad: never) => await semaphore.updateLease(bad, 1_000),
  ];

  for (const call of calls) {
    for (const bad of [undefined, null, 5, {}, Buffer.from(NO_PERMIT, 'hex')]) {
      const error = await rejection(call(bad as never));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('permitId must be a string');
    }
    for (const bad of [
      '',
      'short',
      NO_PERMIT.toUpperCase(),
      `${NO_PERMIT}0`,
      ` ${NO_PERMIT}`,
      `${NO_PERMIT}\n`,
    ]) {
      const error = await rejection(call(bad as never));
      expect(error).toBeInstanceOf(RangeError);
      expect(String(error)).toContain('permitId must be 32 lower-case hex digits');
      expect(String(error)).toContain(JSON.stringify(bad));
    }
  }

  expect(scripts()).toBe(before);
});

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
    await rejection(semaphore.updateLease(NO_PERMIT, nothing)),
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
  await semaphore.trySetPermits(1, { ttlMs: undefined });
  const none = { waitMs: undefined, leaseMs: undefined, signal: undefined };

  await using permit = await semaphore.tryAcquire(none);

  expect(permit?.isHeld).toBe(true);
});

test('the smallest and the largest values are taken', async () => {
  const semaphore = create();

  const set = await semaphore.trySetPermits(INT32_MAX, { ttlMs: INT32_MAX });
  const [permit] = await semaphore.acquireMany(1, { leaseMs: INT32_MAX, waitMs: INT32_MAX });
  await permit!.extend(INT32_MAX);
  const updated = await semaphore.updateLease(permit!.id, INT32_MAX);
  await semaphore.setPermits(0);

  expect([set, updated, permit!.isHeld]).toEqual([true, true, true]);
  expect(await semaphore.availablePermits()).toBe(-1);
  await semaphore.delete();
});
