// What a deployment gives, as its servers report it.

import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClientOn } from '../../../src/client.js';
import { systemClock } from '../../../src/core/base/clock.js';
import { CommandTimeoutError, ClosedError, type Guarantees } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { rawClient } from '../../support/redis.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';

const scope = testScope('guarantees');
const server = await ownServer();

/** A user with all rights but those that are taken away. */
async function addUser(name: string, ...rights: string[]): Promise<string> {
  const all = ['reset', 'resetchannels', 'on', '>secret', '~*', '+@all'];
  await rawClient(server.url).call('ACL', 'SETUSER', name, ...all, ...rights);
  return `redis://${name}:secret@${server.host}:${server.port}`;
}

const verdictOf = ({ faults }: Guarantees, fault: string): unknown =>
  faults.find((each) => each.fault === fault)?.twoOwners;

test('one server without replicas and without a disk', async () => {
  const found = await scope.client({ redis: server.url }).guarantees();

  expect(found).toMatchObject({
    topology: 'single',
    replicas: 0,
    persistence: 'none',
    maxmemoryPolicy: 'noeviction',
    seesClients: true,
  });
  expect(`${found.product} ${found.version}`.toLowerCase()).toBe(server.version.toLowerCase());
  expect(verdictOf(found, 'failover, writes lost')).toBe('never');
  expect(verdictOf(found, 'restart, writes lost')).toBe('may');
  expect(verdictOf(found, 'eviction')).toBe('never');
});

test.each([
  [{ appendonly: 'yes', appendfsync: 'everysec' }, 'everysec', 'may'],
  [{ appendonly: 'yes', appendfsync: 'always' }, 'always', 'never'],
  [{ appendonly: 'yes', appendfsync: 'no' }, 'snapshot', 'may'],
  [{ save: '3600 1' }, 'snapshot', 'may'],
] as const)(
  '%j: what survives a restart is %s, so two owners %s be',
  async (settings, level, verdict) => {
    const { url } = await ownServer();
    for (const [name, value] of Object.entries(settings)) {
      await rawClient(url).config('SET', name, value);
    }

    const found = await scope.client({ redis: url }).guarantees();

    expect(found.persistence).toBe(level);
    expect(verdictOf(found, 'restart, writes lost')).toBe(verdict);
  },
);

test('a replica is a reason why a failover may lose what was written', async () => {
  const [master, replica] = await Promise.all([ownServer(), ownServer()]);
  await rawClient(replica.url).call('REPLICAOF', master.host, master.port);
  const client = scope.client({ redis: master.url });

  await eventually(async () => (await client.guarantees()).replicas === 1, { withinMs: 10_000 });

  expect(verdictOf(await client.guarantees(), 'failover, writes lost')).toBe('may');
});

test('a server that evicts', async () => {
  const args = ['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-lru'];
  const { url } = await ownServer({ args });

  const found = await scope.client({ redis: url }).guarantees();

  expect(found.maxmemoryPolicy).toBe('volatile-lru');
  const row = found.faults.find(({ fault }) => fault === 'eviction');
  expect(row?.twoOwners).toBe('may');
  expect(row?.text).toContain('104857600 bytes (volatile-lru)');
});

test('what a user may not read is unknown, and no error', async () => {
  const redis = await addUser('shy', '&*', '-info', '-config', '-pubsub');

  const found = await scope.client({ redis }).guarantees();

  expect(found).toMatchObject({
    product: 'unknown',
    version: 'unknown',
    replicas: null,
    persistence: null,
    maxmemoryPolicy: null,
    seesClients: false,
  });
  expect(
    ['restart, writes lost', 'eviction', 'failover, writes lost'].map((row) =>
      verdictOf(found, row),
    ),
  ).toEqual(['unknown', 'unknown', 'unknown']);
});

