// What is read from the options of node-redis, and what is refused. None of these is ever connected.

import { createClient as createClient6, createClientPool, createSentinel } from '@redis/client';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient as createPool5, createSentinel as createSentinel5 } from 'redis-5';
import { createClient, createQuorumClient, type Client } from '../../src/index.js';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import { copyOf, VERSIONS } from './node-redis-versions.js';

type Given = Parameters<typeof createClient>[0];

const at = { host: '10.0.0.1', port: 7000 };

const checkServerIdentity = (): undefined => undefined;

/** What a client has for programs that are written for version 3. */
interface Faces {
  readonly v4: object;
  legacy(): object;
}

const made: Client[] = [];

afterEach(async () => {
  await Promise.all(made.splice(0).map(async (client) => await client.close()));
});

describe.each(VERSIONS)('of a client of node-redis %i', (version, { createClient: create }) => {
  const read = (options?: object): object => readTemplate(create(copyOf(options))).options;

  test.each<[object, object]>([
    [{ socket: at }, at],
    [{ url: 'redis://10.0.0.1:7000' }, at],
    [{ url: 'redis://[::1]:7000' }, { host: '::1', port: 7000 }],
    [{ socket: { ...at, family: 6 } }, { ...at, family: 6 }],
    [{ socket: { path: '/run/redis.sock' } }, { path: '/run/redis.sock' }],
    [{ url: 'redis://10.0.0.1:7000/3' }, { ...at, db: 3 }],
    [
      { database: 2, RESP: 2 },
      { db: 2, protocol: 2 },
    ],
    [
      { name: 'night-shift', disableClientInfo: true, clientInfoTag: 'app', RESP: 3 },
      {
        connectionName: 'night-shift',
        disableClientInfo: true,
        clientInfoTag: 'app',
        protocol: 3,
      },
    ],
    [
      { socket: { connectTimeout: 1_234, noDelay: false } },
      { connectTimeout: 1_234, noDelay: false },
    ],
    [{ socket: { keepAlive: false } }, { keepAlive: false }],
    [{ socket: { keepAlive: false, keepAliveInitialDelay: 7_000 } }, { keepAlive: false }],
  ])('%o is carried', (options, expected) => {
    expect(read(options)).toMatchObject(expected);
  });

  test.each<[object, object]>([
    [{ url: 'redis://jo:p%40ss@10.0.0.1:7000' }, { username: 'jo', password: 'p@ss' }],
    [
      { username: 'jo', password: 'pw' },
      { username: 'jo', password: 'pw' },
    ],
    [{ password: 'pw' }, { password: 'pw' }],
    [
      { username: '', password: 'pw' },
      { username: version > 4 ? undefined : '', password: 'pw' },
    ],
  ])('%o signs in as %o', async (options, expected) => {
    const { options: carried, credentials } = readTemplate(create(copyOf(options)));

    // Later versions make a provider of them, which has the last word there.
    const identity = credentials === undefined ? carried : await credentials.ask(at);
    expect(identity).toMatchObject(expected);
    expect('password' in carried).toBe(version === 4);
  });

  test('the options of TLS are carried, and the rest of the socket is not among them', () => {
    const ofTls = { ca: 'pem', servername: 'cache.example.org', checkServerIdentity };
    const socket = { ...at, ...ofTls, tls: true, connectTimeout: 99, reconnectStrategy: false };

    expect(read({ socket })).toMatchObject({ ...at, connectTimeout: 99, tls: ofTls });
    expect(Object.keys((read({ socket }) as { tls: object }).tls)).toEqual(Object.keys(ofTls));
    expect(read({ url: 'rediss://10.0.0.1:7000' })).toMatchObject({ ...at, tls: {} });
    expect(read({ socket: { ...at, tls: false } })).not.toHaveProperty('tls');
  });

  test.each([undefined, null, false, 0, ''])('tls: %o is none', (tls) => {
    expect(read({ socket: { ...at, tls } })).not.toHaveProperty('tls');
  });

  test('null is nothing', () => {
    const none = { host: null, port: null, family: null, path: null, keepAlive: null };
    const alone = { username: null, password: null, database: null, name: null, RESP: null };

    expect(read({ ...alone, socket: none })).toEqual(read({ socket: {} }));
  });

  test.each(['host', 'port'])(
    '%s outside of the socket is refused: it is not read there',
    (name) => {
      const value = name === 'host' ? at.host : at.port;

      expect(() => read({ [name]: value })).toThrow(
        new RegExp(`^redis: "${name}" stands outside of "socket"`, 'u'),
      );
      expect(() => read({ [name]: null })).not.toThrow();
    },
  );

  test('what concerns its commands and its connections alone changes nothing', () => {
    const alone = {
      readonly: true,
      pingInterval: 1,
      disableOfflineQueue: true,
      commandsQueueMaxLength: 1,
      commandOptions: { timeout: 1 },
      clientSideCache: { ttl: 0, maxEntries: 0, evictPolicy: 'LRU' },
      maintNotifications: 'enabled',
      RESP: 3,
      socket: {
        reconnectStrategy: (): number => 3_600_000,
        socketTimeout: 1,
        hints: 1_024,
        autoSelectFamily: false,
      },
    };

    expect(read(alone)).toEqual(read({ RESP: 3, socket: {} }));
  });

  test('options and instance are not written to', () => {
    const redis = create({ url: 'redis://jo:pw@10.0.0.1:7000', socket: { keepAlive: false } });
    const before = copyOf(redis.options);
    const names = Object.keys(redis);

    readTemplate(redis);

    expect(copyOf(redis.options)).toEqual(before);
    expect(Object.keys(redis)).toEqual(names);
  });

  test('no options at all are those of the local server', () => {
    expect(readTemplate(create())).toMatchObject({ keyPrefix: '' });
    expect(read()).not.toHaveProperty('path');
  });

  test.each(['lookup', 'localAddress', 'localPort', 'blockList'])(
    'socket.%s is refused, since it would be lost, and kept with TLS',
    (option) => {
      const socket = { ...at, [option]: option };

      expect(() => read({ socket })).toThrow(
        new RegExp(`^redis.socket.${option} cannot be carried over`, 'u'),
      );
      expect(read({ socket: { ...socket, tls: true } })).toMatchObject({
        tls: { [option]: option },
      });
    },
  );

  test('a socket in the place of an address is refused', () => {
    const socket = { ...at, tls: true, socket: {} };

    expect(() => read({ socket })).toThrow(/redis\.socket\.socket cannot be carried over/);
  });

  test('tls that is no boolean is refused: node-redis would go without', () => {
    expect(() => read({ socket: { ...at, tls: { ca: 'pem' } } })).toThrow(/socket\.tls must be/);
  });

  test('a password that is a function is refused by name', () => {
    expect(() => read({ password: () => 'x' })).toThrow(/redis\.password must be a string/);
  });

  test('its legacy face is refused: the client is wanted', () => {
    const redis = create(version === 4 ? { legacyMode: true } : {}) as unknown as Faces;

    expectRefused(version === 4 ? redis.v4 : redis.legacy(), /give the client that it was made fr/);
  });

  test('a transaction is refused: the client is wanted', () => {
    const multi = (create() as unknown as { multi(): object }).multi();

    expectRefused(multi, /a transaction of node-redis: give the client that it was begun on/);
  });

  if (version > 4) {
    test.each<[object, object]>([
      [{ password: 'pw' }, { username: undefined, password: 'pw' }],
      [
        { username: null, password: 'pw' },
        { username: undefined, password: 'pw' },
      ],
      [{ username: null, password: null }, { password: '' }],
      [{}, { password: '' }],
    ])('a provider that gives %o has the last word about the user', async (given, expected) => {
      const credentials = async (): Promise<object> => await Promise.resolve(given);
      const credentialsProvider = { type: 'async-credentials-provider', credentials };
      const redis = create({ username: 'jo', password: 'other', credentialsProvider });
      const template = readTemplate(redis);

      expect(await template.credentials?.ask(at)).toEqual(expected);
      expect(template.options).not.toHaveProperty('username');
    });
  }

  if (version > 5) {
    test('keyPrefix is that of the client', () => {
      expect(readTemplate(create({ keyPrefix: 'shop:' })).keyPrefix).toBe('shop:');
      expect(() => readTemplate(create({ keyPrefix: Buffer.from('x') }))).toThrow(
        /redis\.keyPrefix must be a string/,
      );
    });
  }
});

