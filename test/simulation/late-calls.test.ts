// Calls that count, and the clock of the server: none is run when its caller waits no more, and each one that has time
// left gets through, in virtual time.

import { describe, expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { ReplyError, Status, type Reply } from '../../src/testing/keyspace/reply.js';
import type { Client } from '../../src/index.js';
import { steadyWorld, type SteadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How often it was run, or refused as late, since. */
const runsOf = ({ ran }: SteadyWorld, script: string): number =>
  ran.filter(({ name }) => name === script).length;

const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'latch/try-set-count': (client) => client.getCountDownLatch(OBJECT).trySetCount(1_000),
  'latch/count-down': (client) => client.getCountDownLatch(OBJECT).countDown(),
  'latch/delete': (client) => client.getCountDownLatch(OBJECT).delete(),
  'semaphore/try-set-permits': (client) => client.getSemaphore(OBJECT).trySetPermits(3),
  'semaphore/add-permits': (client) => client.getSemaphore(OBJECT).addPermits(2),
  'semaphore/release': (client) => client.getSemaphore(OBJECT).release(),
  'semaphore/drain-permits': (client) => client.getSemaphore(OBJECT).drainPermits(),
  'semaphore/delete': (client) => client.getSemaphore(OBJECT).delete(),
  'expirable-semaphore/configure': (client) =>
    client
      .getPermitExpirableSemaphore(OBJECT, { permits: { count: 2, onMismatch: 'error' } })
      .availablePermits(),
  'expirable-semaphore/try-set': (client) =>
    client.getPermitExpirableSemaphore(OBJECT).trySetPermits(3),
  'expirable-semaphore/resize': (client) =>
    client.getPermitExpirableSemaphore(OBJECT).setPermits(3),
  'expirable-semaphore/update-lease': (client) =>
    client.getPermitExpirableSemaphore(OBJECT).updateLease('00'.repeat(16), 5_000),
  'expirable-semaphore/release-any': (client) =>
    client
      .getPermitExpirableSemaphore(OBJECT)
      .release('00'.repeat(16))
      .catch((error: Error) => expect(error.name).toBe('NotHeldError')),
  'expirable-semaphore/delete': (client) => client.getPermitExpirableSemaphore(OBJECT).delete(),
  'lock/force-release': (client) => client.getLock(OBJECT).forceRelease(),
  'fair-lock/force-release': (client) => client.getFairLock(OBJECT).forceRelease(),
  'rwlock/force-release': (client) => client.getReadWriteLock(OBJECT).writeLock.forceRelease(),
};

describe.each(Object.entries(calls))('%s', (script, call) => {
  test('costs a round trip more after the clock of the server was set forward, and no more after that', async () => {
    const steady = await steadyWorld(lua);
    const { world, finish } = steady;
    const { client } = world.clients[0]!;
    world.host.clock.offsetMs += HOUR_MS;

    await finish(call(client));
    expect(runsOf(steady, script)).toBe(2);
    await finish(call(client));

    // A statement of permits is made once.
    expect(runsOf(steady, script)).toBe(script.endsWith('/configure') ? 2 : 3);
  });
});

test('a hundred calls at once all get through after the clock was set forward', async () => {
  const steady = await steadyWorld(lua);
  const { world, finish } = steady;
  const latch = world.clients[0]!.client.getCountDownLatch(OBJECT);
  await finish(latch.trySetCount(101));
  world.host.clock.offsetMs += HOUR_MS;

  await finish(Promise.all(Array.from({ length: 100 }, () => latch.countDown())));

  expect(await finish(latch.count())).toBe(1);
});

test.each([HOUR_MS, -HOUR_MS])(
  'a call gets through after a failover to a server whose clock differs by %s ms, and after a slot has moved there',
  async (aheadMs) => {
    const steady = await steadyWorld(lua, { nodes: 2, otherSlots: 100 });
    const { world, finish } = steady;
    const latch = world.clients[0]!.client.getCountDownLatch(OBJECT);
    for (const host of world.hosts) {
      host.server.aheadMs = host === world.host ? 0 : aheadMs;
    }
    for (const link of world.network.open()) {
      link.cut();
    }
    await world.timeline.run(world.timeline.now + 2_000);
    expect(await finish(latch.trySetCount(10))).toBe(true);
    world.moveSlot(0);
    await finish(latch.countDown());
    expect(await finish(latch.count())).toBe(9);

    expect(runsOf(steady, 'latch/try-set-count')).toBe(1);
  },
);

test('where the caller waits for three round trips no call is late', async () => {
  const steady = await steadyWorld(lua, { commandTimeoutMs: 600 });
  const { world, finish, setLatency } = steady;
  const latch = world.clients[0]!.client.getCountDownLatch(OBJECT);
  setLatency(100);
  await finish(latch.trySetCount(200));
  for (let i = 0; i < 100; i += 1) {
    await finish(latch.countDown());
    await world.timeline.run(world.timeline.now + i * 50);
  }

  expect(await finish(latch.count())).toBe(100);
  expect(runsOf(steady, 'latch/count-down')).toBe(100);
});

test.each([0.999_9, 1.000_1])(
  'for a day, with a clock of the server that runs at %s, a call costs a command, and one that reports the time each half minute',
  async (rate) => {
    const steady = await steadyWorld(lua, { commandTimeoutMs: 3_000, leaseMs: 30_000 });
    const { world, finish, ran } = steady;
    const { clock } = world.host;
    const latch = world.clients[0]!.client.getCountDownLatch(OBJECT);
    await finish(latch.trySetCount(100_000));
    const from = world.timeline.now;
    let made = 0;
    while (world.timeline.now - from < DAY_MS) {
      clock.offsetMs = (rate - 1) * (world.timeline.now - from);
      await finish(latch.countDown());
      made += 1;
      await world.timeline.run(world.timeline.now + 1_000 * 1.5 ** (made % 10));
    }

    expect(await finish(latch.count())).toBe(100_000 - made);
    expect(runsOf(steady, 'latch/count-down')).toBe(made);
    expect(ran.filter(({ name }) => name === 'TIME').length).toBeLessThanOrEqual(DAY_MS / 30_000);
  },
);

test('the first call after an hour in which none was made requests the time before', async () => {
  const steady = await steadyWorld(lua);
  const { world, finish, ran } = steady;
  const latch = world.clients[0]!.client.getCountDownLatch(OBJECT);
  await finish(latch.trySetCount(10));
  await world.timeline.run(world.timeline.now + HOUR_MS);
  ran.length = 0;

  await finish(latch.countDown());
  await finish(latch.countDown());

  const names = ran.map(({ name }) => name).filter((name) => /TIME|latch/u.test(name));
  expect(names).toEqual(['TIME', 'latch/count-down', 'latch/count-down']);
  expect(await finish(latch.count())).toBe(8);
});

test('a call that comes behind one that waits for the time is not made before it', async () => {
  const { world, finish } = await steadyWorld(lua);
  const [own, other] = world.clients.map(({ client }) => client.getLock(OBJECT));
  await finish(own!.forceRelease());
  await finish(other!.acquire({ leaseMs: 10 * HOUR_MS }));
  await world.timeline.run(world.timeline.now + HOUR_MS);

  const forced = own!.forceRelease();
  const hold = await finish(own!.acquire());
  await finish(forced);
  await world.timeline.run(world.timeline.now + 5_000);

  expect(hold.isHeld).toBe(true);
  await finish(hold.release());
});

test('where INFO does not show the time, no call is made before that is known', async () => {
  const steady = await steadyWorld(lua);
  const { world, finish, ran } = steady;
  const latch = world.clients[0]!.client.getCountDownLatch(OBJECT);
  world.host.server.hidesInfo = true;
  for (const link of world.network.open()) {
    link.cut();
  }
  await world.timeline.run(world.timeline.now + 2_000);
  ran.length = 0;

  expect(await finish(latch.trySetCount(10))).toBe(true);

  const names = ran.map(({ name }) => name).filter((name) => /TIME|latch/u.test(name));
  expect(names).toEqual(['TIME', 'latch/try-set-count']);
  expect(Number(ran.at(-1)?.argv.at(-1))).toBeGreaterThan(0);
});

test('where users have no right to TIME a call has no such limit, and costs one command', async () => {
  const steady = await steadyWorld(lua);
  const { world, finish, ran } = steady;
  const latch = world.clients[0]!.client.getCountDownLatch(OBJECT);
  await finish(latch.trySetCount(10));
  world.host.server.deniedCommand = 'TIME';
  world.host.clock.offsetMs += HOUR_MS;
  await world.timeline.run(world.timeline.now + HOUR_MS);
  for (let i = 0; i < 5; i += 1) {
    await finish(latch.countDown());
    await world.timeline.run(world.timeline.now + 40_000);
  }

  world.host.server.deniedCommand = undefined;
  expect(await finish(latch.count())).toBe(5);
  expect(runsOf(steady, 'latch/count-down')).toBe(5);
  // Five calls in three minutes: it is requested anew twice a minute at most.
  expect(ran.filter(({ name }) => name === 'TIME').length).toBeLessThanOrEqual(5);
});

const answers: Readonly<Record<string, Reply>> = {
  'that it does not know the command': new ReplyError("ERR unknown command 'TIME'"),
  'that it is busy': new ReplyError('BUSY Redis is busy running a script.'),
  'with something else': new Status('OK'),
};

test.each(Object.entries(answers))(
  'where a server answers %s to TIME no call waits for that',
  async (_, answer) => {
    const steady = await steadyWorld(lua);
    const { world, finish, ran } = steady;
    const { client } = world.clients[0]!;
    const latch = client.getCountDownLatch(OBJECT);
    await finish(latch.trySetCount(10));
    world.host.server.timeAnswer = answer;
    await world.timeline.run(world.timeline.now + HOUR_MS);
    ran.length = 0;
    const from = world.timeline.now;
    const counted = latch.countDown();
    const held = client.getLock(`${OBJECT}:lock`).acquire();
    const [hold] = await finish(Promise.all([held, counted]));

    expect(world.timeline.now - from).toBeLessThan(5);
    await finish(hold.release());
    for (let i = 0; i < 4; i += 1) {
      await finish(latch.countDown());
      await world.timeline.run(world.timeline.now + 10_000);
    }
    expect(runsOf(steady, 'latch/count-down')).toBe(5);
    expect(ran.filter(({ name }) => name === 'TIME').length).toBeLessThanOrEqual(2);
    world.host.server.timeAnswer = undefined;
    expect(await finish(latch.count())).toBe(5);
  },
);

test.each(['stays', 'moves'])(
  'a hundred calls after an hour, over 30 ms, are made once each while their slot %s',
  async (slot) => {
    const steady = await steadyWorld(lua, { nodes: 2, otherSlots: 100, commandTimeoutMs: 3_000 });
    const { world, finish, setLatency } = steady;
    const latch = world.clients[0]!.client.getCountDownLatch(OBJECT);
    await finish(latch.trySetCount(101));
    await world.timeline.run(world.timeline.now + HOUR_MS);
    setLatency(15);
    const from = world.timeline.now;
    const counted = Promise.all(Array.from({ length: 100 }, () => latch.countDown()));
    if (slot === 'moves') {
      world.moveSlot(0);
    }
    await finish(counted);
    const tookMs = world.timeline.now - from;

    expect(await finish(latch.count())).toBe(1);
    // The time, the calls, and where the slot has moved a connection there and the calls once more.
    expect(tookMs).toBeLessThan(slot === 'moves' ? 10 * 30 : 3 * 30);
  },
);
