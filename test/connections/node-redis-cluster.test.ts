// Clusters of node-redis, versions 5 and 6, as templates: that all nodes are reached, and that they are only read.

import { describe, expect, test } from 'vitest';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import { createQuorumClient, type ClientOptions } from '../../src/index.js';
import { startProxy } from '../support/proxy.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';
import { AGENT, allowAgent, copyOf, inUse, LATER, PASSWORD } from './node-redis-versions.js';

const at = { host: '10.0.0.1', port: 7000 };
const outside = { host: '203.0.113.5', port: 30_005 };
const world = await clusterWorld({ masters: 3 });
const ROOT_NODES = [{ url: world.servers[0]?.url }, { socket: world.servers[1] }];

async function expectAllNodes(options: ClientOptions): Promise<void> {
  const client = openClient(options);
  for (const index of [0, 1, 2]) {
    const name = world.nameOn(index);
    const held = await client.getLock(name).using(async () => await world.node(index).exists(name));
    expect(held).toBe(1);
  }
}

describe.each(LATER)('a cluster of node-redis %i', (_, { createCluster }) => {
  test('that is not connected leads to all its nodes', async () => {
    const redis = createCluster({ rootNodes: ROOT_NODES });

    await expectAllNodes({ redis });

    expect(redis.isOpen).toBe(false);
  });

  test('that is connected leads there by what it has found, and goes on', async () => {
    const roots: object[] = [...ROOT_NODES];
    const redis = await inUse(createCluster({ rootNodes: roots }));
    // The nodes that it began with are replaced.
    roots.splice(0, roots.length, { socket: { host: '127.0.0.1', port: 1 } });

    await expectAllNodes({ redis });

    expect(await redis.get('none')).toBe(null);
  });

  test('signs in at all nodes with its defaults', async () => {
    for (const index of [0, 1, 2]) {
      await allowAgent(world.node(index));
      await world.node(index).call('ACL', 'SETUSER', 'default', 'off');
    }
    try {
      const defaults = createCluster({ rootNodes: ROOT_NODES, defaults: AGENT });
      const user = `jo:${encodeURIComponent(PASSWORD)}`;
      const rooted = createCluster({
        rootNodes: [{ url: world.servers[0]?.url.replace('://', `://${user}@`) }],
      });
      await expectAllNodes({ redis: defaults });
      await expectAllNodes({ redis: rooted });
    } finally {
      for (const index of [0, 1, 2]) {
        await world.node(index).call('ACL', 'SETUSER', 'default', 'on');
      }
    }
  });

  test('whose user has no password is a template before and after it has connected', async () => {
    const { host, port } = world.servers[0] ?? at;
    const node = { socket: { host, port }, username: 'default', password: '' };
    const redis = createCluster({ rootNodes: [node] });
    await expectAllNodes({ redis });

    await inUse(redis);

    // It has written what it makes of the user into the node.
    expect(node).toHaveProperty('credentialsProvider');
    await expectAllNodes({ redis });
  });

  test('goes through its nodeAddressMap', async () => {
    const proxies = await Promise.all(
      world.servers.map(async ({ url: target }) => await startProxy({ target })),
    );
    const nodeAddressMap = Object.fromEntries(
      world.servers.map(({ host, port }, i) => [
        `${host}:${port}`,
        { host: '127.0.0.1', port: proxies[i]?.port },
      ]),
    );

    await expectAllNodes({ redis: createCluster({ rootNodes: ROOT_NODES, nodeAddressMap }) });

    expect(proxies.map((proxy) => proxy.connections().length > 0)).toEqual([true, true, true]);
  });
});