test('the keep-alive of version 4 is a number, that of later ones has a number beside', () => {
  const socket = { keepAlive: 7_000 };
  const later = { keepAlive: true, keepAliveInitialDelay: 7_000 };

  const read = VERSIONS.map(([version, { createClient: create }]) =>
    readTemplate(create({ socket: version === 4 ? socket : later })),
  );

  expect(read.map(({ options }) => options.keepAlive)).toEqual([7_000, 7_000, 7_000]);
});

function expectRefused(given: unknown, message: RegExp): void {
  for (const options of [given, { redis: given }]) {
    expect(() => createClient(options as Given)).toThrow(TypeError);
    expect(() => createClient(options as Given)).toThrow(message);
  }
}

describe('options that cannot be read are asked for:', () => {
  const [, { createCluster: createCluster4 } = {}] = VERSIONS[0] ?? [];
  const options = { name: 'primary', sentinelRootNodes: [at] };

  test.each<[string, unknown, RegExp]>([
    [
      'a cluster of version 4',
      createCluster4?.({ rootNodes: [{ socket: { ...at } }] }),
      /a cluster of node-redis 4 or 5\.0.*new Cluster\(\[\{ host, port \}\], \{ redisOptions:/,
    ],
    ['a sentinel of version 6', createSentinel(options), /redis: \{ sentinels: \[\{ host, port/],
    ['a sentinel of version 5', createSentinel5(options), /redis: \{ sentinels: \[\{ host, port/],
    ['a pool of version 6', createClientPool(), /a pool of node-redis.*give the URL, or createC/],
    ['a pool of version 5', createPool5().createPool(), /a pool of node-redis.*give the URL/],
  ])('%s', (_, given, message) => {
    expectRefused(given, message);
  });

  test('but not of a sentinel in a quorum, which has no place there', () => {
    const servers = [createSentinel(options), 'redis://a', 'redis://b'] as never[];

    expect(() => createQuorumClient({ servers })).toThrow(
      /servers\[0\] must be one server, got a client of Sentinel/,
    );
  });

  test('a provider that streams, and then the option credentials is enough', () => {
    const credentialsProvider = {
      type: 'streaming-credentials-provider' as const,
      subscribe: () => Promise.reject(new Error('never called')),
      onReAuthenticationError: () => {},
    };
    const redis = createClient6({ socket: at, credentialsProvider });

    expectRefused(redis, /redis\.credentialsProvider .* give the option credentials, a function/);
    made.push(createClient({ redis, credentials: () => ({ password: 'x' }) }));
  });

  test.each<[string, (redis: object) => unknown]>([
    ['inside of redis', (redis) => ({ redis: { client: redis } })],
    ['of a client in a proxy that breaks it', () => ({ redis: new Proxy(broken(), {}) })],
    ['of a mock', () => ({ redis: { isOpen: true, options: {}, sendCommand: () => {} } })],
  ])('%s', (_, wrap) => {
    expect(() => createClient(wrap(createClient6()) as Given)).toThrow(TypeError);
  });

  test('of a mock that has every method there is', () => {
    const deep: object = new Proxy(() => deep, { get: () => deep });
    const mock = new Proxy({}, { get: () => deep });

    expect(() => createClient({ redis: mock as never })).toThrow(
      /a mock, or a wrapper: give the U/,
    );
  });
});

/** Version 4 cannot be used through a proxy. */
function broken(): object {
  const [, { createClient: create } = {}] = VERSIONS[0] ?? [];
  return create?.({ socket: { ...at } }) ?? {};
}
