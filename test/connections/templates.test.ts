// Every form in which a program may say where its Redis is, and that the form is only read.

import type { Redis, RedisOptions } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import type { RedisTemplate } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { expectCycle, expectWaitEndsByMessage, expectWorks, openClient } from './exercise.js';

let folder: string;
let server: OwnServer;
let raw: Redis;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redlatch-socket-'));
  server = await ownServer({ args: ['--unixsocket', join(folder, 'redis.sock')] });
  raw = rawClient(server.url);
  await raw.call('ACL', 'SETUSER', 'jo', 'on', '>p@ss:w/rd', '~*', '&*', '+@all');
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** What the server says about each connection of that name. */
async function connectionsNamed(name: string): Promise<string[]> {
  const list = String(await raw.call('CLIENT', 'LIST'));
  return list.split('\n').filter((line) => line.includes(` name=${name} `));
}

/** The protocol version in such a line. */
function versionIn(line: string | undefined): string | undefined {
  return / resp=(\d)/.exec(line ?? '')?.[1];
}

describe('a template can be', () => {
  test('a URL', async () => {
    await expectWorks({ redis: server.url }, raw);
  });

  test('a URL with user, password and database', async () => {
    const password = encodeURIComponent('p@ss:w/rd');
    const redis = `redis://jo:${password}@${server.host}:${server.port}/3`;

    await expectWorks({ redis }, rawClient(`${server.url}/3`));
  });

  test('the path of a Unix socket', async () => {
    await expectWorks({ redis: join(folder, 'redis.sock') }, raw);
  });

  test('options', async () => {
    const { host, port } = server;

    await expectWorks({ redis: { host, port, username: 'jo', password: 'p@ss:w/rd' } }, raw);
  });

  test('options with the path of a Unix socket', async () => {
    await expectWorks({ redis: { path: join(folder, 'redis.sock') } }, raw);
  });

  test('a connected instance', async () => {
    const redis = rawClient(server.url);
    await redis.ping();

    await expectWorks({ redis }, raw);
  });

  test('an instance that never connects', async () => {
    const redis = rawClient(server.url, { lazyConnect: true });

    await expectWorks({ redis }, raw);
    expect(redis.status).toBe('wait');
  });

  test('a closed instance', async () => {
    const redis = rawClient(server.url);
    await redis.quit();
    await eventually(() => redis.status === 'end');

    await expectWorks({ redis }, raw);
    expect(redis.status).toBe('end');
  });

  test('an instance of the older major of the driver', async () => {
    const redis = new Redis5(`redis://jo:${encodeURIComponent('p@ss:w/rd')}@127.0.0.1`, {
      port: server.port,
      lazyConnect: true,
    });

    await expectWorks({ redis }, raw);
    expect(redis.status).toBe('wait');
  });

  test('REDIS_URL, when nothing is said', async () => {
    vi.stubEnv('REDIS_URL', `${server.url}/5`);

    await expectCycle(openClient({}), rawClient(`${server.url}/5`));
  });

  test('said in code, which wins over REDIS_URL', async () => {
    vi.stubEnv('REDIS_URL', 'redis://127.0.0.1:1');

    await expectCycle(openClient({ redis: server.url }), raw);
  });
});

test.each([
  ['a URL', (): RedisTemplate => `${server.url}/4`],
  ['options', (): RedisTemplate => ({ host: server.host, port: server.port, db: 4 })],
  ['an instance', (): RedisTemplate => rawClient(`${server.url}/4`)],
])('the database of %s is kept, after a cut too', async (_, template) => {
  const fourth = rawClient(`${server.url}/4`);

  await expectWorks({ redis: template() }, fourth);

  const name = randomName('elsewhere');
  const hold = await openClient({ redis: template() }).getLock(name).acquire();
  expect(await Promise.all([fourth.exists(name), raw.exists(name)])).toEqual([1, 0]);
  await hold.release();
});

test('a database that the server does not have is an error, and database 0 stays empty', async () => {
  const name = randomName('nowhere');
  const client = openClient({ redis: `${server.url}/99`, commandTimeoutMs: 400 });

  const outcome = await client
    .getLock(name)
    .tryAcquire({ leaseMs: 2_000 })
    .catch((error: unknown) => error);

  expect(await raw.exists(name)).toBe(0);
  expect(outcome).toMatchObject({ code: 'ERR_ACCESS_DENIED' });
  expect(String((outcome as Error).cause)).toContain('DB index is out of range');
});

