// What a wait for permits says when their number was set while it waited: in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import type { Client } from '../../src/index.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

const plain = (client: Client) => client.getSemaphore(OBJECT);
const leased = (client: Client) => client.getPermitExpirableSemaphore(OBJECT);

type Kind = 'semaphore' | 'permit-expirable semaphore';

const waits: Readonly<Record<Kind, (client: Client) => Promise<unknown>>> = {
  semaphore: async (client: Client) => await plain(client).acquire(1, { waitMs: 700 }),
  'permit-expirable semaphore': async (client: Client) =>
    await leased(client).acquire({ waitMs: 700 }),
};

const changes: [kind: Kind, call: string, (client: Client) => Promise<unknown>][] = [
  ['semaphore', 'trySetPermits', async (client) => await plain(client).trySetPermits(0)],
  ['semaphore', 'addPermits', async (client) => await plain(client).addPermits(0)],
  [
    'permit-expirable semaphore',
    'trySetPermits',
    async (client) => await leased(client).trySetPermits(0),
  ],
  [
    'permit-expirable semaphore',
    'setPermits',
    async (client) => {
      await leased(client).setPermits(0);
    },
  ],
  [
    'permit-expirable semaphore',
    'addPermits',
    async (client) => {
      await leased(client).addPermits(0);
    },
  ],
];

test.each(changes)(
  'a wait for a %s whose time runs out just when %s of its client was answered knows that it was set',
  async (kind, _, change) => {
    const { world, finish } = await steadyWorld(lua);
    const { client } = world.clients[0]!;
    const from = world.timeline.now;
    const waiting: Promise<unknown> = waits[kind](client);
    const waited = waiting.catch(String);
    // The answer is there half a millisecond before the time is up: too late to ask once more.
    await world.timeline.run(from + 698.5);

    await finish(change(client));

    expect(await finish(waited)).toMatch(/^AcquireTimeoutError: .* (?:after|within) 70\d ms$/u);
  },
);
