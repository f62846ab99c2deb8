// What createClient may be given in place of options, and that nothing else connects anywhere.

import { randomUUID } from 'node:crypto';
import { createClient as createNodeRedis } from '@redis/client';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis-5';
import { Cluster as IovalkeyCluster, Redis as Iovalkey } from 'iovalkey';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createClient, type Client, type DriverInstance } from '../../src/index.js';
import { startProxy } from '../support/proxy.js';
import { randomName, rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { clusterWorld } from './cluster-world.js';

type Given = Parameters<typeof createClient>[0];

const raw = rawClient();
const mine = randomName('front-door');
const { hostname, port: portText } = new URL(redisUrl());
const address = { host: hostname, port: Number(portText) };
const lazy = { ...address, lazyConnect: true };
const world = await clusterWorld({ masters: 1 });
const node = { host: world.servers[0]?.host ?? '', port: world.servers[0]?.port ?? 0 };

afterAll(async () => {
  await expectNoResidue(mine);
  await expectNoResidue(mine, { client: world.node(0) });
  await expectNoChannels(mine);
});

/** What happens while the client holds a lock: whether the key is on a server. */
async function lockedOn(given: Given, server: Redis): Promise<boolean> {
  const client = createClient(given);
  const name = `${mine}-${randomUUID()}`;
  try {
    return await client.getLock(name).using(async () => (await server.exists(name)) === 1);
  } finally {
    await client.close();
  }
}

describe('given directly, a client connects to the server of', () => {
  test('a URL', async () => {
    expect(await lockedOn(redisUrl(), raw)).toBe(true);
  });

  test.each<[string, DriverInstance & { readonly status: string }]>([
    ['a Redis of ioredis 6', new Redis(lazy)],
    ['a Redis of ioredis 5', new Redis5(lazy)],
    ['a Redis of iovalkey', new Iovalkey(lazy)],
    ['a Redis in a proxy, as tracing makes it', new Proxy(new Redis(lazy), {})],
  ])('%s, which is not touched', async (_, instance) => {
    expect(await lockedOn(instance, raw)).toBe(true);
    expect(await lockedOn({ redis: instance }, raw)).toBe(true);
    expect(instance.status).toBe('wait');
  });

  test.each<[string, DriverInstance & { readonly status: string }]>([
    ['a Cluster of ioredis 6', new Cluster([node], { lazyConnect: true })],
    ['a Cluster of ioredis 5', new Cluster5([node], { lazyConnect: true })],
    ['a Cluster of iovalkey', new IovalkeyCluster([node], { lazyConnect: true })],
  ])('%s, which is not touched', async (_, instance) => {
    expect(await lockedOn(instance, world.node(0))).toBe(true);
    expect(instance.status).toBe('wait');
  });

  test('options of another realm', async () => {
    const { runInNewContext } = await import('node:vm');
    const options = runInNewContext(`({ redis: { ...${JSON.stringify(address)} } })`) as Given;

    expect(await lockedOn(options, raw)).toBe(true);
  });
});

class Configuration {
  redis = 'redis://127.0.0.1:1';
}

class MockRedis {
  options = {};
  on(): this {
    return this;
  }
}

const legacy = createNodeRedis({ url: 'redis://127.0.0.1:1' }).legacy();

test.each<[string, unknown, RegExp]>([
  ['a legacy face', legacy, /a client of node-redis.*give the client that it was made from/],
  [
    'a client made of functions',
    { connect: () => {}, get: () => 'x' },
    /another library|no option/,
  ],
  ['a mock', new MockRedis(), /class MockRedis of another library, a mock, or a wrapper/],
  ['a pipeline', new Redis(lazy).pipeline(), /a client.* another library/],
  ['a URL object', new URL('redis://127.0.0.1:1'), /a URL object: give its href/],
  ['a promise', Promise.resolve(new Redis(lazy)), /a promise: await it first/],
  ['an array', [node], /an array: for a cluster give a Cluster instance/],
  ['an object of a class', new Configuration(), /class Configuration: spread it/],
  ['a class', Redis, /a class or function: give an instance/],
  ['a port', 6379, /a value of type number/],
  ['null', null, /got null/],
  ['a word', 'localhost', /must be a URL such as "redis:/],
])('%s is refused, with what to write instead', (_, given, message) => {
  for (const options of [given, { redis: given }]) {
    const attempt = (): Client => createClient(options as Given);
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(message);
  }
});

test.each<[string, object, RegExp]>([
  ['redsi', { redsi: redisUrl() }, /no option "redsi": did you mean "redis"\?/],
  ['url', { url: redisUrl() }, /no option "url": did you mean "redis"\?/],
  ['host', { host: '127.0.0.1' }, /^host: an option of ioredis, which goes into redis/],
  ['prefix', { prefix: 'x' }, /did you mean "keyPrefix"\?/],
  ['lazyConnect', { lazyConnect: true }, /^lazyConnect: an option of ioredis/],
  ['signal', { signal: AbortSignal.abort() }, /^signal: each acquisition takes its own/],
])('an option that there is not is refused: %s', (_, options, message) => {
  expect(() => createClient(options as Given)).toThrow(TypeError);
  expect(() => createClient(options as Given)).toThrow(message);
});

test('a client of the driver inside of redis is refused: it would be ignored', () => {
  const redis = { client: new Redis(lazy) } as RedisOptions;

  expect(() => createClient({ redis })).toThrow(
    /redis.client is a client: give it as redis itself/,
  );
});

test('a second argument is refused, since it would be ignored', () => {
  const create = createClient as (...given: unknown[]) => Client;

  expect(() => create(redisUrl(), { keyPrefix: 'x' })).toThrow(/takes one argument/);
});

test.each([
  { url: redisUrl() },
  { hostname: '127.0.0.1', port: 6380 },
  { socket: address },
  { nodes: [node] },
  { connectionString: redisUrl() },
  { client: { url: redisUrl() } },
])('an address that the driver does not know is refused: %o', (redis) => {
  expect(() => createClient({ redis: redis as never })).toThrow(TypeError);
  expect(() => createClient({ redis: redis as never })).toThrow(/is no option of ioredis/);
});

test('a REDIS_URL that cannot be read is named, since the program may not know of it', () => {
  vi.stubEnv('REDIS_URL', 'redis-master:6379');

  expect(() => createClient()).toThrow(/^REDIS_URL: redis must be a URL such as/);
  expect(() => createClient({ redis: null as never })).toThrow(/^redis must be/);
  vi.unstubAllEnvs();
});

test('inside of redis any other option is left to the driver', async () => {
  const redis = { ...address, url: 'ignored', ours: 1 } as RedisOptions;

  expect(await lockedOn({ redis }, raw)).toBe(true);
});

test('what is refused connects nowhere', async () => {
  const proxy = await startProxy({ target: redisUrl() });

  expect(() => createClient({ redis: proxy.url, leaseMS: 5 } as Given)).toThrow(TypeError);
  const client = createClient({ redis: proxy.url });
  await client.getLock(mine).isLocked();

  expect(proxy.connections().length).toBe(1);
  await client.close();
});

describe('the keyPrefix of a template', () => {
  const prefix = `${mine}-tenant:`;

  async function keyOf(given: Given): Promise<string[]> {
    const client = createClient(given);
    const name = `job-${randomUUID()}`;
    const key = prefix + name;
    try {
      return await client.getLock(name).using(async () => await raw.keys(`*${name}*`));
    } finally {
      await client.close();
      expect(await raw.exists(key)).toBe(0);
    }
  }

  test.each<[string, Given]>([
    ['an instance', new Redis({ ...lazy, keyPrefix: prefix })],
    ['an instance of iovalkey', new Iovalkey({ ...lazy, keyPrefix: prefix })],
    ['options', { redis: { ...address, keyPrefix: prefix } }],
    ['a URL', { redis: `${redisUrl()}?keyPrefix=${encodeURIComponent(prefix)}` }],
    ['both, the same', { redis: { ...address, keyPrefix: prefix }, keyPrefix: prefix }],
    ['the client alone', { redis: { ...address, keyPrefix: '' }, keyPrefix: prefix }],
  ])('is that of the client: %s', async (_, given) => {
    const keys = await keyOf(given);

    expect(keys.length).toBe(1);
    expect(keys[0]?.startsWith(prefix)).toBe(true);
  });

  test.each<[string, Cluster]>([
    ['of a cluster', new Cluster([node], { lazyConnect: true, keyPrefix: prefix })],
    [
      'of its redisOptions',
      new Cluster([node], { lazyConnect: true, redisOptions: { keyPrefix: prefix } }),
    ],
  ])('is that of the client: %s', async (_, cluster) => {
    const client = createClient(cluster);
    const name = `job-${randomUUID()}`;

    const found = await client
      .getLock(name)
      .using(async () => await world.node(0).exists(prefix + name));

    expect(found).toBe(1);
    await client.close();
  });

  test.each([['other:'], ['']])('beside a different one of the client is an error: %j', (own) => {
    const redis = { ...address, keyPrefix: prefix };

    expect(() => createClient({ redis, keyPrefix: own })).toThrow(TypeError);
    expect(() => createClient({ redis, keyPrefix: own })).toThrow(
      `keyPrefix is ${JSON.stringify(own)} and redis.keyPrefix is ${JSON.stringify(prefix)}`,
    );
  });

  test('that is no string is an error', () => {
    const redis = { ...address, keyPrefix: Buffer.from('x') } as unknown as RedisOptions;

    expect(() => createClient({ redis })).toThrow(/redis.keyPrefix must be a string/);
  });
});
