// What a client of a cluster sends, and what it says, when nodes come, go and know nothing.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { slotOf } from '../../src/core/connection/slots.js';
import type { Host } from '../../src/testing/network/host.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

function cutOff(host: Host): void {
  for (const link of host.links) {
    link.hostDied(true);
  }
}

test('a call without an answer from a node that has no slot any more is made again', async () => {
  const { world, finish } = await steadyWorld(lua, { nodes: 2 });
  const next = world.hosts.find((host) => host !== world.host)!;
  const from = world.timeline.now;

  // Nothing is there yet, so the question is sent on to the node to which the slot is moving. The map
  // does not have that node, and says so before it answers.
  world.moveSlot(50);
  const asked = world.clients[0]!.client.getLock(OBJECT).isLocked();
  await world.timeline.run(from + 3.2);
  next.stall(from + 100);

  expect(await finish(asked)).toBe(false);
  expect(world.timeline.now - from).toBeLessThan(150);
});

test('a client of a cluster in which nothing happens asks for the map of slots no more', async () => {
  const { world, ran } = await steadyWorld(lua, { nodes: 2 });

  await world.timeline.run(60_000);

  expect(ran.filter(({ name }) => name === 'CLUSTER')).toEqual([]);
});

test('fifty calls that a node sends elsewhere at once make a client request the map of slots twice at most', async () => {
  const { world, ran, finish } = await steadyWorld(lua, { nodes: 2 });
  const lock = world.clients[0]!.client.getLock(OBJECT);
  world.moveSlot(0);
  await world.timeline.run(2_000);

  const answers = await finish(
    Promise.all(Array.from({ length: 50 }, async () => await lock.isLocked())),
  );

  await world.timeline.run(world.timeline.now + 1_000);

  expect(new Set(answers)).toEqual(new Set([false]));
  expect(ran.filter(({ name }) => name === 'CLUSTER').length).toBeLessThanOrEqual(2);
});

test('a call whose slot nobody serves says so, and nothing of an outage that is over', async () => {
  const { world, finish } = await steadyWorld(lua, { nodes: 2 });
  const { client } = world.clients[0]!;
  for (const host of world.hosts) {
    host.isUp = false;
    cutOff(host);
  }
  await world.timeline.run(3_000);
  for (const host of world.hosts) {
    host.isUp = true;
  }
  await world.timeline.run(6_000);

  const error: unknown = await finish(
    client
      .getLock('elsewhere')
      .isLocked()
      .catch((thrown: unknown) => thrown),
  );

  expect(error).toMatchObject({
    name: 'CommandTimeoutError',
    cause: { message: 'no master is known yet' },
  });
});

test('in a cluster each channel is subscribed with a command of its own after an outage too', async () => {
  const { world, ran } = await steadyWorld(lua, { nodes: 2, otherSlots: 16_383 - slotOf(OBJECT) });
  const { client, process } = world.clients[0]!;
  const names = Array.from({ length: 10_000 }, (_, i) => `${OBJECT}${i}`)
    .filter((name) => slotOf(name) > slotOf(OBJECT))
    .slice(0, 5);
  for (const name of names) {
    void client.getLock(name).acquire({ leaseMs: 600_000 });
    void client.getLock(name).acquire();
  }
  await world.timeline.run(2_000);
  ran.length = 0;

  for (const link of world.network.open()) {
    if (link.process === process) {
      link.hostDied(true);
    }
  }
  await world.timeline.run(4_000);

  // One command can name channels of one slot only.
  const channels = ran
    .filter(({ name }) => name === 'ssubscribe')
    .map(({ argv }) => argv.slice(1))
    .filter(([channel]) => channel?.startsWith('redlatch_self') === false);
  expect(new Set(names.map(slotOf)).size).toBeGreaterThan(2);
  expect(channels.map(({ length }) => length)).toEqual(names.map(() => 1));
});

test('a channel of a cluster that was left is not subscribed again after an outage', async () => {
  const { world, ran, finish } = await steadyWorld(lua, { nodes: 2 });
  const [holder, waiter] = [world.clients[0]!.client, world.clients[1]!.client];
  await finish(holder.getLock(OBJECT).acquire({ leaseMs: 600_000 }));
  await finish(waiter.getLock(OBJECT).tryAcquire({ waitMs: 500 }));
  await world.timeline.run(6_000);
  const subscribed = ran.filter(({ name }) => name === 'ssubscribe').length;

  cutOff(world.host);
  await world.timeline.run(12_000);

  // To its own channel for that lock, and to that of the lock.
  expect(subscribed).toBe(2);
  expect(ran.filter(({ name }) => name === 'ssubscribe').length).toBe(subscribed);
});