describe.each(LATER)(
  'of a cluster of node-redis %i, which is never connected,',
  (_, { createCluster }) => {
    const read = (options: object = {}): ReturnType<typeof readTemplate> =>
      readTemplate(createCluster(copyOf({ rootNodes: [{ socket: at }], ...options })));

    test('the root nodes are where it begins', () => {
      const rootNodes = [
        { url: 'redis://10.0.0.1:7000' },
        { socket: { host: '10.0.0.2', port: 7002 } },
        { url: 'redis://[::1]' },
        {},
      ];

      expect(read({ rootNodes }).seeds).toEqual([
        at,
        { host: '10.0.0.2', port: 7002 },
        { host: '::1', port: 6379 },
        { host: 'localhost', port: 6379 },
      ]);
    });

    test.each<[object[], object | undefined, object]>([
      [[{ socket: { host: 'a' } }], { port: 7001 }, { host: 'a', port: 7001 }],
      [[{ socket: { port: 7001 } }], { host: 'a' }, { host: 'a', port: 7001 }],
      [[{ socket: { ...at, port: null } }], undefined, { ...at, port: 6379 }],
      [[{ url: 'redis://a', socket: { port: 7001 } }], undefined, { host: 'a', port: 7001 }],
      [[{ url: 'redis://a' }], at, { host: 'a', port: 7000 }],
      [[{ url: '', socket: at }], undefined, at],
      [[{ url: 'redis://a:7001?port=12&host=b' }], undefined, { host: 'a', port: 7001 }],
    ])('of %o with the socket %o', (rootNodes, socket, expected) => {
      const defaults = socket && { socket };

      expect(read({ rootNodes, defaults }).seeds).toEqual([expected]);
    });

    test('what follows a ? in a URL is nothing', () => {
      const { options } = read({ rootNodes: [{ url: 'redis://jo:pw@a?tls=true&password=zz' }] });

      expect(options).toMatchObject({ username: 'jo', password: 'pw' });
      expect(options).not.toHaveProperty('tls');
    });

    test.each<[object, RegExp]>([
      [
        { socket: { path: '/run/redis.sock' } },
        /redis\.rootNodes .* give \{ socket: \{ host, port/,
      ],
      [{ url: 'unix:///run/redis.sock' }, /redis\.rootNodes .* give \{ socket: \{ host, port/],
      [{ url: 'http://jo:secret@a' }, /redis\.rootNodes .* start with redis:/],
      [{ url: 'redis://jo:%secret@a' }, /redis\.rootNodes .* can be read/],
      [at, /^redis: "host" stands outside of "socket"/],
    ])('the root node %o is refused', (root, message) => {
      expect(() => read({ rootNodes: [{ socket: at }, root] })).toThrow(message);
      expect(() => read({ rootNodes: [root] })).toThrow(message);
      expect(() => read({ rootNodes: [root] })).not.toThrow(/secret/);
    });

    test('its defaults are carried to each node, but for address, database and protocol', () => {
      const defaults = {
        username: 'jo',
        password: 'pw',
        name: 'night-shift',
        socket: { ...at, tls: true, ca: 'pem' },
        database: 3,
        RESP: 2,
      };

      const { options } = read({ defaults });

      expect(options).toMatchObject({
        username: 'jo',
        password: 'pw',
        connectionName: 'night-shift',
        tls: { ca: 'pem' },
        db: 0,
      });
      expect(options).not.toHaveProperty('host');
      expect(options).not.toHaveProperty('port');
      expect(options).not.toHaveProperty('protocol');
      expect(read({ RESP: 2 }).options).toMatchObject({ protocol: 2 });
    });

    test('what the defaults leave open is that of the first root node', () => {
      const rootNodes = [{ url: 'rediss://jo:pw@10.0.0.1:7000', socket: { ca: 'pem' } }];
      const identity = { username: 'jo', password: 'pw', tls: { ca: 'pem' } };

      expect(read({ rootNodes }).options).toMatchObject(identity);
      const { options } = read({ rootNodes, defaults: { password: 'other' } });
      expect(options).toMatchObject({ password: 'other', tls: { ca: 'pem' } });
      expect(options).not.toHaveProperty('username');
    });

    test('TLS of the defaults is theirs alone', () => {
      const socket = { tls: true, ca: 'pem', connectTimeout: 99 };
      const rootNodes = [{ url: 'rediss://10.0.0.1:7000', socket }];
      const readTls = (own: object): unknown => read({ rootNodes, defaults: { socket: own } });

      expect(readTls({ tls: true, servername: 'b' })).toMatchObject({
        options: { connectTimeout: 99 },
      });
      expect(readTls({ tls: true, servername: 'b' })).toHaveProperty('options.tls', {
        servername: 'b',
      });
      expect(readTls({ tls: false })).not.toHaveProperty('options.tls');
      expect(readTls({ tls: undefined })).toHaveProperty('options.tls', { ca: 'pem' });
    });

    test.each<[object, object]>([
      [{ url: 'redis://jo@10.0.0.1:7000' }, { username: 'jo', password: '' }],
      [
        { socket: at, username: 'jo', password: '' },
        { username: 'jo', password: '' },
      ],
    ])('a user without a password of %o', (root, expected) => {
      expect(read({ rootNodes: [root] }).options).toMatchObject(expected);
      expect(read({ rootNodes: [root], RESP: 3 }).options).not.toHaveProperty('username');
    });

    test('how it sends its commands changes nothing', () => {
      const alone = {
        useReplicas: true,
        minimizeConnections: true,
        maxCommandRedirections: 0,
        defaults: { readonly: true, socket: { reconnectStrategy: false } },
      };

      expect(read(alone).options).toEqual(read().options);
    });

    test.each<[string, unknown]>([
      ['an object', { '10.0.0.5:7005': outside }],
      ['a function', (address: string) => (address === '10.0.0.5:7005' ? outside : undefined)],
    ])('its nodeAddressMap translates, which may be %s', (_kind, nodeAddressMap) => {
      const { translate } = read({ nodeAddressMap });

      expect(translate?.({ host: '10.0.0.5', port: 7005 })).toEqual(outside);
      expect(translate?.(at)).toEqual(at);
    });

    test('a cluster without root nodes is refused', () => {
      expect(() => read({ rootNodes: [] })).toThrow(/at least one start node/);
    });

    test('a cluster is no server of a quorum', () => {
      const servers = [createCluster({ rootNodes: [] }), 'redis://a', 'redis://b'] as never[];

      expect(() => createQuorumClient({ servers })).toThrow(
        /servers\[0\] must be one server, got a Cluster/,
      );
    });

    test('its provider is asked at each node', async () => {
      const given = { password: 'pw' };
      const credentials = async (): Promise<object> => await Promise.resolve(given);
      const credentialsProvider = { type: 'async-credentials-provider', credentials };

      const source = read({ defaults: { credentialsProvider } }).credentials;

      expect(await source?.ask(at)).toEqual(given);
    });
  },
);
