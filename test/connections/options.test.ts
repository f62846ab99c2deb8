// Every driver option that could break a promise of ours, and what becomes of it.

import { Redis, type RedisOptions } from 'ioredis';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { withinLimit } from '../../src/core/connection/driver.js';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import { createClient, type Client } from '../../src/index.js';
import { rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { expectWorks, openClient } from './exercise.js';

let server: OwnServer;
let raw: Redis;

beforeAll(async () => {
  server = await ownServer();
  raw = rawClient(server.url);
});

const never = (): never => {
  throw new Error('this function of the template was called');
};

/** The library decides these: whatever the template says has no effect. */
const overridden: RedisOptions[] = [
  { commandTimeout: 1 },
  { enableAutoPipelining: true },
  { enableAutoPipelining: true, autoPipeliningIgnoredCommands: ['evalsha'] },
  { enableOfflineQueue: true },
  { enableOfflineQueue: false },
  { offlineQueue: false },
  { commandQueue: false },
  { autoResubscribe: true },
  { autoResubscribe: false },
  { autoResendUnfulfilledCommands: true },
  { autoResendUnfulfilledCommands: false },
  { retryStrategy: null },
  { retryStrategy: never },
  { retryStrategy: () => 3_600_000 },
  { reconnectOnError: never },
  { reconnectOnError: () => 2 },
  { lazyConnect: true },
  { lazyConnect: false },
  { maxRetriesPerRequest: null },
  { maxRetriesPerRequest: 7 },
  { readOnly: true },
  { stringNumbers: true },
  { blockingTimeout: 1 },
  { socketTimeout: 20 },
  { scripts: { evalsha: { lua: 'return 1', numberOfKeys: 0 } } },
  { showFriendlyErrorStack: true },
  { failoverDetector: false },
  { disconnectTimeout: 50 },
];

/** These say how to reach the server and who we are there: they are taken over. */
const carried: RedisOptions[] = [
  { connectionName: 'night-shift' },
  { protocol: 2 },
  { connectTimeout: 1_500 },
  { keepAlive: 1_000 },
  { noDelay: false },
  { family: 4 },
  { enableReadyCheck: false },
  { maxLoadingRetryTime: 100 },
  { disableClientInfo: true },
  { clientInfoTag: 'night-shift' },
];

/** These would change what a call means, and nothing can be put in their place. */
const refused: [RedisOptions, string][] = [
  [{ role: 'slave' }, 'redis.role must be "master": locks are kept on the master'],
  [{ monitor: true }, 'redis.monitor must be'],
];

const title = (options: RedisOptions): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');

describe.each(overridden.map((options) => [title(options), options] as const))(
  'overridden: %s',
  (_, options) => {
    test('locks work, and go on after a cut', async () => {
      const template = { host: server.host, port: server.port, ...options };

      await expectWorks({ redis: template }, raw);
    });

    test('no connection of ours has it, unless we want the same', () => {
      const ours: RedisOptions = readTemplate(options).options;

      const names = Object.keys(options) as (keyof RedisOptions)[];
      const wanted: RedisOptions = {
        enableOfflineQueue: false,
        enableAutoPipelining: false,
        maxRetriesPerRequest: 0,
        autoResubscribe: false,
        autoResendUnfulfilledCommands: false,
        lazyConnect: true,
        retryStrategy: null,
        reconnectOnError: null,
        failoverDetector: true,
        disconnectTimeout: 1,
      };
      expect(names.map((name) => ours[name])).toEqual(names.map((name) => wanted[name]));
    });
  },
);

describe.each(carried.map((options) => [title(options), options] as const))(
  'carried: %s',
  (_, options) => {
    test('locks work, and go on after a cut', async () => {
      const template = { host: server.host, port: server.port, ...options };

      await expectWorks({ redis: template }, raw);
    });

    test('our connections have it', () => {
      expect(readTemplate(options).options).toMatchObject(options);
    });
  },
);

test.each([
  ['is not given', undefined, 300],
  ['takes longer', 60_000, 300],
  ['would be no limit at all', 0, 300],
  ['takes less', 100, 100],
])('a connectTimeout that %s never outlasts a command', (_, connectTimeout, limitMs) => {
  const { options } = readTemplate({ ...(connectTimeout !== undefined && { connectTimeout }) });

  expect(withinLimit(options, 300).connectTimeout).toBe(limitMs);
});

test.each(refused)('refused by name: %o', (options, message) => {
  const template = { host: server.host, port: server.port, ...options };

  expect(() => createClient({ redis: template })).toThrow(TypeError);
  expect(() => createClient({ redis: template })).toThrow(message);
});

test('what is refused in options is refused in a URL and in an instance', () => {
  const instance = new Redis({ lazyConnect: true, role: 'slave' });

  expect(() => createClient({ redis: `${server.url}?role=slave` })).toThrow('redis.role');
  expect(() => createClient({ redis: instance })).toThrow('redis.role');
});

test.each([
  ['a number', 6379],
  ['null', null],
  ['an array', []],
  ['a word', 'localhost:6379'],
  ['an empty string', ''],
  ['another protocol', 'http://localhost:6379'],
])('%s is no template', (_, template) => {
  const attempt = (): Client => openClient({ redis: template as never });

  expect(attempt).toThrow(TypeError);
  expect(attempt).toThrow(/^redis must be a/);
});

test('no function of the template is ever called', async () => {
  const retryStrategy = vi.fn(() => 10);
  const reconnectOnError = vi.fn(() => true);
  const template = { host: server.host, port: server.port, retryStrategy, reconnectOnError };

  await expectWorks({ redis: template }, raw);

  expect(retryStrategy).not.toHaveBeenCalled();
  expect(reconnectOnError).not.toHaveBeenCalled();
});

test('nothing is left of all these clients', async () => {
  await expectNoResidue(runPrefix(), { client: raw, allow: [/^redlatch_cancelled:/] });
  await expectNoChannels(runPrefix(), { client: raw });
});
