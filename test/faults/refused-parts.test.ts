// A release of several names of which the server refuses one.

import { expect, test } from 'vitest';
import { createClient } from '../../src/index.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { rejection } from './world.js';

const server = await ownServer();
const raw = rawClient(server.url);

test('a release of several names that is refused for one of them frees the others, and goes on', async ({
  onTestFinished,
}) => {
  await raw.call('ACL', 'SETUSER', 'user', 'on', '>x', '~*', '&*', '+@all');
  const client = createClient({
    redis: server.url.replace('//', '//user:x@'),
    commandTimeoutMs: 400,
  });
  onTestFinished(async () => await client.close());
  const ends: string[] = [];
  client.on('lost', ({ error }) => ends.push(`lost ${error.reason}`));
  client.on('released', () => ends.push('released'));
  const name = randomName();
  const several = client.getMultiLock([`${name}-a`, `${name}-b`, `${name}-c`]);
  const [first = '', second = '', third = ''] = several.names;
  const hold = await several.acquire();
  const stranger = rawClient(server.url);
  await stranger.subscribe(`redisson_lock__channel:{${second}}`);
  // Only a lock for which somebody waits who stands in no line needs that right at its release.
  await raw.call('ACL', 'SETUSER', 'user', '-pexpire');

  const { error } = await rejection(hold.release());
  const held = await Promise.all([first, second, third].map(async (one) => await raw.exists(one)));

  expect(String(error)).toContain("can't run this command");
  expect(held).toEqual([0, 1, 0]);
  expect(ends).toEqual([]);
  await raw.call('ACL', 'SETUSER', 'user', '+pexpire');
  await hold.release();
  expect(await raw.exists(second)).toBe(0);
  expect(ends).toEqual(['released']);
});
