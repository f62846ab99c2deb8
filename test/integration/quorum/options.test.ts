// What a quorum client is made of.

import { Cluster, Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createQuorumClient } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { rawClient } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { LEASE_MS, quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-options');
const URL = 'redis://127.0.0.1:1';

const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
const sentinel = { sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'mymaster' };

test.each([
  ['no object', undefined, TypeError, 'options must be an object'],
  ['a list in place of options', [URL, URL, URL], TypeError, 'options must be an object'],
  ['no servers', {}, TypeError, 'servers must be an array of 3 to 9'],
  ['two servers', { servers: [URL, URL] }, RangeError, '3 to 9 servers, got 2'],
  ['ten servers', { servers: Array.from({ length: 10 }, () => URL) }, RangeError, 'got 10'],
  ['no URL', { servers: [URL, 'localhost', URL] }, TypeError, 'servers[1]: must be a URL'],
  [
    'a Cluster',
    { servers: [cluster, URL, URL] },
    TypeError,
    'servers[0] must be one server, got a Cluster',
  ],
  [
    'Sentinel options',
    { servers: [URL, URL, sentinel] },
    TypeError,
    'servers[2] must be one server, got Sentinel',
  ],
  ['redis', { redis: URL, servers: [URL, URL, URL] }, TypeError, 'redis: a quorum has several'],
  ['handOff', { handOff: 'direct', servers: [URL, URL, URL] }, TypeError, 'no line'],
  [
    'replicas',
    { replicas: { min: 1, timeoutMs: 1 }, servers: [URL, URL, URL] },
    TypeError,
    'majority',
  ],
  [
    'a longer lease',
    { servers: [URL, URL, URL], maxLeaseMs: 1_000, leaseMs: 2_000 },
    RangeError,
    'maxLeaseMs',
  ],
  [
    'serverTimeoutMs 0',
    { servers: [URL, URL, URL], serverTimeoutMs: 0 },
    RangeError,
    'serverTimeoutMs',
  ],
  ['two prefixes', { servers: [URL, URL, { port: 1, keyPrefix: 'a:' }] }, TypeError, 'keyPrefix'],
] as const)('%s is refused before anything is connected', (_, options, type, text) => {
  const make = (): unknown => createQuorumClient(options as never);

  expect(make).toThrow(type);
  expect(make).toThrow(text);
});

test('what cannot run over a quorum there is not', () => {
  const client = stage.client();

  for (const getter of ['getSemaphore', 'getFairLock', 'getCountDownLatch', 'getReadWriteLock']) {
    const get: unknown = Reflect.get(client, getter);
    expect(get).toBeTypeOf('function');
    expect(() => (get as () => unknown).call(client)).toThrow(
      /there is no [a-z -]+ over a quorum/u,
    );
  }
});

test('instances and options of the driver are servers, too', async () => {
  const [first = '', second = '', third = ''] = stage.urls;
  const instance = new Redis(first, { lazyConnect: true });
  const { hostname, port } = new globalThis.URL(second);
  const client = stage.client({
    servers: [instance, { host: hostname, port: Number(port) }, third],
  });

  await (await client.getLock(stage.name()).acquire()).release();

  expect(instance.status).toBe('wait');
});

test('two addresses of one server reject every acquisition', async () => {
  const [first = '', second = ''] = stage.urls;
  const client = stage.client({
    servers: [first, second, first.replace('127.0.0.1', 'localhost')],
  });

  const error: unknown = await eventually(
    async () =>
      await client
        .getLock(stage.name())
        .acquire({ waitMs: 200 })
        .then(
          async (hold) => await hold.release().then(() => null),
          (thrown: unknown) => thrown,
        ),
  );

  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toMatch(/are one server \(run_id [0-9a-f]{40}\)/u);
});

test('a replica rejects every acquisition, and a master with one is a warning', async () => {
  const [first = '', second = '', third = ''] = stage.urls;
  const replica = await ownServer();
  const { hostname, port } = new globalThis.URL(third);
  await rawClient(replica.url).replicaof(hostname, Number(port));
  await eventually(async () =>
    (await stage.raw(2).info('replication')).includes('connected_slaves:1'),
  );
  const warnings: string[] = [];
  const listen = (warning: Error): void => {
    warnings.push(warning.message);
  };
  process.on('warning', listen);

  const refusing = stage.client({ servers: [first, second, replica.url] });
  const error: unknown = await eventually(
    async () =>
      await refusing
        .getLock(stage.name())
        .acquire({ waitMs: 200 })
        .then(
          async (hold) => await hold.release().then(() => null),
          (thrown: unknown) => thrown,
        ),
  );
  const warned = stage.client();
  await (await warned.getLock(stage.name()).acquire()).release();
  await eventually(() => warnings.some((each) => each.includes('has 1 replica:')));
  process.off('warning', listen);

  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain('is a replica (role:slave)');
});

test('it reports what its servers give together', async () => {
  const client = stage.client({ leaseMs: LEASE_MS });

  const { topology, faults } = await client.guarantees();

  expect(topology).toBe('quorum');
  expect(faults.find(({ fault }) => fault === 'restart, writes lost')?.twoOwners).toBe('never');
  expect(faults.find(({ fault }) => fault === 'FLUSHALL')?.twoOwners).toBe('may');
});

test('it shows no more than its state', () => {
  const client = stage.client();

  expect(JSON.parse(JSON.stringify(client))).toEqual({
    id: client.id,
    state: 'open',
    servers: 3,
    holds: 0,
  });
});
