// Waiters for a fair lock that give up while the lock is granted to another one of their client, in virtual time.

import { expect, test } from 'vitest';
import { LuaEngine } from '../../src/testing/server/lua.js';
import { steadyWorld } from './steady.js';
import { OBJECT } from './world.js';

const lua = await LuaEngine.load();

/** How long after the release of the lock is sent a waiter gives up, and how long the message about the grant takes
 * to its client. The release takes half a millisecond to the server. */
const times = [
  { leavesAtMs: 0, messageMs: 0.5 },
  { leavesAtMs: 0.6, messageMs: 0.5 },
  { leavesAtMs: 0.9, messageMs: 0.5 },
  // The entry has left, and that is answered, before the message comes.
  { leavesAtMs: 0.6, messageMs: 4 },
];

test.each(times)(
  'a waiter that gives up while the lock is released lets nobody overtake: $leavesAtMs ms later, and the message takes $messageMs ms',
  async ({ leavesAtMs, messageMs }) => {
    const { world, finish, setLatency } = await steadyWorld(lua, { handOffs: ['direct'] });
    const sleep = async (ms: number) => await world.timeline.run(world.timeline.now + ms);
    const [holder, two, one] = world.clients.map(({ client }) => client.getFairLock(OBJECT));
    const hold = await finish(holder!.acquire());
    const served: string[] = [];
    const abort = new AbortController();
    const granted = two!.acquire();
    await sleep(20);
    const leaving = two!.acquire({ signal: abort.signal }).catch((error: Error) => error.name);
    await sleep(20);
    const between = one!.using(() => served.push('of another client'));
    await sleep(20);
    const last = two!.using(() => served.push('called last'));
    await sleep(20);

    const released = hold.release();
    await sleep(Math.min(leavesAtMs, 0.4));
    setLatency(messageMs);
    await sleep(Math.max(leavesAtMs - 0.4, 0));
    setLatency(0.5);
    abort.abort();
    const next = await finish(granted);
    // It is confirmed by then, and may be passed on.
    await sleep(2);
    await finish(Promise.all([released, next.release(), leaving, between, last]));

    expect(await leaving).toBe('AbortError');
    expect(served).toEqual(['of another client', 'called last']);
  },
);

test('waiters of a client that follow one another pass the lock on when one behind them has given up before', async () => {
  const { world, finish, ran } = await steadyWorld(lua, { handOffs: ['direct'] });
  const sleep = async (ms: number) => await world.timeline.run(world.timeline.now + ms);
  const [holder, three] = world.clients.map(({ client }) => client.getFairLock(OBJECT));
  const hold = await finish(holder!.acquire());
  const abort = new AbortController();
  const first = three!.using(() => undefined);
  await sleep(20);
  const second = three!.using(() => undefined);
  const leaving = three!.acquire({ signal: abort.signal }).catch((error: Error) => error.name);
  await sleep(20);
  abort.abort();
  await sleep(20);
  ran.length = 0;
  await finish(Promise.all([hold.release(), first, second, leaving]));

  expect(ran.filter(({ name }) => name === 'fair-lock/release')).toHaveLength(2);
});
