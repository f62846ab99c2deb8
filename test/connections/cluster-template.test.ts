// What is taken from a Cluster instance. None of these is ever connected.

import { Cluster, type ClusterNode, type ClusterOptions, type RedisOptions } from 'ioredis';
import { Cluster as Cluster5 } from 'ioredis-5';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/core/connection/driver-types.js';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import type { RedisTemplate } from '../../src/index.js';

const node = { host: '10.0.0.1', port: 7000 };

function read(options: ClusterOptions = {}, nodes: ClusterNode[] = [node]): Endpoint {
  const unconnected: ConstructorParameters<typeof Cluster>[1] = { lazyConnect: true };
  return readTemplate(new Cluster(nodes, Object.assign(unconnected, options)));
}

test('a cluster as it comes is a template', () => {
  const endpoint = read();

  expect(endpoint.seeds).toEqual([node]);
  expect(endpoint.options).toMatchObject({ db: 0 });
  expect(endpoint.options).not.toHaveProperty('host');
});

test('a cluster of the older major of the driver is a template', () => {
  const cluster = new Cluster5([node], { lazyConnect: true });

  expect(readTemplate(cluster as unknown as RedisTemplate).seeds).toEqual([node]);
  expect(cluster.status).toBe('wait');
});

test('a cluster is not connected, and not written to, by being read', () => {
  const cluster = new Cluster([node], { lazyConnect: true, redisOptions: { keyPrefix: 'x:' } });
  const before = { ...cluster.options };

  readTemplate(cluster);

  expect(cluster.status).toBe('wait');
  expect(cluster.options).toEqual(before);
  expect(cluster.eventNames()).toEqual(new Cluster([node], { lazyConnect: true }).eventNames());
});

test.each<[string, ClusterNode[], { host: string; port: number }[]]>([
  ['ports', [7001], [{ host: '127.0.0.1', port: 7001 }]],
  ['addresses', ['10.0.0.2:7002'], [{ host: '10.0.0.2', port: 7002 }]],
  ['URLs', ['redis://10.0.0.3:7003'], [{ host: '10.0.0.3', port: 7003 }]],
  ['IPv6 URLs', ['redis://[::1]:7004'], [{ host: '::1', port: 7004 }]],
  ['hosts alone', [{ host: 'cache.example.org' }], [{ host: 'cache.example.org', port: 6379 }]],
  ['several', [node, { host: '10.0.0.9', port: 7 }], [node, { host: '10.0.0.9', port: 7 }]],
])('the nodes may be %s', (_, nodes, seeds) => {
  expect(read({}, nodes).seeds).toEqual(seeds);
});

describe('of redisOptions', () => {
  test.each<[RedisOptions]>([
    [{ username: 'jo', password: 'secret' }],
    [{ tls: { servername: 'cache.example.org' } }],
    [{ connectionName: 'night-shift' }],
    [{ connectTimeout: 1_234 }],
    [{ protocol: 2 }],
    [{ family: 6 }],
  ])('%o is carried', (redisOptions) => {
    expect(read({ redisOptions }).options).toMatchObject(redisOptions);
  });

  test.each<[RedisOptions]>([
    [{ keyPrefix: 'elsewhere:' }],
    [{ commandTimeout: 1 }],
    [{ stringNumbers: true }],
    [{ socketTimeout: 1 }],
    [{ enableAutoPipelining: true }],
    [{ autoResubscribe: true }],
    [{ autoResendUnfulfilledCommands: true }],
    [{ maxRetriesPerRequest: null }],
    [{ reconnectOnError: (): boolean => true }],
    [{ db: 3 }],
  ])('%o is overridden', (redisOptions) => {
    const { options } = read({ redisOptions });

    for (const [name, value] of Object.entries(redisOptions)) {
      expect(options[name as keyof typeof options]).not.toEqual(value);
    }
  });
});

test.each<[ClusterOptions]>([
  [{ scaleReads: 'slave' }],
  [{ scaleReads: 'all' }],
  [{ retryDelayOnFailover: 5_000 }],
  [{ retryDelayOnMoved: 5_000 }],
  [{ retryDelayOnClusterDown: 5_000 }],
  [{ retryDelayOnTryAgain: 5_000 }],
  [{ clusterRetryStrategy: null }],
  [{ clusterNodeRetryStrategy: (): number => 3_600_000 }],
  [{ maxRedirections: 0 }],
  [{ enableOfflineQueue: false }],
  [{ enableOfflineQueue: true }],
  [{ enableAutoPipelining: true }],
  [{ enableReadyCheck: false }],
  [{ shardedSubscribers: true }],
  [{ keyPrefix: 'elsewhere:' }],
  [{ scripts: { evalsha: { lua: 'return 1', numberOfKeys: 0 } } }],
])('of the cluster, %o changes nothing', (options) => {
  const plain = read();
  const given = read(options);

  expect(given.options).toEqual(plain.options);
  expect(given.seeds).toEqual(plain.seeds);
});

test('an announced address is translated by a natMap object', () => {
  const inside = { host: '10.0.0.5', port: 7005 };
  const outside = { host: '203.0.113.5', port: 30005 };

  const { translate } = read({ natMap: { '10.0.0.5:7005': outside } });

  expect(translate?.(inside)).toEqual(outside);
  expect(translate?.(node)).toEqual(node);
});

test('an announced address is translated by a natMap function', () => {
  const outside = { host: '203.0.113.5', port: 30005 };

  const { translate } = read({ natMap: (key) => (key === '10.0.0.5:7005' ? outside : null) });

  expect(translate?.({ host: '10.0.0.5', port: 7005 })).toEqual(outside);
  expect(translate?.(node)).toEqual(node);
});

test('discovery by SRV records is refused by name', () => {
  expect(() => read({ useSRVRecords: true })).toThrow(TypeError);
  expect(() => read({ useSRVRecords: true })).toThrow('redis.useSRVRecords');
});

test('a look-up that leaves host names as they are, as TLS needs it, is no obstacle', () => {
  // The driver's own documentation says so for managed clusters with TLS.
  const options: ClusterOptions = {
    dnsLookup: (address, callback) => {
      callback(null, address);
    },
    redisOptions: { tls: {} },
  };

  const endpoint = read(options, [{ host: 'cache.example.org', port: 7000 }]);

  expect(endpoint.seeds).toEqual([{ host: 'cache.example.org', port: 7000 }]);
  expect(endpoint.options.tls).toEqual({});
});

test('credentials and TLS in the address of a node are kept, or refused by name', () => {
  let outcome: unknown;

  try {
    const { username, password, tls } = read({}, ['rediss://jo:secret@10.0.0.1:7000']).options;
    outcome = { username, password, tls: Boolean(tls) };
  } catch (error) {
    outcome = error instanceof TypeError ? 'refused' : error;
  }

  expect([{ username: 'jo', password: 'secret', tls: true }, 'refused']).toContainEqual(outcome);
});
