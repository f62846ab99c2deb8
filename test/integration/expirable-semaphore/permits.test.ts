// What a permit-expirable semaphore promises while nothing goes wrong.

import { expect, test } from 'vitest';
import {
  AcquireTimeoutError,
  LeaseLostError,
  NotHeldError,
  WrongTypeError,
  type HoldEvent,
  type PermitExpirableSemaphore,
} from '../../../src/index.js';
import { fixture, gate, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { countedTraffic } from '../../support/traffic.js';
import { redisUrl } from '../../support/redis.js';

const { client, name, raw } = fixture('permits');

async function counts(semaphore: PermitExpirableSemaphore): Promise<number[]> {
  return await Promise.all([
    semaphore.totalPermits(),
    semaphore.availablePermits(),
    semaphore.acquiredPermits(),
  ]);
}

test('permits are set once, counted, and deleted', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());

  const before = await counts(semaphore);
  const set = [await semaphore.trySetPermits(5), await semaphore.trySetPermits(9)];
  await semaphore.acquireMany(2);
  const during = await counts(semaphore);
  const deleted = [await semaphore.delete(), await semaphore.delete()];

  expect(before).toEqual([0, 0, 0]);
  expect(set).toEqual([true, false]);
  expect(during).toEqual([5, 3, 2]);
  expect(deleted).toEqual([true, false]);
  expect(await counts(semaphore)).toEqual([0, 0, 0]);
});

test('acquire and release take one command each', async () => {
  const traffic = await countedTraffic(redisUrl());
  const semaphore = client({ redis: traffic.url }).getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(5);
  const before = traffic.names().length;

  const permit = await semaphore.acquire();
  await permit.release();

  expect(traffic.names().slice(before)).toEqual(['eval', 'eval']);
  await semaphore.delete();
});

test('P3: an exhausted semaphore is answered with null, and with none for many', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(3);
  const held = await semaphore.acquireMany(2, { leaseMs: 60_000 });

  const two = await semaphore.tryAcquireMany(2);
  const one = await semaphore.tryAcquire();
  const none = await semaphore.tryAcquire();
  const error = await rejection(semaphore.acquire({ waitMs: 500 }));

  expect(held.map(({ state }) => state)).toEqual(['held', 'held']);
  expect(new Set(held.map(({ id }) => id)).size).toBe(2);
  expect([two, none]).toEqual([null, null]);
  expect(one?.isHeld).toBe(true);
  expect(error).toBeInstanceOf(AcquireTimeoutError);
  await semaphore.delete();
});

test('fifty at once get fifty permits, and no more', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(50);

  const tries = await Promise.all(Array.from({ length: 60 }, () => semaphore.tryAcquire()));

  expect(tries.filter((permit) => permit !== null)).toHaveLength(50);
  expect(await counts(semaphore)).toEqual([50, 0, 50]);
  await semaphore.delete();
});

test('P8: it grows and shrinks live, and a shrink revokes nothing', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  const states: number[][] = [];
  const note = async (): Promise<number> => states.push(await counts(semaphore));

  await semaphore.setPermits(10);
  await note();
  const permits = await semaphore.acquireMany(3);
  await semaphore.setPermits(15);
  await note();
  await semaphore.setPermits(2);
  await note();
  await semaphore.addPermits(-2);
  await note();
  const refused = await semaphore.tryAcquire();
  const held = permits.map(({ isHeld }) => isHeld);
  await Promise.all(permits.map((permit) => permit.release()));
  await note();
  await semaphore.addPermits(4);
  await note();

  expect(states).toEqual([
    [10, 10, 0],
    [15, 12, 3],
    [2, -1, 3],
    [0, -3, 3],
    [0, 0, 0],
    [4, 4, 0],
  ]);
  expect(refused).toBe(null);
  expect(held).toEqual([true, true, true]);
  await semaphore.delete();
});

test('a number of permits that Java could not read is refused, and nothing is changed', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(2_147_483_647);
  await semaphore.acquire();

  const error = await rejection(semaphore.addPermits(1));

  expect(error).toBeInstanceOf(RangeError);
  expect(String(error)).toContain('-2147483648 to 2147483647, got 1');
  expect(await counts(semaphore)).toEqual([2_147_483_647, 2_147_483_646, 1]);
  await semaphore.addPermits(-2_147_483_648);
  expect(await semaphore.totalPermits()).toBe(-1);
  await semaphore.delete();
});

test('using releases after its task, whose own error wins', async () => {
  const semaphore = client().getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);

  const result = await semaphore.using(async (permit) => {
    expect(permit.isHeld).toBe(true);
    return await semaphore.availablePermits();
  });
  const failed = await rejection(
    semaphore.using(async (permit) => {
      await semaphore.delete();
      expect(permit.state).toBe('lost');
      throw new RangeError('mine');
    }),
  );
  await semaphore.trySetPermits(1);
  const lost = await rejection(semaphore.using(() => semaphore.delete()));

  expect(result).toBe(0);
  expect(String(failed)).toBe('RangeError: mine');
  expect(lost).toBeInstanceOf(LeaseLostError);
});

