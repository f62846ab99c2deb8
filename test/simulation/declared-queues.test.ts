// The local queue of a wait that states its number first, and asks when that is answered: in virtual time.

import { expect, onTestFinished, test, vi } from 'vitest';
import { ChurnMap } from '../../src/core/base/churn-map.js';
import { PermitQueue } from '../../src/core/permits/permit-queue.js';
import { PermitsMismatchError, TooManyWaitersError, type Client } from '../../src/index.js';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

const plain = (client: Client) => client.getPermitExpirableSemaphore(OBJECT);
const strict = (client: Client, count: number) =>
  client.getPermitExpirableSemaphore(OBJECT, { permits: { count, onMismatch: 'error' } });

/** A world in which somebody has the only permit. */
async function taken() {
  const steady = await steadyWorld(lua);
  const { world, finish } = steady;
  const others = plain(world.clients[1]!.client);
  await finish(others.trySetPermits(1));
  await finish(others.acquire());
  return { ...steady, own: world.clients[0]!.client };
}

/** How many local queues for permits are known, of those that were from now on. */
function knownQueues(): () => number {
  const spy = vi.spyOn(ChurnMap.prototype, 'set');
  onTestFinished(() => {
    spy.mockRestore();
  });
  return () =>
    spy.mock.calls.filter(([key, value], i) => {
      const map = spy.mock.contexts[i] as ChurnMap<unknown, unknown>;
      return value instanceof PermitQueue && map.get(key) === value;
    }).length;
}

test('a wait that ends before its number is agreed leaves no queue behind', async () => {
  const { own, finish } = await taken();
  const known = knownQueues();
  const aborted = new AbortController();

  const waiting = strict(own, 1).acquire({ signal: aborted.signal });
  aborted.abort(new Error('given up'));
  await expect(finish(waiting)).rejects.toThrow('given up');
  await expect(finish(strict(own, 2).acquire())).rejects.toThrow(PermitsMismatchError);
  expect(known()).toBe(0);

  await expect(finish(strict(own, 1).acquire({ waitMs: 100 }))).rejects.toThrow('had not enough');
  expect(known()).toBe(0);
});

test('a wait whose number is agreed joins those that wait then', async () => {
  const { own, world, finish } = await taken();
  const [first, second] = [new AbortController(), new AbortController()];
  const givingUp = plain(own).acquire({ signal: first.signal });
  givingUp.catch(() => {});
  await world.timeline.run(world.timeline.now + 100);
  const agreeing = strict(own, 1).acquire({ signal: second.signal });
  agreeing.catch(() => {});
  await world.timeline.run(world.timeline.now + 0.2);
  first.abort();
  await world.timeline.run(world.timeline.now + 100);
  const behind = plain(own).acquire();
  behind.catch(() => {});
  await world.timeline.run(world.timeline.now + 100);

  await expect(finish(plain(own).acquire({ maxWaiters: 2, waitMs: 100 }))).rejects.toThrow(
    TooManyWaitersError,
  );
  second.abort();
  await expect(finish(plain(own).acquire({ maxWaiters: 1, waitMs: 100 }))).rejects.toThrow(
    TooManyWaitersError,
  );
});
