// Calls behind one that the server has refused for the moment, in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import type { Client } from '../../src/index.js';
import { steadyWorld } from './steady.js';

const lua = await LuaEngine.load();

const calls: Readonly<Record<string, (client: Client, name: string) => Promise<unknown>>> = {
  'an acquisition': async (client, name) => await client.getLock(name).acquire(),
  'a counted call': async (client, name) => await client.getCountDownLatch(name).trySetCount(1),
};

test.each(Object.entries(calls))(
  '%s is made behind the call that was refused before it',
  async (_, call) => {
    const { world, finish, ran } = await steadyWorld(lua);
    const { client } = world.clients[0]!;
    const { server } = world.host;
    server.refusal = 'LOADING';
    const first = client.getLock('first').acquire();
    await world.timeline.run(world.timeline.now + 5);
    server.refusal = undefined;
    ran.length = 0;
    const second = call(client, 'second');
    await finish(Promise.all([first, second]));

    const keys = ran.flatMap(({ argv }) => argv.filter((each) => /^(first|second)$/u.test(each)));
    expect([...new Set(keys)]).toEqual(['first', 'second']);
  },
);
