// Clients that come to a busy server one after the other, in virtual time: to each of them the queues of those before it
// are part of the way.

import { expect, test, vi } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { again, steadyWorld } from './steady.js';

const lua = await LuaEngine.load();

// In virtual time a failure is never bad luck: no test ends because the machine is busy.
vi.setConfig({ testTimeout: 180_000 });

const CLIENTS = 10;
const LEASE_MS = 3_000;
/** Commands that the server carries out in a second. */
const PER_SECOND = 1_000;
/** More than the server answers within a lease, in each client. */
const CALLERS = 1_000;
const EVERY_MS = 3_000;

test('no hold is lost, though ten clients with endless callers come one after the other', async () => {
  const { world, finish } = await steadyWorld(lua, { clients: CLIENTS, leaseMs: LEASE_MS });
  const lost: string[] = [];
  const holds = await finish(
    Promise.all(
      world.clients.map(async ({ client }, i) => {
        client.on('lost', ({ resource }) => lost.push(resource));
        return await client.getLock(`held-${i}`).acquire();
      }),
    ),
  );
  world.host.perSecond = PER_SECOND;
  const over = new AbortController();

  for (const [i, { client, process }] of world.clients.entries()) {
    // Its next connection is made behind what the others have sent.
    for (const link of world.network.open().filter((each) => each.process === process)) {
      link.cut();
    }
    for (let caller = 0; caller < CALLERS; caller += 1) {
      void again(client, `free-${i}-${caller}`, over.signal);
    }
    await world.timeline.run(world.timeline.now + EVERY_MS);
  }
  await world.timeline.run(world.timeline.now + 2 * LEASE_MS);

  expect([lost, holds.map(({ isHeld }) => isHeld)]).toEqual([[], holds.map(() => true)]);
  over.abort();
  world.host.perSecond = 0;
  await finish(Promise.all(world.clients.map(async ({ client }) => await client.close())));
});
