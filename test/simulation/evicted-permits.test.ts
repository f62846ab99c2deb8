// How many permits a permit-expirable semaphore has after the server has evicted what is kept beside it, or Java has
// changed their number: in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import type { PermitExpirableSemaphore } from '../../src/index.js';
import { steadyWorld, type SteadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();
const TIMEOUTS = `{${OBJECT}}:timeout`;
const LEASES = `redlatch_leases:{${OBJECT}}`;
const LEASE_MS = 3_000;

interface Stage extends SteadyWorld {
  readonly holder: PermitExpirableSemaphore;
  readonly user: PermitExpirableSemaphore;
  readonly passes: (ms: number) => Promise<void>;
  readonly evict: (key: string) => void;
  /** Adds permits as Java does: to what is left, and nowhere else. */
  readonly addAsJava: (permits: number) => void;
  /** How many can be taken one by one, at most ten. */
  readonly taken: () => Promise<number>;
}

async function stageOf(permits: number): Promise<Stage> {
  const steady = await steadyWorld(lua);
  const { world, finish } = steady;
  const { keyspace } = world.host.server;
  const [holder, user] = world.clients.map(({ client }) =>
    client.getPermitExpirableSemaphore(OBJECT, { permits }),
  ) as [PermitExpirableSemaphore, PermitExpirableSemaphore];
  await finish(user.availablePermits());
  return {
    ...steady,
    holder,
    user,
    passes: async (ms) => await world.timeline.run(world.timeline.now + ms),
    evict: (key) => expect(keyspace.delete(key)).toBe(true),
    addAsJava: (count) => keyspace.change(OBJECT, String(Number(keyspace.string(OBJECT)) + count)),
    taken: async () => {
      const one = async () => await finish(user.tryAcquire());
      const all = [];
      for (let permit = await one(); permit !== null && all.length < 10; permit = await one()) {
        all.push(permit);
      }
      await finish(Promise.all(all.map((permit) => permit.release())));
      return all.length;
    },
  };
}

test('a look shows permits that were evicted as left, before anybody has asked for one', async () => {
  const { finish, holder, user, evict } = await stageOf(3);
  await finish(holder.acquireMany(2));

  evict(TIMEOUTS);

  expect(await finish(user.availablePermits())).toBe(3);
  expect(await finish(user.acquiredPermits())).toBe(0);
  expect(await finish(user.totalPermits())).toBe(3);
});

test('permits that were evicted come back beside others that were taken since', async () => {
  const { finish, holder, user, evict, taken } = await stageOf(3);
  await finish(holder.acquireMany(2));
  evict(TIMEOUTS);
  const since = await finish(user.acquire());

  const beside = await taken();
  await finish(since.release());

  expect([beside, await taken()]).toEqual([2, 3]);
});

test('permits that were evicted come back after many others were taken', async () => {
  const { finish, holder, user, evict, taken } = await stageOf(3);
  await finish(holder.acquireMany(2));
  evict(TIMEOUTS);
  for (let i = 0; i < 300; i += 1) {
    await finish(user.using(() => {}));
  }

  expect(await taken()).toBe(3);
});

test('more permits that were evicted than one command can carry come back one thousand at a time', async () => {
  const { finish, holder, user, evict } = await stageOf(2_500);
  const all = async (one: PermitExpirableSemaphore) =>
    await finish(Promise.all([1_000, 1_000, 500].map((count) => one.acquireMany(count))));
  await all(holder);
  evict(TIMEOUTS);

  const again = await all(user);

  expect(again.flat()).toHaveLength(2_500);
  expect(await finish(user.tryAcquire())).toBeNull();
});

test('another number is the one of all permits, whether some were evicted or not', async () => {
  const { finish, holder, user, evict, taken } = await stageOf(3);
  await finish(holder.acquireMany(2));
  evict(TIMEOUTS);

  await finish(user.setPermits(4));

  expect([await finish(user.totalPermits()), await taken()]).toEqual([4, 4]);
});

test('a number that is added comes beside all permits, whether some were evicted or not', async () => {
  const { finish, holder, user, evict, taken } = await stageOf(3);
  await finish(holder.acquireMany(2));
  evict(TIMEOUTS);

  await finish(user.addPermits(1));

  expect([await finish(user.totalPermits()), await taken()]).toEqual([4, 4]);
});

test('the number is recorded again by the next renewal after its record was evicted', async () => {
  const { finish, holder, evict, passes, taken } = await stageOf(3);
  await finish(holder.acquireMany(2));
  evict(LEASES);
  await passes(LEASE_MS / 2);
  evict(TIMEOUTS);

  expect(await taken()).toBe(3);
});

test('what was out is lost where the permits and their record are evicted between two renewals, until the number is set', async () => {
  const { finish, holder, user, evict, taken } = await stageOf(3);
  await finish(holder.acquireMany(2));
  evict(TIMEOUTS);
  evict(LEASES);

  const before = await taken();
  await finish(user.setPermits(3));

  expect([before, await taken()]).toEqual([1, 3]);
});

test.each([
  [0, -2, 1],
  [0, 2, 5],
  [2, -1, 2],
  [2, 2, 5],
  [3, -2, 1],
])('with %s of 3 permits out Java adds %s: there are %s', async (out, added, there) => {
  const { finish, holder, addAsJava, taken, passes } = await stageOf(3);
  const permits = out > 0 ? await finish(holder.acquireMany(out)) : [];

  addAsJava(added);
  const free = await taken();
  await finish(Promise.all(permits.map((permit) => permit.release())));
  await passes(LEASE_MS);

  expect([free, await taken()]).toEqual([Math.max(there - out, 0), there]);
});

test('a number that Java has set, or changed, is recorded when none of its permits is out', async () => {
  const { finish, world, holder, evict, taken, addAsJava } = await stageOf(3);
  addAsJava(2);
  await finish(holder.using(() => {}));
  await finish(holder.acquireMany(4));
  evict(TIMEOUTS);
  const changed = await taken();
  world.host.server.keyspace.clear();
  world.setAsJava(OBJECT, 2);
  const plain = world.clients[2]!.client.getPermitExpirableSemaphore(OBJECT);
  await finish(plain.acquireMany(2));
  evict(TIMEOUTS);

  expect(changed).toBe(5);
  expect(await finish(plain.totalPermits())).toBe(2);
});

test('a number that Java lowers while permits are out stays', async () => {
  const { finish, holder, user, addAsJava } = await stageOf(5);
  await finish(holder.acquireMany(2));

  addAsJava(-3);

  expect(await finish(user.tryAcquire())).toBeNull();
  expect(await finish(user.totalPermits())).toBe(2);
});

test('permits that Java has returned are not put back again', async () => {
  const { finish, holder, world, addAsJava, taken } = await stageOf(3);
  await finish(holder.acquireMany(2));
  world.host.server.keyspace.delete(TIMEOUTS);
  addAsJava(2);

  expect(await taken()).toBe(3);
});

test('the number that Java lowers is raised again as far as Java has returned permits of ours before', async () => {
  const { finish, holder, world, addAsJava, taken } = await stageOf(3);
  await finish(holder.acquireMany(1));
  world.host.server.keyspace.delete(TIMEOUTS);
  addAsJava(1);

  addAsJava(-2);

  expect(await taken()).toBe(2);
});
