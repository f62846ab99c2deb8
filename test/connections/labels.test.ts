// How the connections of a client are named, as CLIENT LIST of the server shows them.

import { Cluster, type Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createQuorumClient, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';

const server = await ownServer();
const raw = rawClient(server.url);

const watchers = new Map<string, Redis>();

/** The names of the connections to a server that are not of the test, sorted. */
async function namesAt(url: string): Promise<string[]> {
  const watcher = watchers.get(url) ?? rawClient(url, { connectionName: 'test' });
  watchers.set(url, watcher);
  const list = String(await watcher.client('LIST'));
  const names = [...list.matchAll(/ name=(\S*) /gu)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'test' && name !== '').toSorted();
}

/** Makes a client open what it opens: to send, to listen, and to wait for replicas. */
async function openAll(made: Client, name = randomName('labels')): Promise<void> {
  const replicas = { min: 1, timeoutMs: 1, onShortfall: 'keep' } as const;
  const hold = await made.getLock(name).acquire({ replicas });
  await made.getLock(name).tryAcquire({ waitMs: 100 });
  await hold.release();
}

test('connections to send, to listen and to wait for replicas have the name of the process', async () => {
  await openAll(openClient({ redis: server.url }));

  const name = `redlatch:${Array.from(process.title).slice(0, 64).join('')}`;
  await eventually(async () => {
    expect(await namesAt(server.url)).toEqual([name, name, name]);
  });
});

test.each([
  ['orders', 'orders'],
  ['order service\n#7 é😀\u007F~!', 'order_service_#7____~!'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['😀'.repeat(64), '_'.repeat(64)],
])('with the label %j the name is redlatch:%s', async (label, shown) => {
  await openAll(openClient({ redis: server.url, label }));

  const name = `redlatch:${shown}`;
  await eventually(async () => {
    expect(await namesAt(server.url)).toEqual([name, name, name]);
  });
});

test.each([
  ['options', { host: server.host, port: server.port, connectionName: 'theirs' }],
  ['an instance', rawClient(server.url, { connectionName: 'theirs', lazyConnect: true })],
])('the name that %s have stays', async (_, redis) => {
  await openAll(openClient({ redis, label: 'ours' }));

  await eventually(async () => {
    expect(await namesAt(server.url)).toEqual(['theirs', 'theirs', 'theirs']);
  });
});

test.each([
  ['an instance without one', rawClient(server.url, { lazyConnect: true })],
  ['an empty one', { host: server.host, port: server.port, connectionName: '' }],
])('the name of a template that has none is the label: %s', async (_, redis) => {
  await openAll(openClient({ redis, label: 'ours' }));

  await eventually(async () => {
    expect(await namesAt(server.url)).toEqual(Array.from({ length: 3 }, () => 'redlatch:ours'));
  });
});

test('the nodes of a cluster show the label, or the name of the template', async () => {
  const world = await clusterWorld({ masters: 3 });
  const nodes = world.servers.map(({ host, port }) => ({ host, port }));
  const names = Array.from({ length: 12 }, (_, i) => `labels-${i}`);
  const use = async (made: Client): Promise<void> => {
    await Promise.all(names.map(async (name) => await openAll(made, name)));
  };
  const named = new Cluster(nodes, {
    lazyConnect: true,
    redisOptions: { connectionName: 'theirs' },
  });
  const first = openClient({ redis: named, label: 'ours' });
  await use(first);
  await eventually(async () => {
    for (const { url } of world.servers) {
      expect(new Set(await namesAt(url))).toEqual(new Set(['theirs']));
    }
  });
  await first.close();

  await use(openClient({ redis: new Cluster(nodes, { lazyConnect: true }), label: 'ours' }));

  await eventually(async () => {
    for (const { url } of world.servers) {
      const seen = await namesAt(url);
      expect(new Set(seen)).toEqual(new Set(['redlatch:ours']));
      expect(seen.length).toBeGreaterThanOrEqual(3);
    }
  });
});

test('the servers of a quorum show the label', async () => {
  const servers = await Promise.all([ownServer(), ownServer(), ownServer()]);
  const voters = createQuorumClient({
    servers: servers.map(({ url }) => url),
    label: 'votes',
    leaseMs: 1_000,
  });
  await eventually(
    async () => {
      await using hold = await voters.getLock('a').acquire({ waitMs: 1_000 });
      return hold.isHeld;
    },
    { withinMs: 10_000 },
  );

  await eventually(async () => {
    for (const { url } of servers) {
      expect(new Set(await namesAt(url))).toEqual(new Set(['redlatch:votes']));
    }
  });
  await voters.close();
});

test('a user without the right to it, and a server without the command, cost nothing', async () => {
  const rights = ['on', '>x', '~*', '&*', '+@all', '-client'];
  await raw.call('ACL', 'SETUSER', 'nameless', 'reset', ...rights);
  const bare = await ownServer({ args: ['--rename-command', 'CLIENT', ''] });
  const told: unknown[] = [];
  const note = (warning: Error): void => void told.push(warning.message);
  process.on('warning', note);

  const redis = `redis://nameless:x@${server.host}:${server.port}`;
  const clients = [openClient({ redis, label: 'nameless' }), openClient({ redis: bare.url })];
  clients.forEach((each) => each.on('error', ({ error }) => told.push(error)));
  await Promise.all(clients.map(async (each) => await openAll(each)));
  const names = await namesAt(server.url);
  process.off('warning', note);

  expect(told).toEqual([]);
  expect(names).toEqual([]);
});
