// A server that refuses this client: before its first success no retry helps, and every call says
// so; later it is an outage like any other.

import { Cluster, type Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSentinels } from '../../scripts/redis/sentinel.mjs';
import { AccessDeniedError, CommandTimeoutError } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { clusterWorld } from './cluster-world.js';
import { connecting, inScripts, patterns } from './everything.js';
import { expectDenied, PATIENT as options } from './denied.js';
import { cutClients, expectCycle, openClient } from './exercise.js';

let server: OwnServer;
let raw: Redis;

beforeAll(async () => {
  server = await ownServer();
  await rawClient(server.url).config('SET', 'requirepass', 'open sesame');
  raw = rawClient(server.url, { password: 'open sesame' });
});

afterAll(async () => {
  const allow = [/^redlatch_(cancelled|requests|opened|beats|generation|permits):/];
  await expectNoResidue(runPrefix(), { client: raw, allow, withinMs: 4_000 });
  await expectNoChannels(runPrefix(), { client: raw });
});

async function addUser(name: string, more: string[] = []): Promise<string> {
  const commands = [...connecting, ...inScripts].map((command) => `+${command}`);
  const rights = ['on', '>secret', ...patterns(runPrefix()), ...commands, ...more];
  await raw.call('ACL', 'SETUSER', name, 'reset', ...rights);
  return `redis://${name}:secret@${server.host}:${server.port}`;
}

describe('before the first success every call ends at once, with the answer of the server:', () => {
  test.each<[string, () => string | Promise<string>, RegExp]>([
    ['a wrong password', () => `redis://:wrong@${server.host}:${server.port}`, /WRONGPASS/],
    ['no password', () => server.url, /NOAUTH/],
    ['an unknown user', () => `redis://x:y@${server.host}:${server.port}`, /WRONGPASS/],
    [
      'a database that there is not',
      () => `redis://:open%20sesame@${server.host}:${server.port}/99`,
      /DB index/,
    ],
    ['no right to run scripts', () => addUser('mute', ['-eval', '-evalsha']), /NOPERM/],
    ['no right to its keys', () => addUser('keyless', ['resetkeys', '~other:*']), /NOPERM|keys/],
    [
      'no right to a command in a script',
      () => addUser('timeless', ['-pttl', '-time', '-exists', '-get', '-hexists']),
      /run this command|ACL failure/,
    ],
  ])('%s', async (_, url, answer) => {
    const client = openClient({ redis: await url(), ...options });

    await expectDenied(client, answer);
  });

  test('no password, with a driver that does not look before it says that it is ready', async () => {
    const { host, port } = server;
    const redis = { host, port, protocol: 2 as const, enableReadyCheck: false };

    await expectDenied(openClient({ redis, ...options }), /NOAUTH|unauthenticated/);
  });

  test('in a cluster', async () => {
    const world = await clusterWorld({ masters: 1 });
    await world.node(0).config('SET', 'requirepass', 'open sesame');
    const cluster = world.template({ username: 'default', password: 'wrong' });

    await expectDenied(openClient({ redis: cluster, ...options }), /WRONGPASS/);
  });

  test('in a cluster whose slots it may not read', async () => {
    const world = await clusterWorld({ masters: 1 });
    const rights = ['on', '>x', '~*', '&*', '+@all', '-cluster'];
    await world.node(0).call('ACL', 'SETUSER', 'blind', 'reset', ...rights);
    const cluster = world.template({ username: 'blind', password: 'x' });

    await expectDenied(openClient({ redis: cluster, ...options }), /NOPERM/);
  });

  test('of the sentinels', async () => {
    const group = await startSentinels({ replicas: 0, sentinels: 1 });
    const [sentinel] = group.sentinels;
    await rawClient(sentinel?.url)
      .config('SET', 'requirepass', 'open sesame')
      .catch(() => {});
    await rawClient(sentinel?.url).call('ACL', 'SETUSER', 'default', 'resetpass', '>x');
    const sentinels = [{ host: sentinel?.host ?? '', port: sentinel?.port ?? 0 }];
    const redis = { name: group.name, sentinels, sentinelPassword: 'wrong' };

    await expectDenied(openClient({ redis, ...options }), /WRONGPASS/);
    await group.stop();
  });
});

test('the error names the object, says what to do, and shows no password', async () => {
  const redis = `redis://jo:s3cret-word@${server.host}:${server.port}`;
  const name = randomName();

  const error = await rejection(openClient({ redis }).getLock(name).acquire());

  const text = String(error);
  expect(text).toContain(name);
  expect(text).toContain('WRONGPASS');
  expect(text).toContain('Check user name and password');
  expect(
    JSON.stringify([text, (error as Error).stack, String((error as Error).cause)]),
  ).not.toContain('s3cret');
});

test('all waits of a client that is refused end, and nothing is sent for any of them', async () => {
  const client = openClient({ redis: `redis://:wrong@${server.host}:${server.port}`, ...options });
  const name = randomName();

  const waits = Array.from({ length: 20 }, async () => await client.getLock(name).acquire());
  const outcomes = await Promise.allSettled(waits);

  const denied = outcomes.filter(
    (each) => each.status === 'rejected' && each.reason instanceof AccessDeniedError,
  );
  expect(denied.length).toBe(20);
});

test('one node of a cluster that refuses ends nothing while another lets the client in', async () => {
  const world = await clusterWorld({ masters: 1 });
  const { host = '', port = 0 } = world.servers[0] ?? {};
  const strict = { host: server.host, port: server.port };
  const url = { host, port };
  for (const nodes of [
    [strict, url],
    [url, strict],
  ]) {
    const client = openClient({ redis: new Cluster(nodes, { lazyConnect: true }), ...options });

    const hold = await client.getLock(world.nameOn(0)).acquire();

    expect(hold.isHeld).toBe(true);
    await hold.release();
  }
});

