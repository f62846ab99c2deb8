// Answers that a server gives for as long as something lasts: how often a client repeats what it has sent, in virtual
// time.

import { describe, expect, test } from 'vitest';
import { slotOf } from '../../src/core/connection/slots.js';
import type { Client } from '../../src/index.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import type { Server } from '../../src/testing/server/server.js';
import { steadyWorld } from './steady.js';
import { OBJECT, type World } from './world.js';

const lua = await LuaEngine.load();

const TERMS = { nodes: 2, otherSlots: 100, leaseMs: 3_000, commandTimeoutMs: 60_000 };

/** The longest pause is a sixth of the lease, and each lasts at least half of its longest. */
const PAUSES_A_SECOND = 4;
/** A client connects anew each second, in search of another master: its pauses begin anew. */
const PAUSES_A_CONNECTION = 10;
/** After so long the pauses have their full length. */
const GROWN_MS = 1_000;
const COUNTED_S = 10;

const HOUR_MS = 3_600_000;
const TEN = Array.from({ length: 10 }, (_, i) => `{${OBJECT}}:${i}`);

/** A name of another slot that is served. */
const OTHER = Array.from({ length: 10_000 }, (_, i) => `other${i}`).find((name) => {
  const behind = slotOf(name) - slotOf(OBJECT);
  return behind > 0 && behind <= TERMS.otherSlots;
})!;

interface Use {
  /** So many calls wait at a time. A client with a hold has two: one renews, one checks what is left. */
  readonly calls: number;
  /** Is done before the condition begins. */
  readonly before?: (world: World) => Promise<unknown>;
  readonly make: (client: Client) => Promise<unknown>;
}

const uses: Readonly<Record<string, Use>> = {
  'an acquisition': { calls: 1, make: async (client) => await client.getLock(OBJECT).acquire() },
  'each of ten acquisitions': {
    calls: TEN.length,
    make: async (client) =>
      await Promise.all(TEN.map(async (name) => await client.getLock(name).acquire())),
  },
  'the place of a waiter': {
    calls: 1 + 2,
    before: async ({ clients }) =>
      await clients[1]!.client.getFairLock(OBJECT).acquire({ leaseMs: HOUR_MS }),
    make: async (client) => await client.getFairLock(OBJECT).acquire(),
  },
  'the renewal of a hold, and its release when the lease has ended': {
    calls: 2 + 1,
    before: async ({ clients }) => await clients[0]!.client.getLock(OBJECT).acquire(),
    make: async () => await Promise.resolve(),
  },
  'a release by force': {
    calls: 1 + 2,
    before: async ({ clients }) =>
      await clients[1]!.client.getLock(OBJECT).acquire({ leaseMs: HOUR_MS }),
    make: async (client) => await client.getLock(OBJECT).forceRelease(),
  },
  'the acquisition of a permit': {
    calls: 1,
    before: async ({ clients }) => await clients[0]!.client.getSemaphore(OBJECT).trySetPermits(1),
    make: async (client) => await client.getSemaphore(OBJECT).acquire(),
  },
  'the release of a permit': {
    calls: 1,
    before: async ({ clients }) => {
      await clients[0]!.client.getSemaphore(OBJECT).trySetPermits(1);
    },
    make: async (client) => await client.getSemaphore(OBJECT).release(1),
  },
  'a count of a latch': {
    calls: 1,
    make: async (client) => await client.getCountDownLatch(OBJECT).trySetCount(1),
  },
};

const onEach =
  (change: (server: Server) => void) =>
  (world: World): void => {
    for (const { server } of world.hosts) {
      change(server);
    }
  };

const REFUSALS = [
  'LOADING',
  'READONLY',
  'OOM',
  'NOPERM',
  'NOSCRIPT',
  'UPSTREAM',
  'TRYAGAIN',
  'CLUSTERDOWN',
] as const;

const conditions: Readonly<Record<string, (world: World) => void>> = {
  'a slot that moves, without the right to ASKING': (world) => {
    onEach((server) => {
      server.deniedCommand = 'ASKING';
    })(world);
    world.moveSlot(HOUR_MS);
  },
  'a right that is missing in scripts': onEach((server) => {
    server.deniedCommand = 'PEXPIRE';
  }),
  ...Object.fromEntries(
    REFUSALS.map((refusal) => [
      refusal,
      onEach((server) => {
        server.refusal = refusal;
      }),
    ]),
  ),
};

interface Counted {
  readonly scripts: number;
  readonly others: number;
}

