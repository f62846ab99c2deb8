// What a client sends and keeps where nobody sees it from outside, and when: in virtual time.

import { describe, expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import type { Client } from '../../src/index.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

const lockIn = (client: Client) => client.getLock(OBJECT);
const semaphoreIn = (client: Client) => client.getSemaphore(OBJECT);
const permitsIn = (client: Client) => client.getPermitExpirableSemaphore(OBJECT);

test('a hold keeps the process alive, and nothing does after its release or its loss', async () => {
  const { world, finish } = await steadyWorld(lua);
  const { client, process } = world.clients[0]!;
  const refs: number[] = [process.refs];

  const hold = await finish(lockIn(client).acquire());
  refs.push(process.refs);
  await finish(hold.release());
  refs.push(process.refs);
  await finish(lockIn(client).acquire({ leaseMs: 500 }));
  refs.push(process.refs);
  await world.timeline.run(world.timeline.now + 2_000);
  refs.push(process.refs);

  expect(refs).toEqual([0, 1, 0, 1, 0]);
});

describe('who waited in vain is told for how long', () => {
  const waits: readonly {
    readonly what: string;
    readonly hold: (client: Client) => Promise<unknown>;
    readonly wait: (client: Client) => Promise<unknown>;
    readonly says: RegExp;
  }[] = [
    {
      what: 'lock',
      hold: async (client) => await lockIn(client).acquire(),
      wait: async (client) => await lockIn(client).acquire({ waitMs: 700 }),
      says: /^AcquireTimeoutError: .* (?:after|within) 70\d ms$/u,
    },
    {
      what: 'semaphore',
      hold: async (client) => await semaphoreIn(client).trySetPermits(0),
      wait: async (client) => await semaphoreIn(client).acquire(1, { waitMs: 700 }),
      says: /^AcquireTimeoutError: a permit of .* after 70\d ms$/u,
    },
    {
      what: 'permits',
      hold: async (client) => await permitsIn(client).trySetPermits(0),
      wait: async (client) => await permitsIn(client).acquire({ waitMs: 700 }),
      says: /^AcquireTimeoutError: .* (?:after|within) 70\d ms$/u,
    },
  ];

  test.each(waits)('$what', async ({ hold, wait, says }) => {
    const { world, finish } = await steadyWorld(lua);
    const [one, other] = [world.clients[0]!.client, world.clients[1]!.client];
    await finish(hold(one));

    const error = await finish(wait(other).catch(String));

    expect(error).toMatch(says);
  });
});

test('a deletion gives back nothing of the permits that it ends', async () => {
  const { world, scriptsSince, finish } = await steadyWorld(lua);
  const { client } = world.clients[0]!;
  await finish(permitsIn(client).trySetPermits(2));
  const permit = await finish(permitsIn(client).acquire());

  const from = world.timeline.now;
  await finish(permitsIn(client).delete());
  await world.timeline.run(from + 5_000);

  expect(permit.state).toBe('lost');
  expect(scriptsSince(from)).toEqual(['expirable-semaphore/delete']);
});

test('a number of permits that is set already makes no waiter ask', async () => {
  const { world, scriptsSince, finish } = await steadyWorld(lua);
  const { client } = world.clients[0]!;
  await finish(semaphoreIn(client).trySetPermits(0));
  void semaphoreIn(client).acquire();
  await world.timeline.run(1_500);

  const from = world.timeline.now;
  const isSet = await finish(semaphoreIn(client).trySetPermits(3));
  await world.timeline.run(from + 2_000);

  expect(isSet).toBe(false);
  expect(scriptsSince(from)).toEqual(['semaphore/try-set-permits']);
});

test('whoever may hear no message gets the permits that its own client gives back at once', async () => {
  const { world, finish } = await steadyWorld(lua);
  const { client } = world.clients[0]!;
  world.host.server.deniesChannels = true;
  await finish(semaphoreIn(client).trySetPermits(1));
  const waited: number[] = [];
  const turn = async (): Promise<void> => {
    const permits = await semaphoreIn(client).acquire();
    waited.push(world.timeline.now);
    await permits.release();
  };

  await finish(Promise.all(Array.from({ length: 9 }, turn)));

  expect(waited.at(-1)! - waited[0]!).toBeLessThan(50);
});

test('a wait for permits is in the queue of all clients once it was passed over for 5 s', async () => {
  const { world, finish } = await steadyWorld(lua);
  const [one, other] = [world.clients[0]!.client, world.clients[1]!.client];
  await finish(semaphoreIn(one).trySetPermits(0));
  void semaphoreIn(other).acquire();
  const isQueued = (): boolean => world.host.server.keyspace.has(`redlatch_waiting:{${OBJECT}}`);

  await world.timeline.run(5_900);
  const early = isQueued();
  await world.timeline.run(6_100);

  expect([early, isQueued()]).toEqual([false, true]);
});

test('clients that were passed over in one second get permits in the order in which they came', async () => {
  const { world, finish } = await steadyWorld(lua);
  const [one, first, second] = world.clients.map(({ client }) => client);
  await finish(semaphoreIn(one!).trySetPermits(0));
  const served: string[] = [];
  const wait = async (who: string, client: Client): Promise<void> => {
    await semaphoreIn(client).acquire();
    served.push(who);
  };
  await world.timeline.run(2_000);
  void wait('first', first!);
  await world.timeline.run(2_300);
  void wait('second', second!);
  await world.timeline.run(9_000);

  for (let i = 0; i < 2; i += 1) {
    await finish(semaphoreIn(one!).addPermits(1));
    await world.timeline.run(world.timeline.now + 100);
  }

  expect(served).toEqual(['first', 'second']);
});

test('a re-entry that is under way asks for no renewal of a fixed lease', async () => {
  const { world, ran, finish } = await steadyWorld(lua);
  const { client } = world.clients[0]!;
  const outer = await finish(lockIn(client).acquire({ leaseMs: 3_000 }));
  world.host.stall(world.timeline.now + 1_500);

  const inner = await finish(lockIn(client).acquire({ within: outer, leaseMs: 3_000 }));
  await world.timeline.run(world.timeline.now + 100);

  const renewals = ran.filter(({ name }) => name === 'lock/renew');
  expect(renewals.length).toBeGreaterThan(0);
  expect(renewals.map(({ argv }) => argv.at(-1))).toEqual(renewals.map(() => '0'));
  await finish(inner.release());
});

test('a subscription that is confirmed after it was left is not made again', async () => {
  const { world, ran, finish } = await steadyWorld(lua);
  const [one, other] = [world.clients[0]!.client, world.clients[1]!.client];
  await finish(one.getLock('held').acquire({ leaseMs: 60_000 }));
  await finish(semaphoreIn(one).trySetPermits(0));
  await finish(semaphoreIn(other).tryAcquire(1, { waitMs: 50 }));
  await world.timeline.run(10_000);
  const waiting = semaphoreIn(other).tryAcquire(1, { waitMs: 20 });
  await world.timeline.run(world.timeline.now + 1.2);
  world.host.stall(world.timeline.now + 1_800);
  await finish(waiting);
  await world.timeline.run(world.timeline.now + 10_000);

  const from = world.timeline.now;
  for (const link of world.host.links) {
    link.hostDied(true);
  }
  await world.timeline.run(from + 5_000);

  const subscribed = ran.filter(({ at, name }) => at >= from && name === 'subscribe');
  // A client that has held something listens to its own channel, and its connection to itself.
  expect(subscribed.map(({ argv }) => argv.slice(1))).toEqual([
    [`redlatch:${one.id}`],
    [expect.stringMatching(/^redlatch_self:/u)],
  ]);
});

test('a client of a cluster asks for what it holds as soon as a node is back', async () => {
  const { world, ran, finish } = await steadyWorld(lua, { nodes: 2, leaseMs: 30_000 });
  const { client } = world.clients[0]!;
  await finish(lockIn(client).acquire());

  const from = world.timeline.now;
  for (const link of world.host.links) {
    link.hostDied(true);
  }
  await world.timeline.run(from + 5_000);

  expect(ran.some(({ at, name }) => at >= from && name === 'lock/renew')).toBe(true);
});

test('a client that is closed while somebody waits in an outage leaves no timer', async () => {
  const { world, finish } = await steadyWorld(lua);
  const [holder, waiter] = [world.clients[0]!, world.clients[1]!];
  await finish(lockIn(holder.client).acquire());
  const waits = lockIn(waiter.client).acquire().catch(String);
  await world.timeline.run(world.timeline.now + 1_000);
  world.host.isUp = false;
  for (const link of world.host.links) {
    link.hostDied(true);
  }
  await world.timeline.run(world.timeline.now + 50);
  const pending = waiter.process.pendingTimers;

  await finish(waiter.client.close());

  expect(await waits).toMatch(/^ClosedError/u);
  expect(pending).toBeGreaterThan(0);
  expect(waiter.process.pendingTimers).toBe(0);
});

test('a grant that was never told and was ended by force is asked for anew', async () => {
  const { world, finish } = await steadyWorld(lua);
  const [asks, forces] = [world.clients[0]!, world.clients[1]!];
  const from = world.timeline.now;
  const links = world.network.open().filter(({ process }) => process === asks.process);
  for (const link of links) {
    link.block(false, true);
  }

  const asked = lockIn(asks.client).acquire();
  await world.timeline.run(from + 1);
  const isForced = await finish(lockIn(forces.client).forceRelease());
  for (const link of links) {
    link.hostDied(true);
  }
  const hold = await finish(asked);

  expect(isForced).toBe(true);
  expect([hold.isHeld, await finish(lockIn(forces.client).isLocked())]).toEqual([true, true]);
  expect(world.timeline.now - from).toBeLessThan(100);
});

test('a client that keeps freeing a lock lets one in that is further away', async () => {
  const { world } = await steadyWorld(lua);
  const [busy, far] = [world.clients[0]!, world.clients[1]!];
  for (const link of world.network.open()) {
    link.slowness = link.process === far.process ? 1 : 0;
  }
  let releases = 0;
  const keepBusy = async (): Promise<void> => {
    for (;;) {
      const hold = await lockIn(busy.client).acquire();
      await world.sleep(busy, 20);
      await hold.release();
      releases += 1;
    }
  };
  void keepBusy();
  void keepBusy();
  await world.timeline.run(world.timeline.now + 100);

  const from = releases;
  let got: number | undefined;
  void lockIn(far.client)
    .acquire()
    .then(() => {
      got = releases - from;
    });
  await world.timeline.run(world.timeline.now + 1_000);

  expect(got).toBeLessThan(10);
});
