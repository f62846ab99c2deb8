// Credentials that a function gives: when it is asked, for whom, and what happens where it fails.

import { describe, expect, test } from 'vitest';
import { startSentinels } from '../../scripts/redis/sentinel.mjs';
import {
  AccessDeniedError,
  CommandTimeoutError,
  createQuorumClient,
  type Client,
  type Credentials,
} from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName } from '../support/redis.js';
import { clusterWorld } from './cluster-world.js';
import { eachWithPassword, guardedServer, operatorOf, Source } from './credential-source.js';
import { cutClients, expectCycle, openClient } from './exercise.js';

const { server, operator } = await guardedServer('first');
const redis = { host: server.host, port: server.port };
const address = `${server.host}:${server.port}`;

eachWithPassword(operator, 'first');

function errorsOf(client: Client): string[] {
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  return errors;
}

describe('the function is asked before each connection, with the address of its server:', () => {
  test('to send, to listen and to wait for replicas, and again after a cut', async () => {
    const source = new Source('first');
    const client = openClient({ redis, credentials: source.ask });
    expect(source.asked).toEqual([]);

    const replicas = { min: 1, timeoutMs: 1, onShortfall: 'keep' } as const;
    const name = randomName();
    const hold = await client.getLock(name).acquire({ replicas });
    await client.getLock(name).tryAcquire({ waitMs: 100 });
    await hold.release();
    await eventually(() => source.asked.length === 3);
    await cutClients(operator);
    await eventually(() => source.asked.length === 6);

    expect(new Set(source.asked)).toEqual(new Set([address]));
  });

  test('of the nodes of a cluster, each with a password of its own', async () => {
    const world = await clusterWorld({ masters: 2 });
    const ports = world.servers.map(({ port }) => port);
    for (const [i, port] of ports.entries()) {
      await operatorOf(world.servers[i]?.url ?? '');
      await world.node(i).config('SET', 'requirepass', `of ${port}`);
    }
    const source = new Source('');
    source.give = ({ port }) => ({ password: `of ${port}` });
    const template = { redis: world.template(), credentials: source.ask };
    const [client, other] = [openClient(template), openClient(template)];

    for (const [i] of ports.entries()) {
      const raw = world.node(i);
      await raw.call('AUTH', 'operator', 'operator');
      const lock = client.getLock(world.nameOn(i));
      const hold = await lock.acquire();
      const waiting = other.getLock(lock.name).acquire({ waitMs: 4_000 });
      await hold.release();
      await (await waiting).release();
    }

    expect(new Set(source.asked.map((asked) => asked.split(':').at(-1)))).toEqual(
      new Set(ports.map(String)),
    );
  });

  test('of the master that a sentinel names, and not of the sentinel', async () => {
    const group = await startSentinels({ replicas: 0, sentinels: 1 });
    const raw = await operatorOf(group.master.url);
    await raw.config('SET', 'requirepass', 'of the master');
    const source = new Source('of the master');
    const sentinels = group.sentinels.map(({ host, port }) => ({ host, port }));
    const client = openClient({ redis: { name: group.name, sentinels }, credentials: source.ask });

    await expectCycle(client, raw);
    await cutClients(raw);
    await expectCycle(client, raw);

    const { host, port } = group.master;
    expect(new Set(source.asked)).toEqual(new Set([`${host}:${port}`]));
    await group.stop();
  });

  test('of the servers of a quorum', async () => {
    const others = await Promise.all([guardedServer('second'), guardedServer('third')]);
    const servers = [server, ...others.map((each) => each.server)];
    const passwords = ['first', 'second', 'third'];
    const source = new Source('');
    source.give = ({ port }) => ({
      password: passwords[servers.findIndex((each) => each.port === port)] ?? '',
    });
    await using client = createQuorumClient({
      servers: servers.map(({ host, port }) => ({ host, port })),
      leaseMs: 1_000,
      credentials: source.ask,
    });

    const hold = await client.getLock(randomName()).acquire({ waitMs: 10_000 });
    await hold.release();

    const addresses = servers.map(({ host, port }) => `${host}:${port}`);
    expect([...new Set(source.asked)].toSorted()).toEqual(addresses.toSorted());
  });

  test('of a socket of the machine, whose port is 0', async () => {
    const source = new Source('first');
    const client = openClient({
      redis: { path: '/nowhere/redis.sock' },
      credentials: source.ask,
      commandTimeoutMs: 300,
    });
    await rejection(client.getLock(randomName()).tryAcquire());

    expect(source.asked[0]).toBe('/nowhere/redis.sock:0');
  });
});

describe('the user is', () => {
  test.each<[string, Credentials, object, string]>([
    ['that of the credentials', { username: 'ann', password: 'x' }, { username: 'bob' }, 'ann'],
    ['that of the template, where they have none', { password: 'x' }, { username: 'bob' }, 'bob'],
    ['the default one, where nobody names one', { password: 'first' }, {}, 'default'],
  ])('%s', async (_, given, more, user) => {
    for (const name of ['ann', 'bob']) {
      await operator.call('ACL', 'SETUSER', name, 'on', '>x', '~*', '&*', '+@all');
    }
    const template = { ...redis, ...more, password: 'an old one' };
    const client = openClient({ redis: template, credentials: () => given, label: 'whose' });

    await client.getLock(randomName()).using(async () => {
      const list = String(await operator.call('CLIENT', 'LIST'));
      expect(/ name=redlatch:whose .* user=(\S*)/u.exec(list)?.[1]).toBe(user);
    });
  });
});

