// A server that does not carry out WAIT shows nothing of its replicas: that is told at once.

import { expect, test } from 'vitest';
import { AccessDeniedError } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { leastRights } from '../../connections/everything.js';
import { eventually } from '../../support/eventually.js';
import { rawClient } from '../../support/redis.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';

const scope = testScope('replicas-refused');
const server = await ownServer();
const raw = rawClient(server.url);
const replicas = { min: 1, timeoutMs: 60_000 };

async function userWith(name: string, ...rights: string[]): Promise<string> {
  const least = leastRights(scope.prefix);
  // Redis 6 gives all channels to a user that is reset.
  const own = ['reset', 'resetchannels', 'on', '>secret'];
  await raw.call('ACL', 'SETUSER', name, ...own, ...least, ...rights);
  return `redis://${name}:secret@${server.host}:${server.port}`;
}

test('a user without the right to WAIT is refused, and the lock is free', async () => {
  const name = scope.name();
  const client = scope.client({ redis: await userWith('impatient') });
  await client.getLock(name).using(() => {});

  const error = await rejection(client.getLock(name).acquire({ replicas }));

  expect(error).toBeInstanceOf(AccessDeniedError);
  expect(error).toMatchObject({ code: 'ERR_ACCESS_DENIED', resource: name });
  expect(String((error as AccessDeniedError).cause)).toMatch(/NOPERM.*wait/u);
  await eventually(async () => (await raw.exists(name)) === 0);
});

test('a server, or a proxy, that does not know WAIT is refused, also where grants are kept', async () => {
  const other = await ownServer({ args: ['--rename-command', 'WAIT', ''] });
  const kept = { ...replicas, onShortfall: 'keep' } as const;
  const client = scope.client({ redis: other.url, replicas: kept });

  const error = await rejection(client.getLock(scope.name()).tryAcquire());

  expect(error).toBeInstanceOf(AccessDeniedError);
  expect(String((error as AccessDeniedError).cause)).toContain('unknown command');
  expect(String(error)).toContain('leave out the "replicas" option');
});

test('a user with the right to WAIT needs no other right', async () => {
  const client = scope.client({ redis: await userWith('patient', '+wait') });
  const kept = { min: 1, timeoutMs: 1, onShortfall: 'keep' } as const;

  const hold = await client.getLock(scope.name()).acquire({ replicas: kept });

  expect(hold.isHeld).toBe(true);
  await hold.release();
});
