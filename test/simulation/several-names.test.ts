// Waits of multi-locks whose time is up at a certain instant: in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld, type SteadyWorld } from './steady.js';

const lua = await LuaEngine.load();

/** A multi-lock has waited 290 ms for its first name, which another client has released just now. */
async function freedWhileWaiting(
  handOff: 'direct' | 'unseen',
  waitMs: number,
): Promise<SteadyWorld & { readonly trying: Promise<unknown> }> {
  const steady = await steadyWorld(lua, { handOffs: [handOff] });
  const { world, finish } = steady;
  const [holder, waiter] = [world.clients[0]!, world.clients[1]!];
  const lock = waiter.client.getMultiLock(['a', 'b']);
  const [first = ''] = lock.names;
  const busy = await finish(holder.client.getLock(first).acquire());
  const trying = lock.tryAcquire({ waitMs }).catch(String);
  await world.timeline.run(world.timeline.now + 290);
  await finish(busy.release());
  return { ...steady, trying };
}

test.each(['direct', 'unseen'] as const)(
  'a wait that ends while the rest is asked for was contended (clients: %s)',
  async (handOff) => {
    const { world, finish, trying } = await freedWhileWaiting(handOff, 300);
    const ranBefore = world.timeline.now;
    // The message that it is free is on its way: whatever it is asked then is answered too late.
    world.host.stall(world.timeline.now + 200);

    expect(await finish(trying)).toBeNull();
    expect(world.timeline.now - ranBefore).toBeLessThan(15);
  },
);

test.each(['direct', 'unseen'] as const)(
  'a wait that ends long after the server has fallen silent reports that (clients: %s)',
  async (handOff) => {
    const { world, finish, trying } = await freedWhileWaiting(handOff, 800);
    world.host.stall(world.timeline.now + 2_000);

    expect(await finish(trying)).toMatch(/^CommandTimeoutError/u);
  },
);

/** The end of the wait meets each of its steps. */
const FREED_AT_MS = Array.from({ length: 24 }, (_, i) => 294 + i / 4);

test.each(['direct', 'unseen'] as const)(
  'a wait for a second busy name is contended, whenever the first one was freed (clients: %s)',
  async (handOff) => {
    for (const freedAtMs of FREED_AT_MS) {
      const { world, finish } = await steadyWorld(lua, { handOffs: [handOff] });
      const [one, other, waiter] = world.clients;
      const lock = waiter!.client.getMultiLock(['a', 'b']);
      const [first = '', second = ''] = lock.names;
      const busy = await finish(one!.client.getLock(first).acquire());
      await finish(other!.client.getLock(second).acquire());
      const trying = lock.tryAcquire({ waitMs: 300 }).catch(String);
      await world.timeline.run(world.timeline.now + freedAtMs);
      await finish(busy.release());

      expect(await finish(trying), `freed after ${freedAtMs} ms`).toBeNull();
    }
  },
);

test.each([
  ['a fixed lease', { leaseMs: 150 }],
  ['a lease that its bound cuts', { maxHoldMs: 150 }],
])('%s that was over when its answer came is no hold', async (_, terms) => {
  const { world, finish } = await steadyWorld(lua, { handOffs: ['direct'] });
  const [holder, waiter] = [world.clients[0]!, world.clients[1]!];
  const lock = waiter.client.getMultiLock(['a', 'b']);
  const busy = await finish(holder.client.getLock(lock.names[1]!).acquire());
  const acquiring = lock.acquire(terms);
  await world.timeline.run(world.timeline.now + 1_000);
  const releasing = busy.release();
  // It is granted the second name, and its last ask is on the way.
  await world.timeline.run(world.timeline.now + 1.2);
  world.host.stall(world.timeline.now + 400);

  const hold = await finish(acquiring);
  await finish(releasing);

  expect(hold.isHeld).toBe(true);
});

test('a multi-lock of one name asks for nothing more once it was granted that', async () => {
  const { world, finish, scriptsSince } = await steadyWorld(lua, { handOffs: ['direct'] });
  const [holder, waiter] = [world.clients[0]!, world.clients[1]!];
  const busy = await finish(holder.client.getLock('a').acquire());
  const acquiring = waiter.client.getMultiLock(['a']).acquire();
  await world.timeline.run(world.timeline.now + 1_000);
  const from = world.timeline.now;
  await finish(busy.release());

  const hold = await finish(acquiring);
  await world.timeline.run(world.timeline.now + 100);

  expect(hold.isHeld).toBe(true);
  expect(scriptsSince(from)).not.toContain('multi-lock/acquire');
});
