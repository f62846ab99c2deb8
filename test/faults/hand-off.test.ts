// Clients that hand locks on, on a bad line.

import { expect, test } from 'vitest';
import { CommandTimeoutError } from '../../src/index.js';
import { faultWorlds, rejection } from './world.js';

const open = faultWorlds('hand-off');

test('a waiter whose ask has no answer says so, and one behind it says that the lock is held', async (context) => {
  const { proxy, name, open: openClient, other } = await open(context);
  const client = openClient({ handOff: 'strict' });
  const held = await other.getLock(name).acquire();
  await client.getLock(name).tryAcquire();
  proxy.pauseUpstream();

  const { error } = await rejection(client.getLock(name).acquire({ waitMs: 150 }));

  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect((error as Error).message).toContain('no answer from Redis');
  proxy.resumeUpstream();
  const first = client.getLock(name).acquire();
  const behind = await rejection(client.getLock(name).acquire({ waitMs: 150 }));
  expect(behind.error).toMatchObject({ code: 'ERR_ACQUIRE_TIMEOUT' });
  await held.release();
  await (await first).release();
});