test.each([2, 3] as const)(
  'messages come by RESP%i when the template says so, and commands go by RESP2',
  async (protocol) => {
    const connectionName = `resp-${protocol}`;
    const options: RedisOptions = { protocol };
    // The older driver knows one protocol only: what it does with the same options is the measure.
    const plain = rawClient(server.url, { ...options, connectionName: `plain-${protocol}` });
    const redis = { host: server.host, port: server.port, connectionName, ...options };
    const pair = [openClient({ redis }), openClient({ redis })] as const;
    await plain.ping();

    await expectWaitEndsByMessage(pair, raw);

    const [expected] = await connectionsNamed(`plain-${protocol}`);
    const ours = await connectionsNamed(connectionName);
    expect(new Set(ours.map(versionIn))).toEqual(new Set(['2', versionIn(expected)]));
  },
);

test('a client has two connections, and closing it ends both', async () => {
  const redis = { host: server.host, port: server.port, connectionName: randomName('two') };
  const pair = [openClient({ redis }), openClient({ redis })] as const;
  await expectWaitEndsByMessage(pair, raw);

  // Whoever holds something for long listens, since another client may end it.
  await Promise.all(pair.map(async (client) => await client.getLock(randomName()).acquire()));
  const connected = async (): Promise<number> =>
    (await connectionsNamed(redis.connectionName)).length;
  await eventually(async () => (await connected()) === 4);
  await Promise.all(pair.map(async (client) => await client.close()));

  await eventually(async () => (await connected()) === 0);
});

test('no command goes through an instance, which keeps its state and its listeners', async () => {
  const proxy = await startProxy({ target: server.url });
  const redis = rawClient(proxy.url, { connectionName: 'kept' });
  await redis.set('mine', 'value');
  const [connection] = proxy.connections();
  const listeners = (): unknown => redis.eventNames().map((name) => redis.listeners(name));
  const before = { listeners: listeners(), options: { ...redis.options } };
  const sent = connection?.commands.length;
  const pair = [openClient({ redis }), openClient({ redis })] as const;

  await expectWaitEndsByMessage(pair, raw);
  await Promise.all(pair.map(async (client) => await client.close()));

  expect(sent).toBeGreaterThan(0);
  expect(connection?.commands.length).toBe(sent);
  expect({ listeners: listeners(), options: { ...redis.options } }).toEqual(before);
  expect(redis.status).toBe('ready');
  expect(await redis.get('mine')).toBe('value');
});

test('an instance that subscribes goes on hearing what it subscribed to', async () => {
  const redis = rawClient(server.url);
  const heard: string[] = [];
  redis.on('message', (_, text: string) => heard.push(text));
  await redis.subscribe('news');
  const pair = [openClient({ redis }), openClient({ redis })] as const;

  await expectWaitEndsByMessage(pair, raw);
  await raw.publish('news', 'still here');

  await eventually(() => heard.length > 0);
  expect(heard).toEqual(['still here']);
});

test('options are never written to', async () => {
  const tls = undefined;
  const redis = Object.freeze({ host: server.host, port: server.port, stringNumbers: true, tls });

  await expectWorks({ redis }, raw);

  expect(redis).toEqual({ host: server.host, port: server.port, stringNumbers: true, tls });
});

test('reading a URL opens nothing', () => {
  const { options } = readTemplate('rediss://jo:secret@example.org:7000/2?family=6');

  expect(options).toMatchObject({ host: 'example.org', port: 7000, db: 2, tls: true, family: 6 });
  expect(options).toMatchObject({ username: 'jo', password: 'secret', lazyConnect: true });
});

test('a later change of the options has no effect on a client', async () => {
  const redis = { host: server.host, port: server.port };
  const client = openClient({ redis });

  redis.port = 1;

  await expectCycle(client, raw);
});

test('nothing is left of all these clients', async () => {
  for (const db of [0, 3, 4, 5]) {
    const client = rawClient(`${server.url}/${db}`);
    await expectNoResidue(runPrefix(), { client, allow: [/^redlatch_cancelled:/] });
  }
  await expectNoChannels(runPrefix(), { client: raw });
});
