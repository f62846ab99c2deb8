// A server that writes an append-only file, killed and started again on what it had written.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { channelsUnder, rawClient } from '../support/redis.js';
import { eventually } from '../support/eventually.js';
import { testScope } from '../support/scope.js';
import { ownServer } from '../support/server.js';
import { leasedKinds } from '../support/kinds/kinds.js';

const scope = testScope('persistence');
const folder = await mkdtemp(join(tmpdir(), 'redlatch-aof-'));
const server = await ownServer({
  args: ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'everysec'],
});

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a hold outlives a restart with appendfsync everysec, and the next token is larger', async () => {
  const raw = rawClient(server.url);
  const [a, b] = [scope.client({ redis: server.url }), scope.client({ redis: server.url })];
  const name = scope.name();
  const hold = await a.getFencedLock(name).acquire();
  const waiting = b.getFencedLock(name).acquire({ waitMs: 20_000 });
  await eventually(async () => (await channelsUnder(name, raw)).length > 0);

  await server.kill();
  await eventually(() => hold.state === 'suspect');
  await server.restart();
  await eventually(() => hold.state === 'held');
  const holders = await b.getFencedLock(name).holders();
  await hold.release();
  const next = await waiting;

  expect(holders.map(({ holderId }) => holderId)).toEqual([hold.holderId]);
  expect(next.isHeld).toBe(true);
  expect(next.fencingToken).toBeGreaterThan(hold.fencingToken);
  await next.release();
});

test('what is held outlives a restart, of every kind', async () => {
  const raw = rawClient(server.url);
  const client = scope.client({ redis: server.url });
  const held = await Promise.all(
    leasedKinds.map(async (kind) => {
      const name = scope.name();
      if (kind.isSemaphore) {
        await raw.set(name, 1);
      }
      return { kind, name, grant: await kind.get(client, name).acquire() };
    }),
  );

  await server.kill();
  await eventually(() => held.every(({ grant }) => grant.state === 'suspect'));
  await server.restart();
  await eventually(() => held.every(({ grant }) => grant.state === 'held'));

  for (const { kind, name, grant } of held) {
    await kind.expectIn(name, grant, server.url);
    await grant.release();
    expect(await kind.isFree(name, server.url), kind.what).toBe(true);
  }
});
