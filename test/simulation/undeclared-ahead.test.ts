// After a flush, a wait of an object without a number stands before one that has a number: in virtual time.

import { describe, expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { kinds } from '../integration/told-permits/world.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

describe.each(kinds)('$kind', (kind) => {
  /** A client that has stated 5 permits, of which nothing is known any more, and whose wait without a number was
   * asked for `sinceMs` ago. */
  async function flushed(sinceMs: number) {
    const { world, finish } = await steadyWorld(lua);
    const { client } = world.clients[0]!;
    const back = await finish(kind.take(client, OBJECT, 5));
    await finish(back!());
    const { keyspace } = world.host.server;
    keyspace.keys().forEach((key) => keyspace.delete(key));
    const waiting = kind.wait(client, OBJECT);
    await world.timeline.run(world.timeline.now + sinceMs);
    const from = world.timeline.now;
    return { client, finish, waiting, passedMs: () => world.timeline.now - from };
  }

  describe.each([
    ['was refused', 500],
    ['is asked for', 0.7],
  ])('while the wait without a number %s', (_, sinceMs) => {
    test('an attempt states its number again', async () => {
      const { client, finish, waiting } = await flushed(sinceMs);

      expect(await finish(kind.take(client, OBJECT, 5))).not.toBeNull();

      await finish(waiting);
      expect(await finish(kind.get(client, OBJECT, 5).availablePermits())).toBe(3);
    });

    test('a wait states its number again, at once', async () => {
      const { client, finish, waiting, passedMs } = await flushed(sinceMs);

      await finish(Promise.all([kind.wait(client, OBJECT, undefined, 5), waiting]));

      expect(passedMs()).toBeLessThan(10);
    });
  });
});
