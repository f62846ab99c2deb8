// Semaphores that are kept for so long while nobody uses them: in virtual time.

import { describe, expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { kinds } from '../integration/told-permits/world.js';
import { IDLE_MS, idleWorld, KEPT_MIN_MS, type IdleWorld } from './idle.js';

const lua = await LuaEngine.load();

/** What is known of a semaphore outlives it by a second. */
const GONE_MS = IDLE_MS + 1_010;

/** The shortest idleMs that can be told. */
const BRIEF = { count: 2, idleMs: 1_000 };

/** The answers of calls are known for so long. */
const RECORD_MS = 1_800_000;

const uses: readonly [name: string, use: (world: IdleWorld) => Promise<unknown>][] = [
  ['a permit that is given back', async ({ take }) => await (await take())()],
  ['one of a client that was told nothing', async ({ take }) => await (await take(1))()],
  ['an attempt in vain', async ({ askInVain }) => await askInVain()],
  ['another number', async ({ finish, semaphore }) => await finish(semaphore().addPermits(1))],
  ['the same of others', async ({ finish, semaphore }) => await finish(semaphore(1).addPermits(1))],
  ['a number in vain', async ({ finish, semaphore }) => await finish(semaphore().trySetPermits(5))],
  [
    'the first look of another client that is told the number',
    async ({ finish, semaphore, told }) => await finish(semaphore(2, told).availablePermits()),
  ],
];

describe.each(kinds)('$kind', (kind) => {
  test('it goes when it was not used for so long, with all that is known of it', async () => {
    const { world, take, passes, isThere, keys } = await idleWorld(lua, kind);
    await (
      await take()
    )();

    await passes(IDLE_MS - 10);
    const before = isThere();
    await passes(GONE_MS - IDLE_MS + 10);
    const after = keys();
    await passes(RECORD_MS);

    expect([before, after]).toEqual([true, []]);
    expect(world.host.server.keyspace.keys()).toEqual([]);
  });

  test.each(uses)('its end moves with each use: %s', async (_, use) => {
    const idle = await idleWorld(lua, kind);
    await (
      await idle.take()
    )();

    await idle.passes(IDLE_MS - 1_000);
    await use(idle);
    await idle.passes(IDLE_MS - 1_000);
    const isKept = idle.isThere();
    await idle.passes(IDLE_MS + 1_000);

    expect(isKept).toBe(true);
    expect(idle.isThere()).toBe(false);
  });

  test.each(uses)('a short idleMs gives a waiter time to ask again: %s', async (_, use) => {
    const idle = await idleWorld(lua, kind, BRIEF);
    await (
      await idle.take()
    )();

    await use(idle);
    await idle.passes(KEPT_MIN_MS - 500);
    const isKept = idle.isThere();
    // Who was told nothing leaves it until the lease would have ended.
    await idle.passes(3_000 + 1_010);

    expect([isKept, idle.keys()]).toEqual([true, []]);
  });

  test('so does one of a number that is set', async () => {
    const idle = await idleWorld(lua, kind, BRIEF);
    await idle.finish(idle.semaphore().trySetPermits(2));

    await idle.passes(KEPT_MIN_MS - 500);
    const isKept = idle.isThere();
    await idle.passes(1_510);

    expect([isKept, idle.keys()]).toEqual([true, []]);
  });

  test('who looks at it moves nothing', async () => {
    const { take, passes, finish, semaphore, isThere } = await idleWorld(lua, kind);
    await (
      await take()
    )();

    await passes(IDLE_MS - 1_000);
    await finish(semaphore().availablePermits());
    await passes(2_000);

    expect(isThere()).toBe(false);
  });

  test('it stays while a permit is out, and its permits are those of the same semaphore', async () => {
    const { take, passes, finish, semaphore, keys } = await idleWorld(lua, kind);
    const back = await take();

    await passes(100 * IDLE_MS);
    const left = await finish(semaphore().availablePermits());
    const other = await take(1);
    await passes(100 * IDLE_MS);
    await other();
    await passes(100 * IDLE_MS);
    const leftAgain = await finish(semaphore().availablePermits());
    await back();
    const all = await finish(semaphore().availablePermits());
    await passes(GONE_MS);

    expect([left, leftAgain, all]).toEqual([1, 1, 2]);
    expect(keys()).toEqual([]);
  });

  test('the next use of a client that was told the number makes it again', async () => {
    const { take, passes, finish, semaphore } = await idleWorld(lua, kind);
    await (
      await take()
    )();
    await finish(semaphore().addPermits(5));
    await passes(GONE_MS);

    const back = await take();
    const left = await finish(semaphore().availablePermits());
    await back();
    await passes(GONE_MS);

    // What was changed since has gone with it.
    expect(left).toBe(1);
    expect(await finish(semaphore(1).availablePermits())).toBe(0);
  });

  test('it stays while somebody waits for more than there are, who is served when there are', async () => {
    const { take, passes, finish, semaphore, world, isThere } = await idleWorld(lua, kind, BRIEF);
    await (
      await take()
    )();
    await finish(semaphore().addPermits(-2));
    let isServed = false;
    const waiting = kind.wait(world.clients[0]!.client, 'thing').then(() => {
      isServed = true;
    });

    const seen: boolean[] = [];
    for (let i = 0; i < 20; i += 1) {
      await passes(1_500);
      seen.push(isThere() && !isServed);
    }
    await finish(semaphore(1).addPermits(1));
    await finish(waiting);

    expect(new Set(seen)).toEqual(new Set([true]));
  });

  test('the idleMs that is told last counts, and that of a number which is set is its own', async () => {
    const { take, passes, finish, semaphore, isThere } = await idleWorld(lua, kind);
    await finish(semaphore().trySetPermits(2));
    await passes(IDLE_MS - 10);
    const isOfFirst = isThere();
    await passes(20);
    const isGone = !isThere();
    await (
      await take()
    )();
    await (
      await take(1, { count: 2, idleMs: 3 * IDLE_MS })
    )();
    await passes(2 * IDLE_MS);

    expect([isOfFirst, isGone, isThere()]).toEqual([true, true, true]);
    await passes(2 * IDLE_MS);
    expect(isThere()).toBe(false);
  });

  test('one that was there before goes too, once a client has told of it', async () => {
    const { take, passes, finish, semaphore, isThere } = await idleWorld(lua, kind);
    await finish(semaphore(1).trySetPermits(2));
    const early = await take(1);
    await (
      await take()
    )();
    await passes(5 * IDLE_MS);
    const isKept = isThere();

    await early();
    // Who was told nothing leaves it until the lease would have ended.
    await passes(GONE_MS + 3_000);

    expect([isKept, isThere()]).toEqual([true, false]);
  });

  test('a ttlMs wins', async () => {
    const { take, passes, finish, semaphore, isThere } = await idleWorld(lua, kind);
    await finish(semaphore().trySetPermits(2, { ttlMs: 3 * IDLE_MS }));
    await (
      await take()
    )();

    await passes(2 * IDLE_MS);
    const isKept = isThere();
    await take();
    await passes(IDLE_MS);

    expect([isKept, isThere()]).toEqual([true, false]);
  });

  test('without an idleMs it stays', async () => {
    const { take, passes, isThere, world } = await idleWorld(lua, kind);
    await (
      await take(1, { count: 2 })
    )();

    await passes(100 * IDLE_MS);

    expect(isThere()).toBe(true);
    expect(world.host.server.keyspace.expiresAt('thing')).toBe(Number.POSITIVE_INFINITY);
  });
});
