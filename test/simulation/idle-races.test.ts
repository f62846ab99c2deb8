// What may come between the last use of a semaphore and its end: in virtual time.

import { describe, expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { kinds } from '../integration/told-permits/world.js';
import { IDLE_MS, idleWorld, PERMITS, type IdleWorld } from './idle.js';

const lua = await LuaEngine.load();
const GONE_MS = IDLE_MS + 1_010;
const [COUNTING, LEASED] = [kinds[0]!, kinds[1]!];
/** The shortest idleMs that can be told. */
const BRIEF = { count: 2, idleMs: 1_000 };
const nobody = { isAsking: false, message: () => {}, moved: () => {} };

const usesOfOthers: readonly [name: string, use: (world: IdleWorld) => Promise<unknown>][] = [
  ['a permit that is given back', async ({ take }) => await (await take(1))()],
  [
    'one of a client that was told the idleMs',
    async ({ take }) => await (await take(1, { ...BRIEF, count: 1 }))(),
  ],
  ['another number', async ({ finish, semaphore }) => await finish(semaphore(1).addPermits(-1))],
  [
    'a number in vain',
    async ({ finish, semaphore }) => await finish(semaphore(1).trySetPermits(5)),
  ],
  [
    'the first look of a client that is told the number',
    async ({ finish, semaphore, told }) => await finish(semaphore(2, told).availablePermits()),
  ],
];

describe.each(kinds)('$kind', (kind) => {
  test.each(usesOfOthers)(
    'it does not go under a waiter, nor come back with other permits, after a use of others: %s',
    async (_, use) => {
      const idle = await idleWorld(lua, kind, BRIEF);
      const { take, passes, finish, semaphore, isThere, waitFor } = idle;
      await (
        await take()
      )();
      await finish(semaphore().addPermits(-1));
      const isGranted = waitFor(2);
      await passes(1_200);

      await use(idle);
      const seen: [isThere: boolean, isGranted: boolean][] = [];
      for (let i = 0; i < 30; i += 1) {
        await passes(1_000);
        seen.push([isThere(), isGranted()]);
      }

      expect(seen).toEqual(Array.from({ length: 30 }, () => [true, false]));
    },
  );

  test('a late copy of any call makes no semaphore that is gone, and adds nothing to the next', async () => {
    const { world, ran, take, passes, finish, semaphore, keys } = await idleWorld(lua, kind);
    const server = world.host.server;
    const [first, second] = [await take(), await take()];
    const refused = await finish(kind.take(world.clients[0]!.client, 'thing'));
    await first();
    await finish(semaphore().addPermits(1));
    await second();
    await passes(GONE_MS);
    const calls = ran.filter(({ argv }) => argv[0]!.startsWith('EVAL')).map(({ argv }) => argv);
    const copyAll = (): void => {
      for (const argv of calls) {
        server.handle(nobody, argv);
      }
    };

    copyAll();
    const none = keys();
    const back = await take();
    copyAll();
    const left = await finish(semaphore().availablePermits());
    await back();
    await passes(GONE_MS);

    expect(refused).toBeNull();
    expect(calls.length).toBeGreaterThan(5);
    expect([none, left]).toEqual([[], 1]);
    expect(keys()).toEqual([]);
  });

  test('a permit that is granted in the last millisecond keeps it', async () => {
    for (const beforeMs of [3, 2, 1, 0]) {
      const { take, passes, finish, semaphore, isThere, world } = await idleWorld(lua, kind);
      await (
        await take()
      )();
      const { keyspace } = world.host.server;
      const endsAt = keyspace.expiresAt('thing')!;
      // The way to the server takes half a millisecond.
      await passes(endsAt - keyspace.nowMs() - beforeMs - 0.5);
      const wasThere = isThere();

      const back = await take(1);
      await passes(5 * IDLE_MS);

      expect([beforeMs, wasThere, isThere()]).toEqual([beforeMs, true, true]);
      expect(await finish(semaphore().availablePermits())).toBe(1);
      await back();
    }
  });

  test('what was left of it when it went gives nothing to the one that is made after it', async () => {
    const { world, take, passes, finish, semaphore, isThere } = await idleWorld(lua, kind);
    const back = await take();
    // As if the server had lost it, with the permit.
    world.host.server.keyspace.delete('thing');
    await passes(2 * GONE_MS);
    const wasThere = isThere();

    const next = await take(2, PERMITS);
    await back().catch(() => {});
    const left = await finish(semaphore().availablePermits());
    await next();
    await passes(GONE_MS);

    expect([wasThere, left, isThere()]).toEqual([false, 1, false]);
  });
});

test('without a record it stays, and takes an idleMs when it is made again', async () => {
  const { world, take, passes, finish, semaphore, isThere, keys } = await idleWorld(lua, COUNTING);
  await finish(semaphore(1).trySetPermits(2));
  world.host.server.keyspace.delete('redlatch_permits:{thing}');
  await (
    await take()
  )();
  await passes(5 * IDLE_MS);
  const isKept = isThere();

  await finish(semaphore().delete());
  const isSet = await finish(semaphore().trySetPermits(2));
  await passes(GONE_MS);

  expect([isKept, isSet, keys()]).toEqual([true, true, []]);
});

test('it goes so long after the last lease, when the process that had it was killed', async () => {
  const { world, take, passes, isThere } = await idleWorld(lua, LEASED);
  await take();
  await passes(5 * IDLE_MS);
  const isKept = isThere();

  world.clients[0]!.process.kill();
  await passes(IDLE_MS);
  const isKeptAfterwards = isThere();
  await passes(3_100);

  expect([isKept, isKeptAfterwards, isThere()]).toEqual([true, true, false]);
});

test('a lease is not cut to the end of the semaphore, whoever acquires and lengthens it', async () => {
  const { world, take, passes, finish, isThere } = await idleWorld(lua, LEASED);
  await (
    await take()
  )();
  const semaphore = world.clients[1]!.client.getPermitExpirableSemaphore('thing');

  const permit = await finish(semaphore.acquire({ leaseMs: 5 * IDLE_MS }));
  await passes(4 * IDLE_MS);
  await finish(permit.extend(5 * IDLE_MS));
  await passes(4 * IDLE_MS);
  const isHeld = permit.isHeld && permit.remainingMs > IDLE_MS / 2;
  await finish(semaphore.updateLease(permit.id, 5 * IDLE_MS));
  await passes(4 * IDLE_MS);

  expect([isHeld, permit.isHeld, isThere()]).toEqual([true, true, true]);
  await passes(2 * IDLE_MS + 100);
  expect(isThere()).toBe(false);
});

test('a release by id moves the end as near as it may', async () => {
  const { world, finish, passes, isThere } = await idleWorld(lua, LEASED);
  const semaphore = world.clients[0]!.client.getPermitExpirableSemaphore('thing', {
    permits: PERMITS,
  });
  const theirs = world.clients[1]!.client.getPermitExpirableSemaphore('thing');
  await finish(semaphore.availablePermits());
  const permit = await finish(theirs.acquire({ leaseMs: 9 * IDLE_MS }));

  await finish(semaphore.release(permit.id));
  await passes(IDLE_MS + 10);

  expect(isThere()).toBe(false);
});
