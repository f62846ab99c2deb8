// Who of the waiters of one client gets permits, and who asks for them: in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

test('a try gets a permit that is there as soon as the big request before it has given up', async () => {
  const { world, finish } = await steadyWorld(lua);
  const semaphore = world.clients[0]!.client.getSemaphore(OBJECT);
  await finish(semaphore.trySetPermits(2));
  const abort = new AbortController();
  const big = semaphore.acquire(5, { signal: abort.signal }).catch(String);
  const small = semaphore.acquire(1);
  await world.timeline.run(2_000);
  const blocked = await finish(semaphore.tryAcquire(1));

  abort.abort(new Error('enough'));
  const free = await finish(semaphore.tryAcquire(1));

  expect(blocked).toBe(null);
  expect(free).not.toBe(null);
  expect(await finish(big)).toContain('enough');
  expect((await finish(small)).count).toBe(1);
});
