// A burst of more calls than a connection has under way at once, each of which is first answered with something other
// than its outcome: all of them get through, and whatever else the connection carries does, too.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { slotOf } from '../../src/core/connection/slots.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT, type World } from './world.js';

const lua = await LuaEngine.load();

/** With leases of 3 s a connection has a hundred under way at first. */
const BURST = 300;
/** A refusal that ends. */
const REFUSED_MS = 120;

/** Names of the slot that is served by another node after it has moved. */
const names = Array.from({ length: BURST }, (_, i) => `{${OBJECT}}:${i}`);

type Held = { release: () => Promise<unknown> };

const calls: Readonly<Record<string, (client: Client, name: string) => Promise<unknown>>> = {
  'acquisitions of locks': async (client, name) => await client.getLock(name).acquire(),
  'attempts at locks': async (client, name) =>
    await client.getLock(name).tryAcquire({ waitMs: 5_000 }),
  'acquisitions of fair locks': async (client, name) => await client.getFairLock(name).acquire(),
  'acquisitions of permits': async (client, name) =>
    await client.getSemaphore(name, { permits: 1 }).acquire(),
  'acquisitions of permits with leases': async (client, name) =>
    await client.getPermitExpirableSemaphore(name, { permits: 1 }).acquire(),
  'latches that are set': async (client, name) =>
    await client.getCountDownLatch(name).trySetCount(1),
  'questions about locks': async (client, name) => await client.getLock(name).isLocked(),
};

/** What the node answers to the burst, before it carries out or sends on what it gets. */
const conditions: Readonly<Record<string, (world: World) => void>> = {
  MOVED: (world) => {
    world.moveSlot(0);
  },
  ASK: (world) => {
    world.moveSlot(REFUSED_MS);
  },
  NOSCRIPT: (world) => {
    world.host.server.forgetScripts();
  },
  ...Object.fromEntries(
    (['READONLY', 'NOPERM', 'LOADING', 'TRYAGAIN', 'CLUSTERDOWN'] as const).map((refusal) => [
      refusal,
      (world: World) => {
        const { server } = world.host;
        server.refusal = refusal;
        world.timeline.at(world.timeline.now + REFUSED_MS, () => {
          server.refusal = undefined;
        });
      },
    ]),
  ),
};

/** Names of slots that stay with the first node, and with the second one. */
const [other = '', elsewhere = ''] = Array.from({ length: 10_000 }, (_, i) => `other${i}`).filter(
  (name) => slotOf(name) > slotOf(OBJECT) && slotOf(name) <= slotOf(OBJECT) + 100,
);

async function stage() {
  const { world, finish } = await steadyWorld(lua, { nodes: 2, otherSlots: 100 });
  const { client } = world.clients[0]!;
  // Both nodes serve something, and the client is connected to both.
  world.moveSlot(0, elsewhere);
  for (const name of [other, elsewhere, OBJECT]) {
    await finish(client.getLock(name).using(() => {}));
  }
  await world.timeline.run(world.timeline.now + 1_000);
  return { world, finish, client };
}

/** Calls about another name of the node that had the burst are served as ever. */
async function expectServed({ client, finish }: Awaited<ReturnType<typeof stage>>): Promise<void> {
  const hold = await finish(client.getLock(other).tryAcquire({ waitMs: 1_000 }));
  expect(hold).not.toBeNull();
  await finish(hold!.release());
}

describe.each(Object.entries(conditions))('answered with %s first,', (...[, begin]) => {
  test.each(Object.entries(calls))('three hundred %s get through', async (_, call) => {
    const all = await stage();
    const { world, finish, client } = all;
    begin(world);
    await world.timeline.run(world.timeline.now + 1);
    const from = world.timeline.now;

    const outcomes = await finish(Promise.all(names.map(async (name) => await call(client, name))));

    expect(outcomes).toHaveLength(BURST);
    expect(world.timeline.now - from).toBeLessThan(1_000);
    await expectServed(all);
  });

  test('three hundred releases of locks get through, and renewals beside them', async () => {
    const all = await stage();
    const { world, finish, client } = all;
    const holds: Held[] = await finish(
      Promise.all(names.map(async (name) => await client.getLock(name).acquire())),
    );
    const kept = await finish(client.getLock(`{${OBJECT}}:kept`).acquire());
    begin(world);
    await world.timeline.run(world.timeline.now + 1);
    const from = world.timeline.now;

    await finish(Promise.all(holds.map(async (hold) => await hold.release())));

    expect(world.timeline.now - from).toBeLessThan(1_000);
    await world.timeline.run(world.timeline.now + 6_000);
    expect(kept.isHeld).toBe(true);
    await expectServed(all);
  });
});
