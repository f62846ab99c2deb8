// Clients that the server does not see listen: how often they ask, in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT, type SimulatedClient } from './world.js';
import type { Client, Lock } from '../../src/index.js';

const lua = await LuaEngine.load();

test('of the waiters for a fair lock the next one asks as often when the first one has left', async () => {
  const { world, ran, finish } = await steadyWorld(lua, { leaseMs: 1_000 });
  const [holder, waiter] = [world.clients[0]!.client, world.clients[1]!.client];
  world.host.server.channels.unseen.add(waiter.id);
  const hold = await finish(holder.getFairLock(OBJECT).acquire());
  // Until it listens, and hands the lock on.
  await world.timeline.run(world.timeline.now + 500);
  const leaving = waiter.getFairLock(OBJECT).tryAcquire({ waitMs: 600 });
  const staying = waiter.getFairLock(OBJECT).acquire();
  expect(await finish(leaving)).toBeNull();
  const from = world.timeline.now;
  await world.timeline.run(from + 2_000);

  const asks = ran.filter(({ at, name }) => at >= from && name === 'fair-lock/acquire');
  const pauses = asks.map(({ at }, i) => at - (asks[i - 1]?.at ?? from));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(252);
  await finish(hold.release());
  const next = await finish(staying);
  await finish(next.release());
});

const LEASE_MS = 30_000;
const locks: Readonly<Record<string, (client: Client) => Lock>> = {
  lock: (client) => client.getLock(OBJECT),
  'fenced lock': (client) => client.getFencedLock(OBJECT),
  'fair lock': (client) => client.getFairLock(OBJECT),
  'write lock': (client) => client.getReadWriteLock(OBJECT).writeLock,
};

test.each(Object.entries(locks))(
  'a waiter for a %s that is not seen, and is killed, costs the others about a second',
  async (_, lockOf) => {
    const { world, finish } = await steadyWorld(lua, { leaseMs: LEASE_MS });
    const [holder, mortal, other] = world.clients as [
      SimulatedClient,
      SimulatedClient,
      SimulatedClient,
    ];
    world.host.server.channels.unseen.add(mortal.client.id);
    const hold = await finish(lockOf(holder.client).acquire());
    void lockOf(mortal.client).acquire();
    await world.timeline.run(world.timeline.now + 700);
    const waiting = lockOf(other.client).acquire();
    await world.timeline.run(world.timeline.now + 100);
    mortal.process.kill();
    for (const link of world.network.open().filter((each) => each.process === mortal.process)) {
      link.close();
    }
    const releasedAt = world.timeline.now;
    await finish(hold.release());
    const next = await finish(waiting);

    expect(world.timeline.now - releasedAt).toBeLessThan(2_500);
    await finish(next.release());
  },
);

test('a waiter for a fair lock that is not seen finds a grant with a short lease', async () => {
  const { world, finish } = await steadyWorld(lua, { leaseMs: LEASE_MS });
  const [holder, waiter] = [world.clients[0]!.client, world.clients[1]!.client];
  world.host.server.channels.unseen.add(waiter.id);
  world.host.server.channels.deaf.add(waiter.id);
  for (let i = 0; i < 10; i += 1) {
    const hold = await finish(holder.getFairLock(OBJECT).acquire());
    const waiting = waiter.getFairLock(OBJECT).acquire({ leaseMs: 200 });
    await world.timeline.run(world.timeline.now + 500 + i * 20);
    const releasedAt = world.timeline.now;
    await finish(hold.release());
    const next = await finish(waiting);

    expect(world.timeline.now - releasedAt).toBeLessThan(200);
    await finish(next.release());
  }
});

test('a writer that is not seen keeps its place before readers when the one before it leaves', async () => {
  const { world, finish } = await steadyWorld(lua, { leaseMs: LEASE_MS });
  const [holder, waiter, other] = world.clients.map(({ client }) => client) as [
    Client,
    Client,
    Client,
  ];
  world.host.server.channels.unseen.add(waiter.id);
  const hold = await finish(holder.getReadWriteLock(OBJECT).writeLock.acquire());
  const { writeLock } = waiter.getReadWriteLock(OBJECT);
  const leaving = writeLock.tryAcquire({ waitMs: 800 });
  const order: string[] = [];
  const writes = writeLock.using(() => order.push('writer'));
  await world.timeline.run(world.timeline.now + 300);
  const reads = other.getReadWriteLock(OBJECT).readLock.using(() => order.push('reader'));
  expect(await finish(leaving)).toBeNull();
  await world.timeline.run(world.timeline.now + 300);
  await finish(hold.release());
  await finish(Promise.all([writes, reads]));

  expect(order).toEqual(['writer', 'reader']);
});
