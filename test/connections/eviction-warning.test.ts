// A server that may evict locks is reported when a client connects to it, without a further command.

import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';

const LIMITED = ['--maxmemory', '100mb'];
const VOLATILE = ['--maxmemory-policy', 'volatile-lru'];

const server = await ownServer({ args: [...LIMITED, ...VOLATILE] });
const world = await clusterWorld({ masters: 3 });

/** What warns of eviction from now to the end of the test. */
function warned(): string[] {
  const told: string[] = [];
  const hear = (warning: Error & { code?: string }): void => {
    if (warning.name === 'RedlatchWarning' && warning.code === 'REDLATCH_EVICTION') {
      told.push(warning.message);
    }
  };
  process.on('warning', hear);
  onTestFinished(() => {
    process.off('warning', hear);
  });
  return told;
}

/** Whatever the connections of a client have to report is reported after this. */
async function work(client: Client): Promise<void> {
  await client.getLock(randomName('eviction')).using(() => {});
  await setImmediate();
}

test('with the first success of each client, once, whatever is cut later', async () => {
  const proxy = await startProxy({ target: server.url });
  const told = warned();
  const client = openClient({ redis: proxy.url });

  await work(client);
  proxy.cutAll();
  await work(client);
  const [text, ...more] = [...told];
  await work(openClient({ redis: server.url }));

  expect(text).toContain(`at 127.0.0.1:${proxy.port} evicts keys at 104857600 bytes`);
  expect(text).toContain('maxmemory-policy volatile-lru');
  expect(more).toEqual([]);
  expect(told).toHaveLength(2);
});

test.each([
  ['evicts nothing', LIMITED],
  ['has no limit', VOLATILE],
])('not for a server that %s', async (_, args) => {
  const other = await ownServer({ args });
  const told = warned();

  await work(openClient({ redis: other.url }));

  expect(told).toEqual([]);
});

test('not where INFO is hidden', async () => {
  const user = ['on', '>secret', '~*', '&*', '+@all', '-info'];
  await rawClient(server.url).call('ACL', 'SETUSER', 'shy', ...user);
  const told = warned();
  const { host, port } = server;
  const access = { username: 'shy', password: 'secret' };

  await work(openClient({ redis: { host, port, ...access, enableReadyCheck: false } }));

  expect(told).toEqual([]);
});

test.each([/^maxmemory:.*\r\n/mu, /^maxmemory_policy:.*\r\n/mu])(
  'not where INFO reports no %s',
  async (line) => {
    const proxy = await startProxy({ target: server.url });
    proxy.rewriteReplies(([name = ''], reply) => {
      const text = String(reply)
        .replace(/^\$\d+\r\n/u, '')
        .replace(line, '')
        .slice(0, -2);
      return /^info$/iu.test(name)
        ? Buffer.from(`$${Buffer.byteLength(text)}\r\n${text}\r\n`)
        : reply;
    });
    const told = warned();

    await work(openClient({ redis: proxy.url }));

    expect(told).toEqual([]);
  },
);

test('it costs no command: a connection asks INFO as often as without it', async () => {
  const proxy = await startProxy({ target: server.url });
  const { port } = proxy;

  await work(openClient({ redis: { port, enableReadyCheck: false } }));

  const names = proxy.requests().map(([name = '']) => name.toLowerCase());
  expect(names.filter((name) => name === 'info')).toHaveLength(1);
});

test('a client that is closed before the answer warns of nothing, and leaves no connection', async () => {
  const proxy = await startProxy({ target: server.url });
  const hold = proxy.holdRequests(([name = '']) => /^info$/iu.test(name));
  const told = warned();
  const client = openClient({ redis: { port: proxy.port, enableReadyCheck: false } });
  await eventually(() => hold.held.length > 0);

  await client.close();
  hold.release();
  await eventually(() => proxy.connections().length === 0);
  await work(openClient({ redis: { port: proxy.port, keyPrefix: '' } }));

  expect(told).toHaveLength(1);
});

test('one master of a cluster is enough, and is told once', async () => {
  const last = rawClient(world.servers[2]?.url ?? '');
  await last.config('SET', 'maxmemory', '100mb');
  await last.config('SET', 'maxmemory-policy', 'volatile-ttl');
  const told = warned();
  const client = openClient({ redis: world.template() });

  for (const node of [0, 1, 2]) {
    await client.getLock(world.nameOn(node)).using(() => {});
  }
  await setImmediate();

  expect(told).toEqual([expect.stringContaining('volatile-ttl')]);
});