describe('an outage with its cause, which ends by itself:', () => {
  test('the function rejects', async () => {
    const source = new Source('first');
    const why = new Error('the token service is down');
    source.give = async () => await Promise.reject(why);
    const client = openClient({ redis, credentials: source.ask, commandTimeoutMs: 300 });
    const errors = errorsOf(client);

    const error = await rejection(client.getLock(randomName()).tryAcquire());
    const waiting = client.getLock(randomName()).acquire();
    source.give = () => ({ password: 'first' });
    const hold = await waiting;

    expect(error).toBeInstanceOf(CommandTimeoutError);
    const { cause } = error as CommandTimeoutError;
    expect(cause).toMatchObject({
      message: `credentials for ${address}: the token service is down`,
    });
    expect((cause as Error).cause).toBe(why);
    expect(errors).toEqual([(cause as Error).message]);
    expect(hold.isHeld).toBe(true);
    await hold.release();
  });

  test('the function throws', async () => {
    const source = new Source('first');
    source.give = () => {
      throw new Error('no such profile');
    };
    const client = openClient({ redis, credentials: source.ask, commandTimeoutMs: 300 });

    const error = await rejection(client.getLock(randomName()).tryAcquire());
    source.give = () => ({ password: 'first' });

    expect(String((error as Error).cause)).toContain('no such profile');
    await expectCycle(client, operator);
  });

  test('the function does not answer', async () => {
    const source = new Source('first');
    const asks: (() => void)[] = [];
    source.give = async () =>
      await new Promise((resolve) => {
        asks.push(() => resolve({ password: 'first' }));
      });
    const client = openClient({ redis, credentials: source.ask, commandTimeoutMs: 100 });
    const errors = errorsOf(client);

    const waiting = client.getLock(randomName()).acquire();
    await eventually(() => errors.length > 0);
    const error = await rejection(client.getLock(randomName()).tryAcquire());
    source.give = () => ({ password: 'first' });
    const hold = await waiting;
    // Too late for an attempt that was given up.
    for (const answer of asks) {
      answer();
    }
    await expectCycle(client, operator);

    const why = `credentials for ${address}: the function has not answered within 2000 ms`;
    expect(errors).toEqual([why]);
    expect(String((error as Error).cause)).toContain(why);
    const list = String(await operator.call('CLIENT', 'LIST'));
    expect(list.match(/ user=default /gu)?.length).toBe(1);
    await hold.release();
  });

  test.each<[string, unknown, RegExp]>([
    ['a password alone', 'first', /must be an object such as .* got a value of type string$/],
    ['nothing', undefined, /must be an object such as .* got a value of type undefined$/],
    ['null', null, /must be an object such as .* got null$/],
    ['no password', {}, /: password must be a string of at least one character, got a value/],
    ['an empty password', { password: '' }, /: password must be .*, got an empty one$/],
    ['a number', { password: 4711 }, /: password must be .*, got a value of type number$/],
    ['an empty user', { username: '', password: 'first' }, /: username must be .* empty one$/],
    ['a null user', { username: null, password: 'first' }, /: username must be .* null$/],
    [
      'an end as a date',
      { password: 'first', expiresAtMs: new Date() },
      /: expiresAtMs must be an integer from 1000000000000 to 8640000000000000, got a value of type object$/,
    ],
    ['an end in seconds', { password: 'first', expiresAtMs: 1_764_000_000 }, /got 1764000000$/],
    ['a fraction', { password: 'first', expiresAtMs: 4e12 + 0.5 }, /: expiresAtMs must be an int/],
  ])('the function gives %s', async (_, given, message) => {
    const source = new Source('first');
    source.give = () => given as Credentials;
    const client = openClient({ redis, credentials: source.ask, commandTimeoutMs: 300 });

    const error = await rejection(client.getLock(randomName()).tryAcquire());
    source.give = () => ({ password: 'first' });

    const { cause } = error as CommandTimeoutError;
    expect(cause).toMatchObject({ message: expect.stringMatching(message) as string });
    expect((cause as Error).message).toContain(`credentials for ${address}`);
    expect((cause as Error).message).not.toMatch(/first|4711/u);
    await expectCycle(client, operator);
  });

  test('the server refuses what was given, after the first success', async () => {
    const source = new Source('first');
    const client = openClient({ redis, credentials: source.ask, commandTimeoutMs: 300 });
    await expectCycle(client, operator);

    await operator.config('SET', 'requirepass', 'second');
    await cutClients(operator);
    const error = await rejection(client.getLock(randomName()).tryAcquire());
    source.give = () => ({ password: 'second' });

    expect(error).toBeInstanceOf(CommandTimeoutError);
    expect(String((error as Error).cause)).toContain('WRONGPASS');
    await expectCycle(client, operator);
  });
});

test('credentials that come after the client was closed open no connection', async () => {
  const proxy = await startProxy({ target: server.url });
  const asks: (() => void)[] = [];
  const source = new Source('first');
  source.give = async () =>
    await new Promise((resolve) => {
      asks.push(() => resolve({ password: 'first' }));
    });
  const client = openClient({ redis: proxy.url, credentials: source.ask });
  await eventually(() => asks.length === 1);
  await client.close();
  asks[0]?.();

  const next = openClient({ redis: { port: proxy.port, password: 'first' } });
  await expectCycle(next, operator);

  expect(proxy.everyConnection().length).toBe(1);
});

test('what is refused before the first success ends each call, and shows no password', async () => {
  const password = 'a secret that changes';
  const client = openClient({ redis, credentials: () => ({ username: 'nobody', password }) });

  const error = (await rejection(client.getLock(randomName()).acquire())) as AccessDeniedError;

  expect(error).toBeInstanceOf(AccessDeniedError);
  expect(JSON.stringify([error.message, error.stack, String(error.cause)])).not.toContain(password);
});
