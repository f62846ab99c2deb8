// Clients of node-redis, versions 4 to 6, as templates: where they lead, and that they are only read.

import type { Redis } from 'ioredis';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccessDeniedError, createQuorumClient, type NodeRedisClient } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { cutClients, expectCycle, expectWorks, openClient } from './exercise.js';
import { AGENT, allowAgent, inUse, PASSWORD, VERSIONS } from './node-redis-versions.js';

let folder: string;
let path: string;
let server: OwnServer;
let secure: OwnServer;
let raw: Redis;
let third: Redis;
let ca: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redlatch-socket-'));
  path = join(folder, 'redis.sock');
  [server, secure] = await Promise.all([
    ownServer({ args: ['--unixsocket', path] }),
    ownServer({ tls: true }),
  ]);
  ca = readFileSync(secure.caFile ?? '');
  raw = rawClient(server.url);
  third = rawClient(`${server.url}/3`);
  await allowAgent(raw);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  for (const client of [raw, third]) {
    await expectNoResidue(runPrefix(), { client, allow: [/^redlatch_cancelled:/] });
  }
  await expectNoChannels(runPrefix(), { client: raw });
});

function url(user = `jo:${encodeURIComponent(PASSWORD)}`): string {
  return `redis://${user}@${server.host}:${server.port}`;
}

/** Names of the connections to the server that are not of the test. */
async function namesAt(at: Redis): Promise<Set<string>> {
  const list = String(await at.client('LIST'));
  const names = [...list.matchAll(/ name=(\S*) /gu)].map(([, name = '']) => name);
  return new Set(names.filter((name) => name !== ''));
}

describe.each(VERSIONS)('a client of node-redis %i', (_, { createClient }) => {
  test('with host and port leads to its server, and locks go on after a cut', async () => {
    const { host, port } = server;
    const redis = createClient({ socket: { host, port } });

    await expectWorks({ redis }, raw);

    expect(redis.isOpen).toBe(false);
  });

  test('with a URL has its user, its password and its database', async () => {
    const redis = createClient({ url: `${url()}/3` });

    await expectCycle(openClient({ redis }), third);
  });

  test('with a database locks in that, after a cut too', async () => {
    const { host, port } = server;
    const redis = createClient({ socket: { host, port }, database: 3, ...AGENT });
    const client = openClient({ redis });

    await expectCycle(client, third);
    await cutClients(raw);
    await expectCycle(client, third);
  });

  test('with the path of a Unix socket leads there', async () => {
    await expectCycle(openClient({ redis: createClient({ socket: { path } }) }), raw);
  });

  test('with TLS trusts what it trusts', async () => {
    const { host, port } = secure;
    const redis = createClient({ socket: { host, port, tls: true, ca } });

    await expectCycle(openClient({ redis }), rawClient(secure.url, { tls: { ca } }));
  });

  test('may be a duplicate', async () => {
    const redis = createClient({ url: `${url()}/3` }).duplicate() as NodeRedisClient;

    await expectCycle(openClient({ redis }), third);
  });

  test('that names its connections names these', async () => {
    const named = openClient({
      redis: createClient({ url: url(), name: 'theirs' }),
      label: 'ours',
    });
    const nameless = openClient({ redis: createClient({ url: url() }), label: 'ours' });

    await Promise.all([expectCycle(named, raw), expectCycle(nameless, raw)]);

    await eventually(async () => {
      expect(await namesAt(raw)).toEqual(new Set(['theirs', 'redlatch:ours']));
    });
  });

  test('that is connected is not used, and goes on after the locks are gone', async () => {
    const proxy = await startProxy({ target: server.url });
    const redis = await inUse(createClient({ url: proxy.url }));
    await redis.set('mine', 'value');
    const [connection] = proxy.connections();
    const sent = connection?.commands.length;
    const client = openClient({ redis });

    await expectCycle(client, raw);
    await client.close();

    expect(sent).toBeGreaterThan(0);
    expect(connection?.commands.length).toBe(sent);
    expect(await redis.get('mine')).toBe('value');
  });

  test('that was closed is a template as before, and stays closed', async () => {
    const redis = await inUse(createClient({ url: url() }));
    await redis.quit();

    await expectCycle(openClient({ redis }), raw);

    expect(redis.isOpen).toBe(false);
  });

  test('whose password is wrong ends in an error that does not show it', async () => {
    const { host, port } = server;
    const secret = 'S3cr3t-that-nobody-sees';
    const redis = createClient({ socket: { host, port }, username: 'jo', password: secret });
    const error = await rejection(openClient({ redis }).getLock(randomName()).acquire());

    expect(error).toBeInstanceOf(AccessDeniedError);
    expect(`${String(error)} ${String((error as Error).cause)}`).toMatch(/WRONGPASS/u);
    expect(JSON.stringify([error, (error as Error).cause, (error as Error).stack])).not.toMatch(
      new RegExp(secret, 'u'),
    );
  });
});

test('a client with TLS and a certificate that nobody trusts is refused, and the refusal is the cause', async () => {
  const [, { createClient } = {}] = VERSIONS.at(-1) ?? [];
  const redis = createClient?.({ url: secure.url });
  const client = openClient({ redis, commandTimeoutMs: 500 });

  const error = await rejection(client.getLock(randomName()).tryAcquire());

  expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
  expect((error as Error).cause).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});

test('a client of version 4 in legacy mode, and one with modules, are templates', async () => {
  const [, { createClient } = {}] = VERSIONS[0] ?? [];
  const redis = createClient?.({ url: `${url()}/3`, legacyMode: true });

  expect(redis).toHaveProperty('json');
  await expectCycle(openClient({ redis }), third);
});

test('a face of a client with other types is a template', async () => {
  const { createClient } = await import('@redis/client');
  const redis = createClient({ url: `${url()}/3` }).withTypeMapping({});

  await expectCycle(openClient({ redis }), third);
});

test('a URL of a Unix socket, which version 6 has, leads there', async () => {
  const { createClient } = await import('@redis/client');
  const redis = createClient({ url: `unix://jo:${encodeURIComponent(PASSWORD)}@${path}?db=3` });

  await expectCycle(openClient({ redis }), third);
});

test('clients of three versions of node-redis are the servers of a quorum', async () => {
  const servers = await Promise.all([ownServer(), ownServer(), ownServer()]);
  const voters = createQuorumClient({
    servers: VERSIONS.map(([, { createClient }], i) => createClient({ url: servers[i]?.url })),
    leaseMs: 1_000,
  });
  const raws = servers.map((each) => rawClient(each.url));
  await eventually(
    async () => {
      await using hold = await voters.getLock('a').acquire({ waitMs: 1_000 });
      const found = await Promise.all(raws.map(async (each) => await each.exists('a')));
      return hold.isHeld && found.every((count) => count === 1);
    },
    { withinMs: 10_000 },
  );
  await voters.close();
});
