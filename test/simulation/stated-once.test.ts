// The first statement of a number in a client is the only one that heeds no deletion: in virtual time.

import { describe, expect, test } from 'vitest';
import type { Client, PermitsSetting } from '../../src/index.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { kinds } from '../integration/told-permits/world.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

const leased = (client: Client, permits: PermitsSetting) =>
  client.getPermitExpirableSemaphore(OBJECT, { permits });

describe.each(kinds)('$kind', (kind) => {
  test('what was deleted is not made by another object with the same number', async () => {
    const { world, finish } = await steadyWorld(lua);
    const { client } = world.clients[0]!;
    await finish(kind.get(client, OBJECT, 5).availablePermits());
    await finish(kind.get(client, OBJECT, 5).delete());

    expect(await finish(kind.take(client, OBJECT, { count: 5, idleMs: 20_000 }))).toBeNull();

    expect(await finish(kind.get(client, OBJECT, 4).availablePermits())).toBe(4);
  });
});

describe('with set', () => {
  test.each(['set', 'error'] as const)('what was deleted is not made with %s', async (way) => {
    const { world, finish } = await steadyWorld(lua);
    const { client } = world.clients[0]!;
    await finish(leased(client, { count: 5 }).availablePermits());
    await finish(leased(client, { count: 5 }).delete());

    const permit = await finish(leased(client, { count: 5, onMismatch: way }).tryAcquire());

    expect(permit).toBeNull();
  });

  test('a number that its client has only compared before is the newest', async () => {
    const { world, finish } = await steadyWorld(lua);
    const [own, other] = [world.clients[0]!.client, world.clients[1]!.client];
    await finish(leased(other, { count: 7, onMismatch: 'set' }).availablePermits());
    await finish(leased(own, { count: 5 }).availablePermits());

    const setting = leased(own, { count: 5, onMismatch: 'set' });

    expect(await finish(setting.totalPermits())).toBe(5);
  });
});
