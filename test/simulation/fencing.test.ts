// Fencing tokens of grants that are reported late, when a failover has lost later grants, in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { failover } from './outages.js';
import { steadyWorld, type SteadyWorld } from './steady.js';
import { OBJECT, type SimulatedClient } from './world.js';

const lua = await LuaEngine.load();

const lockOf = ({ client }: SimulatedClient) => client.getFencedLock(OBJECT);

/** The client does not hear the server any more. */
function deafen({ world }: SteadyWorld, { process }: SimulatedClient): void {
  for (const link of world.network.open().filter((each) => each.process === process)) {
    link.block(false, true);
  }
}

/**
 * What the server has granted now is not reported, since its client is deaf. Another client frees the lock and gets it. A
 * failover loses that, and ends the connections of the deaf client: it gets its report at last.
 *
 * @param isFull the new master has no memory left
 * @returns the token that was reported before
 */
async function loseLaterGrants(
  { world, finish }: SteadyWorld,
  other: SimulatedClient,
  isFull: boolean,
): Promise<bigint> {
  const copy = world.host.server.keyspace.copy();
  await finish(lockOf(other).forceRelease());
  const hold = await finish(lockOf(other).acquire());
  failover(world, { at: 0, do: 'failover', lostMs: 5, downMs: 5, clockMs: 0 }, copy);
  world.host.server.refusal = isFull ? 'OOM' : undefined;
  return hold.fencingToken;
}

/** What each reports as the token of the lock. */
const acquisitions: Readonly<
  Record<string, (client: SimulatedClient) => Promise<bigint | undefined>>
> = {
  acquire: async (client) => (await lockOf(client).acquire()).fencingToken,
  tryAcquire: async (client) => (await lockOf(client).tryAcquire())?.fencingToken,
  'acquire of a multi-lock': async ({ client }) => {
    const names = [OBJECT, `${OBJECT}-2`];
    const hold = await client.getMultiLock(names, { fenced: true }).acquire();
    return hold.fencingTokens.get(OBJECT);
  },
};

const memories = ['free', 'full'] as const;

test.each(
  Object.entries(acquisitions).flatMap(([name, acquire]) =>
    memories.map((memory) => [name, memory, acquire] as const),
  ),
)(
  'the copy of an acquisition by %s whose answer is lost has a token larger than all before, with %s memory',
  async (_, memory, acquire) => {
    const stage = await steadyWorld(lua, { clients: 2 });
    const { world, finish } = stage;
    const [late, other] = world.clients as [SimulatedClient, SimulatedClient];
    await finish(lockOf(late).using(() => {}));
    deafen(stage, late);
    const acquiring = acquire(late);
    await world.timeline.run(world.timeline.now + 5);

    const before = await loseLaterGrants(stage, other, memory === 'full');

    expect(await finish(acquiring)).toBeGreaterThan(before);
  },
);

const handOffs = [
  { handOff: 'strict', turns: 'alone' },
  { handOff: 'direct', turns: 'in a run' },
] as const;

test.each(handOffs.flatMap((each) => memories.map((memory) => ({ ...each, memory }))))(
  'grants $turns that are reported late have tokens larger than all before, with $memory memory',
  async ({ handOff, memory }) => {
    const stage = await steadyWorld(lua, { clients: 3, handOffs: [handOff] });
    const { world, finish } = stage;
    const [first, late, other] = world.clients as [
      SimulatedClient,
      SimulatedClient,
      SimulatedClient,
    ];
    const held = await finish(lockOf(first).acquire());
    const waiting = [lockOf(late).acquire(), lockOf(late).acquire()] as const;
    await world.timeline.run(world.timeline.now + 50);
    deafen(stage, late);
    await finish(held.release());

    const before = await loseLaterGrants(stage, other, memory === 'full');
    const hold = await finish(waiting[0]);
    world.host.server.refusal = undefined;
    await finish(hold.release());
    const next = await finish(waiting[1]);

    expect(hold.fencingToken).toBeGreaterThan(before);
    expect(next.fencingToken).toBeGreaterThan(hold.fencingToken);
  },
);
