// Who of the waiters of one client gets permits, and who asks for them: in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

test('a try gets a permit that is there as soon as the big request before it has given up', async () => {
  const { world, finish } = await steadyWorld(lua);
  const semaphore = world.clients[0]!.client.getSemaphore(OBJECT);
  await finish(semaphore.trySetPermits(2));
  const abort = new AbortController();
  const big = semaphore.acquire(5, { signal: abort.signal }).catch(String);
  const small = semaphore.acquire(1);
  await world.timeline.run(2_000);
  const blocked = await finish(semaphore.tryAcquire(1));

  abort.abort(new Error('enough'));
  const free = await finish(semaphore.tryAcquire(1));

  expect(blocked).toBe(null);
  expect(free).not.toBe(null);
  expect(await finish(big)).toContain('enough');
  expect((await finish(small)).count).toBe(1);
});

test('permits that are released again while nobody knows whether they were wait for the outcome', async () => {
  const { world, finish } = await steadyWorld(lua);
  const semaphore = world.clients[0]!.client.getSemaphore(OBJECT);
  await finish(semaphore.trySetPermits(2));
  const permits = await finish(semaphore.acquire());
  const from = world.timeline.now;
  world.host.stall(from + 1_500);

  const error = await finish(permits.release().catch(String));
  const unknownAt = world.timeline.now;
  await finish(permits.release());

  expect(error).toMatch(/^OutcomeUnknownError/u);
  expect(unknownAt - from).toBeLessThan(1_010);
  expect(world.timeline.now - from).toBeGreaterThan(1_499);
  expect(world.timeline.now - from).toBeLessThan(1_600);
  expect(await finish(semaphore.availablePermits())).toBe(2);
});

test('a permit whose grant took longer than its lease is given back, and asked for anew', async () => {
  const terms = { leaseMs: 30_000, commandTimeoutMs: 10_000 };
  const { world, finish } = await steadyWorld(lua, terms);
  const semaphore = world.clients[0]!.client.getPermitExpirableSemaphore(OBJECT);
  await finish(semaphore.trySetPermits(1));
  const from = world.timeline.now;
  world.host.stall(from + 1_200);

  const permit = await finish(semaphore.acquire({ leaseMs: 1_000 }));

  // Otherwise it would have to wait for the end of the lease that nobody can use.
  expect(world.timeline.now - from).toBeLessThan(1_210);
  expect(permit.isHeld).toBe(true);
});

test('a release of permits of which the server knows nothing settles in the time of one call', async () => {
  const { world, finish, ran } = await steadyWorld(lua);
  const semaphore = world.clients[0]!.client.getSemaphore(OBJECT);
  await finish(semaphore.trySetPermits(2));
  const permits = await finish(semaphore.acquire());
  world.host.server.keyspace.clear();
  const from = world.timeline.now;
  world.host.stall(from + 700);
  world.timeline.at(from + 700.6, () => world.host.stall(from + 5_000));

  const error = await finish(permits.release().catch(String));

  const releases = ran.filter(({ at }) => at >= from).map(({ name }) => name);
  expect(error).toMatch(/^OutcomeUnknownError/u);
  expect(world.timeline.now - from).toBeLessThan(1_010);
  expect(releases).toContain('semaphore/return');
  await world.timeline.run(from + 6_000);
});
