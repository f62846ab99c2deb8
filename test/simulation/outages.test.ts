// What only virtual time shows in no time: what is left of a closed client, and how often an outage is
// told.

import { expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { controlPlan } from './control.js';
import { steadyWorld } from './steady.js';
import { OBJECT, World } from './world.js';

/** The same trouble is told once in so many ms at most. */
const TOLD_EVERY_MS = 5_000;

const lua = await LuaEngine.load();

test('a client that has just passed a lock on closes without a timer', async () => {
  const world = new World(lua, 1, controlPlan(1).terms, () => {});
  const { timeline, clients } = world;
  const [one, other] = [clients[0]!, clients[1]!];
  const story = async (): Promise<void> => {
    const held = await one.client.getLock(OBJECT).acquire();
    const waiting = other.client.getLock(OBJECT).acquire();
    await world.sleep(other, 50);
    await held.release();
    await (await waiting).release();
    await world.close(one);
  };
  let isOver = false;
  void story().then(() => {
    isOver = true;
  });

  await timeline.run(10_000, () => isOver);

  expect(isOver).toBe(true);
  expect(world.recorder.surprises).toEqual([]);
  expect(one.process.pendingTimers).toBe(0);
});

test('an outage is told once in a while, not with every attempt to connect', async () => {
  const world = new World(lua, 1, controlPlan(1).terms, () => {});
  const [one] = [world.clients[0]!];
  const told: number[] = [];
  await world.timeline.run(1_000);
  one.client.on('error', () => told.push(world.timeline.now));
  world.host.isUp = false;
  for (const link of world.host.links) {
    link.hostDied(true);
  }

  await world.timeline.run(61_000);

  // When it begins, and then every five seconds.
  expect(told.length).toBeGreaterThan(5);
  expect(told.length).toBeLessThan(2 + 60_000 / TOLD_EVERY_MS + 2);
});

test('a call in an outage says whether it was sent, and how long it had', async () => {
  const world = new World(lua, 1, controlPlan(1).terms, () => {});
  const [one, other] = [world.clients[0]!, world.clients[1]!];
  await world.timeline.run(1_000);
  const told: string[] = [];
  const ask = async ({ client }: typeof one): Promise<void> => {
    await client
      .getLock(OBJECT)
      .isLocked()
      .catch((error: unknown) => told.push(String(error)));
  };

  world.host.stall(10_000);
  void ask(one);
  await world.timeline.run(5_000);
  world.host.isUp = false;
  for (const link of world.host.links) {
    link.hostDied(true);
  }
  await world.timeline.run(6_000);
  void ask(other);
  await world.timeline.run(9_000);

  const [sent, unsent] = told;
  expect(sent).toMatch(/no answer from Redis within 1\d\d\d ms for "thing"/u);
  expect(unsent).toMatch(/no connection to Redis within 1\d\d\d ms for "thing"/u);
});

test('a client that is closed while nothing answers has no timer left either', async () => {
  const world = new World(lua, 1, controlPlan(1).terms, () => {});
  const [one] = [world.clients[0]!];
  await world.timeline.run(1_000);
  world.host.stall(60_000);
  const failed = one.client
    .getLock(OBJECT)
    .acquire()
    .catch(({ name }: Error) => name);
  await world.timeline.run(1_010);
  let isClosed = false;
  void world.close(one).then(() => {
    isClosed = true;
  });

  await world.timeline.run(30_000, () => isClosed);

  expect(await failed).toBe('ClosedError');
  expect(world.recorder.surprises).toEqual([]);
  expect(one.process.pendingTimers).toBe(0);
});

test('a connection that ends while a channel is left takes no error with it', async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => {
    unheard.push(error);
  };
  process.on('unhandledRejection', hear);
  let left = 0;
  const world: World = new World(lua, 1, controlPlan(1).terms, (_, [command]) => {
    if (command === 'unsubscribe') {
      left += 1;
      for (const link of world.host.links) {
        link.hostDied(true);
      }
    }
  });
  const { client } = world.clients[0]!;

  void client.getCountDownLatch(OBJECT).trySetCount(1);
  const waiting = client.getCountDownLatch(OBJECT).wait({ waitMs: 1_000 });
  await world.timeline.run(60_000);
  process.off('unhandledRejection', hear);

  expect(await waiting).toBe(false);
  expect(left).toBeGreaterThan(0);
  expect(unheard).toEqual([]);
});

test('a connection that has answered nothing for a quarter of the lease is made anew', async () => {
  const { world, finish } = await steadyWorld(lua, { leaseMs: 12_000, commandTimeoutMs: 10_000 });
  const { client, process } = world.clients[0]!;
  const from = world.timeline.now;
  for (const link of world.network.open()) {
    if (link.process === process) {
      link.block(true, true);
    }
  }

  const isLocked = await finish(client.getLock(OBJECT).isLocked());

  expect(isLocked).toBe(false);
  expect(world.timeline.now - from).toBeGreaterThan(3_000);
  expect(world.timeline.now - from).toBeLessThan(3_050);
});

const waits: [what: string, wait: (client: Client) => Promise<unknown>][] = [
  ['lock', async (client) => await client.getLock(OBJECT).acquire({ waitMs: 300 })],
  ['semaphore', async (client) => await client.getSemaphore(OBJECT).acquire(1, { waitMs: 300 })],
  [
    'permit-expirable semaphore',
    async (client) => await client.getPermitExpirableSemaphore(OBJECT).acquire({ waitMs: 300 }),
  ],
  ['latch', async (client) => await client.getCountDownLatch(OBJECT).wait({ waitMs: 300 })],
];

test.each(waits)('a wait for a %s says whether there was a connection', async (_, wait) => {
  const { world, finish } = await steadyWorld(lua);
  const [one, other] = [world.clients[0]!.client, world.clients[1]!.client];

  world.host.stall(world.timeline.now + 10_000);
  const unanswered = await finish(wait(one).catch(String));
  world.host.isUp = false;
  for (const link of world.host.links) {
    link.hostDied(true);
  }
  await world.timeline.run(20_000);
  const unconnected = await finish(wait(other).catch(String));

  expect(unanswered).toMatch(/^CommandTimeoutError: no answer from Redis within 30\d ms/u);
  expect(unconnected).toMatch(/^CommandTimeoutError: no connection to Redis within 30\d ms/u);
});
