import type { Redis } from 'ioredis';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { runNode } from '../support/run-node.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { expectWorks, openClient } from './exercise.js';

let server: OwnServer;
let tls: { ca: Buffer };
let raw: Redis;

beforeAll(async () => {
  server = await ownServer({ tls: true });
  tls = { ca: readFileSync(server.caFile ?? '') };
  raw = rawClient(server.url, { tls });
});

test('options with TLS work, and go on after a cut', async () => {
  await expectWorks({ redis: { host: server.host, port: server.port, tls } }, raw);
});

test('an instance with TLS works, and goes on after a cut', async () => {
  const redis = rawClient(server.url, { tls, lazyConnect: true });

  await expectWorks({ redis }, raw);
});

test('a rediss URL works in a process that trusts the certificate', async () => {
  const env = { REDIS_URL: server.url, NODE_EXTRA_CA_CERTS: server.caFile ?? '' };

  const run = await runNode(['examples/snippets/lock.mjs'], { env });

  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('held: true');
});

test('a rediss URL checks the certificate, and the refusal is the cause', async () => {
  const client = openClient({ redis: server.url, commandTimeoutMs: 500 });

  const error = await client
    .getLock(randomName())
    .tryAcquire()
    .catch((reason: unknown) => reason);

  expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
  expect((error as Error).cause).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});

test('a plain URL to a server with TLS settles in time', async () => {
  const redis = `redis://${server.host}:${server.port}`;
  const client = openClient({ redis, commandTimeoutMs: 300 });

  await expect(client.getLock(randomName()).tryAcquire()).rejects.toMatchObject({
    code: 'ERR_COMMAND_TIMEOUT',
  });
});

test('nothing is left of all these clients', async () => {
  await expectNoResidue(runPrefix(), { client: raw, allow: [/^redlatch_cancelled:/] });
  await expectNoChannels(runPrefix(), { client: raw });
});
