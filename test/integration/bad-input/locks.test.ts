import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Hold, Lock, LockAcquireOptions } from '../../../src/index.js';
import { fixtureOf, rejection } from '../../contract/fixture.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { badIntegers, expectInteger, INT32_MAX } from './bad-input.js';
import { lockKinds } from '../../support/kinds/kinds.js';

type Acquire = (lock: Lock, options: LockAcquireOptions) => Promise<unknown>;

const acquires: [string, Acquire][] = [
  ['acquire', async (lock, options) => await lock.acquire(options)],
  ['tryAcquire', async (lock, options) => await lock.tryAcquire(options)],
  ['using', async (lock, options) => await lock.using(() => 'never', options)],
];

let proxy: Proxy;

/** Script calls that left for the server. */
function scripts(): string[][] {
  return proxy.requests().filter(([command]) => /^eval/i.test(command ?? ''));
}

beforeAll(async () => {
  proxy = await startProxy({ target: redisUrl() });
});

afterAll(async () => {
  await proxy.close();
});

describe.each(lockKinds)('$what', (kind) => {
  const { client, name } = fixtureOf('bad-locks', kind);
  const create = (): Lock => kind.create(client({ redis: proxy.url }), name());

  describe.each(acquires)('%s', (_, acquire) => {
    test.each([
      ['waitMs', 0],
      ['leaseMs', 1],
      ['maxHoldMs', 1],
    ])('refuses a %s that is no integer in its range, and sends nothing', async (argument, min) => {
      const lock = create();
      const before = scripts().length;

      for (const bad of badIntegers(min, INT32_MAX)) {
        const options = { [argument]: bad.value };
        const error = await rejection(acquire(lock, options));
        expectInteger(error, argument, [min, INT32_MAX], bad);
      }

      expect(scripts()).toHaveLength(before);
    });

    test('refuses options, a signal and a hold of the wrong type, and sends nothing', async () => {
      const lock = create();
      const before = scripts().length;
      const wrong = [null, 5, 'soon', true, [], () => ({})];
      const wrongHolds = [false, 5, 'hold', {}, lock, Promise.resolve()];

      for (const bad of wrong) {
        const error = await rejection(acquire(lock, bad as unknown as LockAcquireOptions));
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain('options must be an object');
      }
      for (const bad of [null, 5, {}, { aborted: false }, new AbortController()]) {
        const error = await rejection(acquire(lock, { signal: bad as unknown as AbortSignal }));
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain('signal must be an AbortSignal');
      }
      for (const bad of wrongHolds) {
        const error = await rejection(acquire(lock, { within: bad as unknown as Hold }));
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain('within must be a hold of this lock or null');
      }

      expect(scripts()).toHaveLength(before);
    });
  });

  test('takes the smallest and the largest values, and undefined for a default', async () => {
    const lock = create();
    const largest = await lock.acquire({ waitMs: INT32_MAX, leaseMs: INT32_MAX });
    expect(largest.remainingMs).toBeGreaterThan(INT32_MAX * 0.98);
    await largest.release();

    const none = { waitMs: undefined, leaseMs: undefined, signal: undefined, within: undefined };
    await using hold = await lock.tryAcquire(none);

    expect(hold?.isHeld).toBe(true);
  });

  test.each([[null], [undefined], [5], ['task'], [{}], [Promise.resolve()]])(
    'using and run refuse what is no task, and send nothing: %s',
    async (bad) => {
      const lock = create();
      const hold = await lock.acquire();
      const before = scripts().length;
      const task = bad as unknown as () => void;

      const errors = [await rejection(lock.using(task)), await rejection(hold.run(task))];

      for (const error of errors) {
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain('task must be a function');
      }
      expect(scripts()).toHaveLength(before);
      await hold.release();
    },
  );

  test('extend refuses what is no lease, sends nothing, and the hold stays held', async () => {
    const hold = await create().acquire();
    const before = scripts().length;

    for (const bad of [...badIntegers(1, INT32_MAX), { value: undefined, error: TypeError }]) {
      const error = await rejection(hold.extend(bad.value as number));
      expectInteger(error, 'leaseMs', [1, INT32_MAX], bad);
    }

    expect(scripts()).toHaveLength(before);
    expect(hold.isHeld).toBe(true);
    await hold.release();
  });
});
