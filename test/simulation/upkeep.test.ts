// What a connection costs on which nothing happens.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

test('a connection that listens sends a ping and a message to itself every 2.5 s, and no more', async () => {
  const { world, ran, finish } = await steadyWorld(lua);
  const { client } = world.clients[0]!;
  // A client that has held something for 100 ms listens.
  await finish(client.getLock(OBJECT).acquire({ leaseMs: 600_000 }));
  await world.timeline.run(world.timeline.now + 6_000);

  const from = world.timeline.now;
  await world.timeline.run(from + 25_000);

  const sent = ran.filter(({ at }) => at >= from);
  expect(sent.filter(({ name }) => name.toUpperCase() === 'PING')).toHaveLength(10);
  const channels = sent.map(({ argv }) => argv[1] ?? '');
  expect(channels.filter((channel) => channel.startsWith('redlatch_self:'))).toHaveLength(10);
});
