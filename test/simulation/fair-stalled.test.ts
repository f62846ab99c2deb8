// Waiters for a fair lock whose process stands still while the lock is granted to them, in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

/** The window of a grant has ended after 3 s, and the client counts as absent after 6 s. */
test.each([1_000, 2_900, 3_100, 4_500, 5_900])(
  'nobody overtakes a waiter behind one whose grant has ended before its process went on: after %s ms',
  async (stalledMs) => {
    const { world, finish } = await steadyWorld(lua, { handOffs: ['direct'] });
    const sleep = async (ms: number) => await world.timeline.run(world.timeline.now + ms);
    const [holder, two, one] = world.clients.map(({ client }) => client.getFairLock(OBJECT));
    const hold = await finish(holder!.acquire());
    const served: string[] = [];
    const calls = [];
    for (const [lock, name] of [
      [two, 'first'],
      [one, 'of another client'],
      [two, 'behind'],
      [one, 'last'],
    ] as const) {
      calls.push(lock!.using(() => served.push(name)));
      await sleep(20);
    }

    world.clients[1]!.process.stall(world.timeline.now + stalledMs);
    await finish(hold.release());
    await finish(Promise.all(calls));

    const inTime = ['first', 'of another client', 'behind', 'last'];
    const late = ['of another client', 'first', 'behind', 'last'];
    expect(served).toEqual(stalledMs < 3_000 ? inTime : late);
  },
);
