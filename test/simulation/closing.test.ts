// What is left of a client that is closed, and how long that takes: in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { restart } from './outages.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

test('a client that is closed while somebody waits behind a long lease leaves no timer', async () => {
  const { world, finish } = await steadyWorld(lua);
  const [holder, waiter] = [world.clients[0]!, world.clients[1]!];
  await finish(holder.client.getLock(OBJECT).acquire({ leaseMs: 600_000 }));
  const waits = waiter.client.getLock(OBJECT).acquire().catch(String);
  await world.timeline.run(2_000);
  const pending = waiter.process.pendingTimers;

  await finish(waiter.client.close());

  expect(await waits).toMatch(/^ClosedError/u);
  expect(pending).toBeGreaterThan(0);
  expect(waiter.process.pendingTimers).toBe(0);
});

test('a client is closed as soon as its last clean-up is answered', async () => {
  const { world, finish } = await steadyWorld(lua);
  const { client } = world.clients[0]!;
  world.host.stall(world.timeline.now + 300);
  const from = world.timeline.now;
  // Whether it was granted is not known when its time is up: it is taken back.
  expect(await finish(client.getLock(OBJECT).tryAcquire({ waitMs: 100 }).catch(String))).toMatch(
    /^CommandTimeoutError/u,
  );

  await finish(client.close());

  expect(world.timeline.now - from).toBeGreaterThan(299);
  expect(world.timeline.now - from).toBeLessThan(310);
});

test('a client that is closed while a multi-lock has no connection leaves no timer', async () => {
  const { world, finish } = await steadyWorld(lua);
  const { client, process } = world.clients[0]!;
  restart(world, { do: 'restart', at: 0, server: 0, downMs: 60_000, isTold: true });
  await world.timeline.run(world.timeline.now + 1);
  const trying = client.getMultiLock(['a', 'b']).tryAcquire().catch(String);
  await world.timeline.run(world.timeline.now + 20);
  const timersLeft = async (): Promise<number> => {
    await client.close();
    return process.pendingTimers;
  };

  expect(await finish(timersLeft())).toBe(0);
  expect(await trying).toMatch(/^ClosedError/u);
});