test('a refusal counts until the next attempt: a server that is gone since ends no wait', async () => {
  const proxy = await startProxy({ target: server.url });
  const redis = `redis://:wrong@127.0.0.1:${proxy.port}`;
  const client = openClient({ redis, commandTimeoutMs: 300 });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  expect(await rejection(client.getLock(randomName()).acquire())).toBeInstanceOf(AccessDeniedError);

  proxy.refuse();
  proxy.cutAll();
  await eventually(() => errors.some((message) => message.includes('ECONNREFUSED')));
  const late = await rejection(client.getLock(randomName()).tryAcquire());

  expect(late).toBeInstanceOf(CommandTimeoutError);
  expect(String((late as CommandTimeoutError).cause)).toContain('ECONNREFUSED');
});

test('a client that was refused gets in once the server accepts it', async () => {
  const redis = `redis://late:secret@${server.host}:${server.port}`;
  const client = openClient({ redis, ...options });
  expect(await rejection(client.getLock(randomName()).acquire())).toBeInstanceOf(AccessDeniedError);

  await addUser('late');
  await eventually(async () => {
    await expectCycle(client, raw);
  });
});

describe('after the first success it is an outage:', () => {
  test('a password that is rotated ends no wait', async () => {
    const redis = await addUser('rotated');
    const client = openClient({ redis, commandTimeoutMs: 300 });
    const errors: string[] = [];
    client.on('error', ({ error }) => errors.push(error.message));
    await expectCycle(client, raw);

    await raw.call('ACL', 'SETUSER', 'rotated', 'resetpass', '>another');
    await cutClients(raw);
    const name = randomName();
    const waiting = client.getLock(name).acquire();
    await eventually(() => errors.some((message) => message.includes('WRONGPASS')));
    const late = await rejection(client.getLock(randomName()).tryAcquire());
    await raw.call('ACL', 'SETUSER', 'rotated', '>secret');
    const hold = await waiting;

    expect(late).toBeInstanceOf(CommandTimeoutError);
    expect(String((late as CommandTimeoutError).cause)).toContain('WRONGPASS');
    expect(hold.isHeld).toBe(true);
    await hold.release();
  });

  test('also when it was connected only, and had nothing to do until then', async () => {
    const redis = await addUser('idle');
    const proxy = await startProxy({ target: server.url });
    const client = openClient({ redis: redis.replace(String(server.port), String(proxy.port)) });
    let isAnswered = false;
    proxy.rewriteReplies((command, reply) => {
      // The last question before a connection is used.
      isAnswered ||= command.join(' ') === 'INFO';
      return reply;
    });
    await eventually(() => isAnswered);
    // The answer is on its way before that of this.
    await raw.ping();
    expect(await raw.call('CLIENT', 'LIST')).toContain('user=idle');
    const errors: string[] = [];
    client.on('error', ({ error }) => errors.push(error.message));

    await raw.call('ACL', 'SETUSER', 'idle', 'resetpass', '>another');
    await cutClients(raw);
    await eventually(() => errors.some((message) => message.includes('WRONGPASS')));
    const waiting = client.getLock(randomName()).acquire();
    await raw.call('ACL', 'SETUSER', 'idle', '>secret');
    const hold = await waiting;

    expect(hold.isHeld).toBe(true);
    await hold.release();
  });

  test('rights that are taken away end no wait, and delay no other call', async () => {
    const redis = await addUser('curbed');
    const client = openClient({ redis, commandTimeoutMs: 600 });
    const errors: string[] = [];
    client.on('error', ({ error }) => errors.push(error.message));
    await expectCycle(client, raw);
    const refused = randomName();
    const own = runPrefix();

    // Every name of this run but one.
    const rest = patterns(own).map((pattern) => pattern.replaceAll(own, `${own}free`));
    await raw.call('ACL', 'SETUSER', 'curbed', 'resetkeys', 'resetchannels', ...rest);
    const waiting = client.getLock(refused).acquire();
    const timeout = await rejection(client.getLock(randomName()).acquire({ waitMs: 400 }));
    const ended = rejection(client.getPermitExpirableSemaphore(randomName()).tryAcquire());
    const others: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const startedAt = performance.now();
      await client.getLock(`${own}free-${i}`).using(() => i);
      others.push(performance.now() - startedAt);
    }
    expect(String(await ended)).toContain('NOPERM');
    await raw.call('ACL', 'SETUSER', 'curbed', ...patterns(own));
    const hold = await waiting;

    expect(timeout).toBeInstanceOf(CommandTimeoutError);
    expect(String((timeout as CommandTimeoutError).cause)).toContain('NOPERM');
    // A call that had to wait for those that are refused would be sent with them, every 250 ms.
    expect(others.toSorted((a, b) => a - b)[10]).toBeLessThan(100);
    // A wait without a limit goes on, and is not silent about it.
    expect(errors).toEqual([
      expect.stringMatching(/refuses calls: NOPERM.*Give the user the rights/u),
    ]);
    expect(hold.isHeld).toBe(true);
    await hold.release();
  });
});

test('a server that is not there ends no wait, not even the first one', async () => {
  const proxy = await startProxy({ target: server.url });
  proxy.refuse();
  const redis = (await addUser('patient')).replace(String(server.port), String(proxy.port));
  const client = openClient({ redis, commandTimeoutMs: 300 });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));

  const waiting = client.getLock(randomName()).acquire();
  await eventually(() => errors.some((message) => message.includes('ECONNREFUSED')));
  await proxy.accept();
  const hold = await waiting;

  expect(hold.isHeld).toBe(true);
  await hold.release();
});