test('CONFIG alone is denied, as by managed services: only what it says is unknown', async () => {
  const { url } = await ownServer({ args: ['--rename-command', 'CONFIG', ''] });

  const found = await scope.client({ redis: url }).guarantees();

  expect(found).toMatchObject({ replicas: 0, persistence: null, maxmemoryPolicy: 'noeviction' });
  expect(verdictOf(found, 'restart, writes lost')).toBe('unknown');
});

test.each([
  ['may not listen to its own channel', ['&redisson*']],
  ['may not listen at all', ['&*', '-subscribe']],
])('a client that %s sees no others', async (_, rights) => {
  const redis = await addUser('deaf', ...rights);

  expect((await scope.client({ redis }).guarantees()).seesClients).toBe(false);
});

test('behind a proxy that hides subscriptions a client sees no others', async () => {
  const proxy = await startProxy({ target: server.url });
  proxy.rewriteReplies(([name], reply) =>
    name?.toUpperCase() === 'PUBSUB' ? Buffer.from('*0\r\n') : reply,
  );

  expect((await scope.client({ redis: proxy.url }).guarantees()).seesClients).toBe(false);
});

test('where subscriptions get no answer, everything else is reported in time', async () => {
  const proxy = await startProxy({ target: server.url });
  const hold = proxy.holdRequests(([name = '']) => /^s?subscribe$/iu.test(name));
  onTestFinished(() => hold.release());
  const client = scope.client({ redis: proxy.url, commandTimeoutMs: 1_000 });

  expect(await client.guarantees()).toMatchObject({ replicas: 0, seesClients: false });
});

test('a server that is busy hides nothing: it is asked again', async () => {
  const proxy = await startProxy({ target: server.url });
  const client = scope.client({ redis: proxy.url });
  await client.getLock(scope.name()).isLocked();
  let refused = 0;
  proxy.rewriteReplies(([name], reply) => {
    refused += name?.toUpperCase() === 'CONFIG' ? 1 : 0;
    return refused === 1 ? Buffer.from('-BUSY Redis is busy running a script.\r\n') : reply;
  });

  expect(await client.guarantees()).toMatchObject({ replicas: 0, persistence: 'none' });
  expect(refused).toBeGreaterThan(2);
});

test('without a server it ends in time, with the reason', async () => {
  const client = scope.client({ redis: 'redis://127.0.0.1:1', commandTimeoutMs: 200 });

  const error = await rejection(client.guarantees());

  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect(String(error)).toContain('no connection to Redis within 200 ms for "guarantees"');
  expect(String((error as Error).cause)).toContain('ECONNREFUSED');
});

test('it asks nobody any more once its time is up, though an answer was still to come', async () => {
  const proxy = await startProxy({ target: server.url });
  const hold = proxy.holdRequests(([name]) => name?.toUpperCase() === 'CONFIG');
  const pauses: number[] = [];
  const clock = systemClock();
  const after: typeof clock.after = (delayMs, task) => {
    pauses.push(delayMs);
    return clock.after(delayMs, task);
  };
  const options = { redis: proxy.url, commandTimeoutMs: 300, leaseMs: 60_000 };
  const client = createClientOn({ clock: { ...clock, after } }, options);
  onTestFinished(async () => await client.close());

  expect(await rejection(client.guarantees())).toBeInstanceOf(CommandTimeoutError);
  const asked = pauses.filter((pause) => pause === 20).length;
  proxy.cutAll();
  hold.release();
  await client.getLock(scope.name()).isLocked();
  await setImmediate();

  expect(pauses.filter((pause) => pause === 20)).toHaveLength(asked);
});

test('a client that is closed, before or meanwhile, reports nothing', async () => {
  const client = scope.client({ redis: 'redis://127.0.0.1:1' });
  const waiting = rejection(client.guarantees());
  await client.close();

  expect([await waiting, await rejection(client.guarantees())]).toEqual([
    expect.any(ClosedError),
    expect.any(ClosedError),
  ]);
});
