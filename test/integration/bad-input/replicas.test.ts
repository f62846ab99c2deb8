// The option `replicas`, where it is wrong, and where it has no meaning.

import { describe, expect, test } from 'vitest';
import { createClient, type Client, type ReplicasOptions } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { leasedKinds } from '../../support/kinds/kinds.js';
import { badIntegers, expectInteger, thrown } from './bad-input.js';

const { client, name } = fixture('bad-replicas');
const good: ReplicasOptions = { min: 1, timeoutMs: 1_000 };

type Use = (replicas: unknown) => unknown;

const uses: [string, Use][] = [
  ['a client', (replicas) => thrown(() => createClient({ replicas } as never))],
  ...leasedKinds.map((kind): [string, Use] => [
    `a ${kind.what}`,
    (replicas) => rejection(kind.get(client(), name()).acquire({ replicas } as never)),
  ]),
];

describe.each(uses)('%s', (_, refusal) => {
  test.each([
    ['min', 100],
    ['timeoutMs', 60_000],
  ])('refuses a %s that is no integer in its range, or none', async (argument, max) => {
    for (const bad of [...badIntegers(1, max), { value: undefined, error: TypeError }]) {
      const error = await refusal({ ...good, [argument]: bad.value });
      expectInteger(error, `replicas.${argument}`, [1, max], bad);
    }
  });

  test.each([[null], ['drop'], ['Keep'], [true], [['undo']]])(
    'refuses an onShortfall that there is not: %s',
    async (onShortfall) => {
      const error = await refusal({ ...good, onShortfall });

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('replicas.onShortfall must be one of "undo", "keep", got');
    },
  );

  test.each([[null], [1], ['1'], [[1]], [true]])('refuses %s in its place', async (replicas) => {
    const error = await refusal(replicas);

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('replicas must be an object, got');
  });

  test('refuses an option that it does not have, and names what was meant', async () => {
    const error = await refusal({ min: 1, timeout: 1_000 });

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('did you mean "timeoutMs"?');
  });
});

const without: [string, (own: Client, options: never) => Promise<unknown>][] = [
  ['acquire of a semaphore', (own, options) => own.getSemaphore(name()).acquire(1, options)],
  ['tryAcquire of a semaphore', (own, options) => own.getSemaphore(name()).tryAcquire(1, options)],
  ['using of a semaphore', (own, options) => own.getSemaphore(name()).using(() => 1, options)],
  ['wait for a latch', (own, options) => own.getCountDownLatch(name()).wait(options)],
];

test.each(without)('%s takes none, since it has no lease', async (_, call) => {
  const error = await rejection(call(client(), { replicas: good } as never));

  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain('only grants with a lease wait for replicas');
});

test('a client that wants them has semaphores and latches all the same', async () => {
  const own = client({ replicas: good });
  const semaphore = own.getSemaphore(name(), { permits: 1 });
  const latch = own.getCountDownLatch(name());

  const permits = await semaphore.acquire();
  await permits.release();

  expect(await latch.wait()).toBe(true);
  await semaphore.delete();
});
