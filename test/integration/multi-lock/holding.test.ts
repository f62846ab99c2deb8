// What a multi-lock holds: it is held, lost and released as one, and each name can be re-entered.

import { expect, test } from 'vitest';
import { LeaseLostError, type ClientEvents } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { rawClient } from '../../support/redis.js';
import { testScope } from '../../support/scope.js';
import { held, outcome } from './world.js';

const scope = testScope('multi-holding');
const raw = rawClient();

const some = (count: number): string[] => Array.from({ length: count }, () => scope.name());

test('what is held together is lost together, and the rest is freed', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const lost: Parameters<ClientEvents['lost']>[0][] = [];
  client.on('lost', (event) => lost.push(event));
  const lock = client.getMultiLock(some(3));
  const hold = await lock.acquire();

  await other.getLock(lock.names[1]!).forceRelease();
  await eventually(() => hold.signal.aborted);
  await eventually(async () => expect(await held(lock)).toEqual([false, false, false]));

  expect([hold.state, hold.isHeld, hold.remainingMs]).toEqual(['lost', false, 0]);
  expect(lost.map(({ resource, kind, holderId }) => [resource, kind, holderId])).toEqual([
    [lock.name, 'multi-lock', hold.holderId],
  ]);
  expect(hold.signal.reason).toMatchObject({ resource: lock.name, reason: 'deleted' });
  expect(await outcome(hold.release())).toBe(hold.signal.reason);
});

test('a release frees all names, and reports those that had been lost', async () => {
  const client = scope.client();
  const lock = client.getMultiLock(some(4));
  const hold = await lock.acquire();
  await raw.del(lock.names[1]!);
  await raw.set(lock.names[2]!, 'overwritten');

  const error = await outcome(hold.release());
  await raw.del(lock.names[2]!);

  expect(error).toBeInstanceOf(LeaseLostError);
  const { cause } = error as Error;
  expect(cause).toBeInstanceOf(AggregateError);
  const { errors } = cause as AggregateError;
  expect(errors.map(({ resource }: LeaseLostError) => resource)).toEqual([
    lock.names[1],
    lock.names[2],
  ]);
  expect(await held(lock)).toEqual([false, false, false, false]);
});

test('names that the scope holds are re-entered, and the others taken', async () => {
  const [client, other] = [scope.client(), scope.client()];
  const names = some(3);
  const lock = client.getMultiLock(names);

  await client.getLock(names[1]!).using(async (outer) => {
    await lock.using(async (hold) => {
      expect(hold.depth).toBe(1);
      expect(await raw.hget(names[1]!, outer.holderId)).toBe('2');
      await client.getLock(names[0]!).using(async () => {
        expect(await raw.hvals(names[0]!)).toEqual(['2']);
      });
      expect(await lock.holdCount()).toBe(1);
    });
    expect(await held(client.getMultiLock([names[0]!, names[2]!]))).toEqual([false, false]);
    expect(await raw.hget(names[1]!, outer.holderId)).toBe('1');
    expect(await other.getLock(names[1]!).tryAcquire()).toBeNull();
  });
  expect(await held(lock)).toEqual([false, false, false]);
});