/** What is sent a second while a condition lasts. */
async function sentWhile(use: Use, begin: (world: World) => void): Promise<Counted> {
  const { world, ran, scriptsSince, finish } = await steadyWorld(lua, TERMS);
  await finish(world.clients[0]!.client.getLock(`{${OBJECT}}:earlier`).using(() => {}));
  await finish((use.before ?? (async () => await Promise.resolve()))(world));
  begin(world);
  use.make(world.clients[0]!.client).catch(() => {});
  await world.timeline.run(world.timeline.now + GROWN_MS);
  const from = world.timeline.now;
  await world.timeline.run(from + COUNTED_S * 1_000);

  const scripts = scriptsSince(from).length;
  const all = ran.filter(({ at }) => at >= from).length;
  return { scripts: scripts / COUNTED_S, others: (all - scripts) / COUNTED_S };
}

describe.each(Object.entries(conditions))('%s', (name, begin) => {
  test.each(Object.entries(uses))('%s is repeated after pauses that grow', async (_, use) => {
    const { scripts, others } = await sentWhile(use, begin);

    const pauses = name === 'READONLY' ? PAUSES_A_CONNECTION : PAUSES_A_SECOND;
    const most = name === 'NOSCRIPT' ? 2 * pauses : pauses;
    expect(scripts).toBeLessThanOrEqual(use.calls * most);
    // ASKING before each script, the map of slots from each of two nodes, and the probe of a refusal.
    expect(others).toBeLessThanOrEqual(use.calls * most + 3 * PAUSES_A_SECOND);
  });
});

test.each([
  { leaseMs: 30_000, commandTimeoutMs: 60_000, maxMs: 1_000 },
  { leaseMs: 3_000, commandTimeoutMs: 60_000, maxMs: 500 },
  { leaseMs: 30_000, commandTimeoutMs: 500, maxMs: 250 },
])(
  'with leaseMs $leaseMs and commandTimeoutMs $commandTimeoutMs the longest pause is $maxMs ms',
  async ({ maxMs, ...terms }) => {
    const { world, ran, finish } = await steadyWorld(lua, { ...terms, nodes: 1 });
    const lock = world.clients[0]!.client.getLock(OBJECT);
    await finish(lock.using(() => {}));
    world.host.server.refusal = 'NOPERM';
    const from = world.timeline.now;
    lock.acquire().catch(() => {});
    await world.timeline.run(from + 30_000);

    const sentAt = ran
      .filter(({ at, name }) => at >= from && name.includes('/'))
      .map(({ at }) => at);
    const pauses = sentAt.slice(1).map((at, i) => at - sentAt[i]!);

    // And the way there and back.
    expect(Math.max(...pauses)).toBeLessThanOrEqual(maxMs + 2);
    expect(Math.max(...pauses)).toBeGreaterThan(maxMs / 2);
  },
);

test('the map of a cluster with a dead master and no replica is requested after pauses that grow', async () => {
  const { world, ran } = await steadyWorld(lua, TERMS);
  world.moveSlot(0, OTHER);
  await world.timeline.run(world.timeline.now + GROWN_MS);
  const { host } = world;
  host.isUp = false;
  for (const link of host.links) {
    link.hostDied(true);
  }
  world.clients[0]!.client.getLock(OBJECT)
    .acquire()
    .catch(() => {});
  await world.timeline.run(world.timeline.now + GROWN_MS);

  const from = world.timeline.now;
  await world.timeline.run(from + COUNTED_S * 1_000);

  const requests = ran.filter(({ at, name }) => at >= from && name === 'CLUSTER').length;
  expect(requests).toBeGreaterThan(0);
  expect(requests / COUNTED_S / world.clients.length).toBeLessThanOrEqual(PAUSES_A_SECOND);
});

test('a subscription that is refused is not repeated at once', async () => {
  const { world, ran, finish } = await steadyWorld(lua, { ...TERMS, nodes: 1 });
  await finish(world.clients[1]!.client.getLock(OBJECT).acquire());
  onEach((server) => {
    server.deniesChannels = true;
  })(world);
  world.clients[0]!.client.getLock(OBJECT)
    .acquire()
    .catch(() => {});
  await world.timeline.run(world.timeline.now + GROWN_MS);

  const from = world.timeline.now;
  await world.timeline.run(from + COUNTED_S * 1_000);

  const requests = ran.filter(({ at, name }) => at >= from && /subscribe/iu.test(name)).length;
  expect(requests / COUNTED_S).toBeLessThanOrEqual(PAUSES_A_SECOND);
});