test('a permit is released by its id, once, and its handle knows', async () => {
  const [one, other] = [client(), client()];
  const semaphore = one.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(3);
  const [a, b, c] = await semaphore.acquireMany(3);

  await semaphore.release(a!.id);
  const again = await rejection(semaphore.release(a!.id));
  const tried = [await semaphore.tryRelease(b!.id), await semaphore.tryRelease(b!.id)];
  const elsewhere = other.getPermitExpirableSemaphore(semaphore.name);
  await elsewhere.release(c!.id);
  const late = await rejection(c!.release());

  expect([a!.state, b!.state]).toEqual(['released', 'released']);
  expect(again).toBeInstanceOf(NotHeldError);
  expect(tried).toEqual([true, false]);
  expect(late).toBeInstanceOf(LeaseLostError);
  expect(await counts(semaphore)).toEqual([3, 3, 0]);
  await a!.release();
  await semaphore.delete();
});

test('a permit of another semaphore is not released here', async () => {
  const one = client();
  const [first, second] = [name(), name()].map((each) => one.getPermitExpirableSemaphore(each));
  await Promise.all([first!.trySetPermits(1), second!.trySetPermits(1)]);
  const permit = await first!.acquire();

  const released = await second!.tryRelease(permit.id);

  expect(released).toBe(false);
  expect(permit.isHeld).toBe(true);
  await first!.delete();
  await second!.delete();
});

test('a permit is told as acquired, released or lost under its id', async () => {
  const one = client();
  const semaphore = one.getPermitExpirableSemaphore(name());
  const told: string[] = [];
  const note =
    (event: string) =>
    ({ kind, holderId }: HoldEvent): unknown =>
      told.push(`${event} ${kind} ${holderId}`);
  one.on('acquired', note('acquired'));
  one.on('released', note('released'));
  one.on('lost', note('lost'));
  await semaphore.trySetPermits(2);

  const [a, b] = await semaphore.acquireMany(2);
  await a!.release();
  await semaphore.delete();

  const kind = 'permit-expirable-semaphore';
  expect(told).toEqual([
    `acquired ${kind} ${a!.id}`,
    `acquired ${kind} ${b!.id}`,
    `released ${kind} ${a!.id}`,
    `lost ${kind} ${b!.id}`,
  ]);
});

test('close releases every permit, the waiting ones get none, and nothing stays behind', async () => {
  const [one, other] = [client(), client()];
  const semaphore = one.getPermitExpirableSemaphore(name());
  const elsewhere = other.getPermitExpirableSemaphore(semaphore.name);
  await semaphore.trySetPermits(4);
  const permits = await semaphore.acquireMany(4);
  const waiting = [1, 2, 3].map((count) => rejection(semaphore.acquireMany(count)));

  await eventually(async () => (await raw.pubsub('NUMSUB', `redisson_sc:{${semaphore.name}}`))[1]);
  await one.close();

  expect(permits.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => 'released'));
  expect((await Promise.all(waiting)).map((error) => (error as Error).name)).toEqual(
    Array.from({ length: 3 }, () => 'ClosedError'),
  );
  expect(await counts(elsewhere)).toEqual([4, 4, 0]);
  await elsewhere.delete();
});

test('a gate of three reaches three at once and never lets in more', async () => {
  const gated = name();
  const semaphores = [client(), client()].map((each) => each.getPermitExpirableSemaphore(gated));
  await semaphores[0]!.trySetPermits(3);
  const full = gate();
  let inside = 0;
  let most = 0;

  await Promise.all(
    Array.from({ length: 24 }, async (_, i) => {
      await semaphores[i % 2]!.using(async () => {
        inside += 1;
        most = Math.max(most, inside);
        if (inside === 3) {
          full.open();
        }
        await full.opened;
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
        inside -= 1;
      });
    }),
  );

  expect(most).toBe(3);
  await semaphores[0]!.delete();
});

test('a name in use as something else is refused', async () => {
  const one = client();
  const [text, hash, wrongZset] = [name(), name(), name()];
  await raw.set(text, 'no number');
  await raw.hset(hash, 'a', '1');
  await raw.set(wrongZset, '5');
  await raw.set(`{${wrongZset}}:timeout`, 'x');

  for (const each of [text, hash, wrongZset]) {
    const semaphore = one.getPermitExpirableSemaphore(each);
    const calls = [
      semaphore.tryAcquire(),
      semaphore.addPermits(1),
      semaphore.setPermits(1),
      semaphore.trySetPermits(1),
      semaphore.availablePermits(),
      semaphore.tryRelease('0'.repeat(32)),
      semaphore.updateLease('0'.repeat(32), 1),
      semaphore.delete(),
    ];
    for (const error of await Promise.all(calls.map(async (call) => await rejection(call)))) {
      expect(error).toBeInstanceOf(WrongTypeError);
    }
  }
  const semaphore = one.getPermitExpirableSemaphore(name());
  await semaphore.trySetPermits(1);
  expect(await rejection(one.getLock(semaphore.name).acquire())).toBeInstanceOf(WrongTypeError);
  await semaphore.delete();
  await one.getLock(semaphore.name).using(() => undefined);

  expect(await raw.get(wrongZset)).toBe('5');
  await raw.del(text, hash, wrongZset, `{${wrongZset}}:timeout`);
});
