// The bound of several names that are held together.

import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { testScope } from '../../support/scope.js';
import { held, outcome, waitsFor } from './world.js';

const scope = testScope('multi-bounds');

const some = (count: number): string[] => Array.from({ length: count }, () => scope.name());

test('it counts from when the last name was there', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const lock = client.getMultiLock(some(3));
  const busy = await other.getLock(lock.names[1]!).acquire();
  const acquiring = lock.acquire({ maxHoldMs: 700 });
  await waitsFor(lock.names[1]);
  const from = performance.now();
  await eventually(() => performance.now() - from > 500);

  await busy.release();
  const hold = await acquiring;
  const granted = performance.now();
  const remainingMs = hold.remainingMs;
  await eventually(() => hold.state === 'lost');

  expect(remainingMs).toBeGreaterThan(500);
  expect(remainingMs).toBeLessThanOrEqual(700);
  expect(performance.now() - granted).toBeLessThan(1_000);
  expect(hold.signal.reason).toMatchObject({ reason: 'expired', resource: lock.name });
  await eventually(async () => expect(await held(lock)).toEqual([false, false, false]));
});

test('it ends what was re-entered of it, too', async () => {
  const client = scope.client();
  const names = some(2);
  const lock = client.getMultiLock(names);
  const outer = await client.getLock(names[0]!).acquire();

  const hold = await lock.acquire({ within: outer, maxHoldMs: 400 });
  await eventually(() => hold.state === 'lost' && outer.state === 'lost');

  await eventually(async () => expect(await held(lock)).toEqual([false, false]));
});

test('what was re-entered is free of it when all are released', async () => {
  const client = scope.client();
  const names = some(2);
  const lock = client.getMultiLock(names);
  await using outer = await client.getLock(names[0]!).acquire();
  const from = performance.now();
  const hold = await lock.acquire({ within: outer, maxHoldMs: 400 });
  const extended = await outcome(hold.extend(401));

  await hold.release();
  await eventually(() => performance.now() - from > 500);

  expect(extended).toBeInstanceOf(RangeError);
  expect(outer.isHeld).toBe(true);
});
