// A server that is too old, or runs no scripts: until the client has got in no retry helps, and every
// call says so; what takes the place of a server that worked is an outage.

import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CommandTimeoutError,
  UnsupportedServerError,
  type Client,
  type ClientOptions,
} from '../../src/index.js';
import { OLDEST_REDIS } from '../../src/core/base/constants.generated.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { clusterWorld } from './cluster-world.js';
import { everyCall, PATIENT } from './denied.js';
import { expectCycle, openClient } from './exercise.js';

let server: OwnServer;

beforeAll(async () => {
  server = await ownServer();
});

afterAll(async () => {
  await expectNoResidue(runPrefix(), {
    client: rawClient(server.url),
    allow: [/^redlatch_(cancelled|requests|opened|beats|generation):/],
    withinMs: 4_000,
  });
});

/** From now on the server behind the proxy calls itself by this version. */
function callItself(proxy: Proxy, version: string): void {
  proxy.rewriteReplies((command, reply) => {
    if (!/^info$/iu.test(command[0] ?? '')) {
      return reply;
    }
    const [, text = ''] = /^\$\d+\r\n([\s\S]*)\r\n$/u.exec(reply.toString()) ?? [];
    const told = text.replace(/redis_version:.*?\r\n/u, version && `redis_version:${version}\r\n`);
    return Buffer.from(`$${Buffer.byteLength(told)}\r\n${told}\r\n`);
  });
}

async function serverCalled(version: string, target = server.url): Promise<Proxy> {
  const proxy = await startProxy({ target });
  callItself(proxy, version);
  return proxy;
}

function scriptsSent(proxy: Proxy): string[][] {
  return proxy.requests().filter(([name = '']) => /^eval/iu.test(name));
}

/** Each of its calls ends at once, also those that would wait. */
async function expectUnsupported(client: Client, found: RegExp, needed: RegExp): Promise<void> {
  for (const [call, run] of Object.entries(everyCall(client))) {
    const error = await rejection(run());
    expect(error, call).toBeInstanceOf(UnsupportedServerError);
    expect(error, call).toMatchObject({
      code: 'ERR_UNSUPPORTED_SERVER',
      name: 'UnsupportedServerError',
      resource: expect.stringContaining(runPrefix()) as string,
      found: expect.stringMatching(found) as string,
      needed: expect.stringMatching(needed) as string,
    });
  }
}

describe('before the first success every call ends at once, with what was found and what is needed:', () => {
  test.each(['6.0.16', '5.0.14', '2.8.24'])('Redis %s', async (version) => {
    const proxy = await serverCalled(version);
    const client = openClient({ redis: proxy.url, ...PATIENT });

    await expectUnsupported(client, new RegExp(`^Redis ${version}$`, 'u'), /^Redis 6\.2 or later$/);

    expect(scriptsSent(proxy)).toEqual([]);
  });

  test('with a driver that does not look before it says that it is ready', async () => {
    const proxy = await serverCalled('6.0.16');
    const redis = { port: proxy.port, enableReadyCheck: false };

    await expectUnsupported(openClient({ redis, ...PATIENT }), /6\.0\.16/, /6\.2/);
  });

  test('in a cluster', async () => {
    const world = await clusterWorld({ masters: 1 });
    const [node] = world.servers;
    const proxy = await serverCalled('6.0.16', node?.url);
    const address = { host: '127.0.0.1', port: proxy.port };
    const redis = new Cluster([address], {
      lazyConnect: true,
      natMap: { [`${node?.host}:${node?.port}`]: address },
    });

    await expectUnsupported(openClient({ redis, ...PATIENT }), /6\.0\.16/, /6\.2/);
  });

  test('a server without scripts', async () => {
    const mute = await ownServer({ args: ['--rename-command', 'EVAL', ''] });

    const client = openClient({ redis: mute.url, ...PATIENT });

    await expectUnsupported(client, /without scripts/, /scripts/);
  });

  test('Valkey without its Lua module', async () => {
    const { url } = await ownServer();
    const proxy = await startProxy({ target: url });
    const refusal = "-ERR Could not find scripting engine 'lua'\r\n";
    proxy.rewriteReplies(([name = ''], reply) =>
      /^eval/iu.test(name) ? Buffer.from(refusal) : reply,
    );

    const client = openClient({ redis: proxy.url, ...PATIENT });

    await expectUnsupported(client, /without Lua/, /scripts/);
  });
});

test('the error names object, found and needed, and logs show them', async () => {
  const { url } = await serverCalled('6.0.16');
  const name = randomName();

  const error = await rejection(openClient({ redis: url }).getLock(name).acquire());

  expect(String(error)).toBe(
    `UnsupportedServerError: this server cannot be used for "${name}": ` +
      `found Redis 6.0.16, needed Redis ${OLDEST_REDIS} or later`,
  );
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    code: 'ERR_UNSUPPORTED_SERVER',
    resource: name,
    found: 'Redis 6.0.16',
    needed: `Redis ${OLDEST_REDIS} or later`,
  });
});

describe('it is used:', () => {
  test.each([OLDEST_REDIS, `${OLDEST_REDIS}.0`, '7.2.4', '10.0.0', 'unstable', ''])(
    'a server that calls itself "%s"',
    async (version) => {
      const { url } = await serverCalled(version);

      await expectCycle(openClient({ redis: url }), rawClient(server.url));
    },
  );

  test('one that does not let the client ask', async () => {
    const proxy = await serverCalled('6.0.16');
    const raw = rawClient(server.url);
    await raw.call('ACL', 'SETUSER', 'shy', 'reset', 'on', '>x', '~*', '&*', '+@all', '-info');
    const redis: ClientOptions['redis'] = {
      port: proxy.port,
      username: 'shy',
      password: 'x',
      enableReadyCheck: false,
    };

    await expectCycle(openClient({ redis }), raw);
  });
});

test('a server that does not know INFO is used', async () => {
  const proxy = await startProxy({ target: server.url });
  const unknown = "-ERR unknown command 'info', with args beginning with: \r\n";
  proxy.rewriteReplies(([name = ''], reply) =>
    /^info$/iu.test(name) ? Buffer.from(unknown) : reply,
  );

  await expectCycle(openClient({ redis: proxy.url }), rawClient(server.url));
});

test('a command that a script misses is found by the call that needs it, whatever was served before', async () => {
  const poor = await ownServer({ args: ['--rename-command', 'HRANDFIELD', ''] });
  const name = randomName();
  const holder = openClient({ redis: poor.url });
  await using _ = await holder.getLock(name).acquire({ leaseMs: 60_000 });
  const lock = openClient({ redis: poor.url, ...PATIENT }).getLock(name);

  const errors = [await rejection(lock.acquire()), await rejection(lock.tryAcquire())];

  for (const error of errors) {
    expect(error).toBeInstanceOf(UnsupportedServerError);
    expect(error).toMatchObject({
      found: 'a server without a command that scripts call',
      needed: 'Redis 6.2 or later, with all its commands',
    });
    expect(String((error as Error).cause)).toContain('nknown');
  }
});

test('a client that was refused gets in once the server is newer', async () => {
  const proxy = await serverCalled('6.0.16');
  const client = openClient({ redis: proxy.url, ...PATIENT });
  expect(await rejection(client.getLock(randomName()).acquire())).toBeInstanceOf(
    UnsupportedServerError,
  );

  proxy.rewriteReplies();

  await eventually(async () => {
    await expectCycle(client, rawClient(server.url));
  });
});

test('an older server in the place of one that worked is an outage, and is sent nothing', async () => {
  const proxy = await startProxy({ target: server.url });
  const client = openClient({ redis: proxy.url, commandTimeoutMs: 300 });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  await expectCycle(client, rawClient(server.url));

  callItself(proxy, '6.0.16');
  proxy.cutAll();
  const before = scriptsSent(proxy).length;
  const waiting = client.getLock(randomName()).acquire();
  await eventually(() => errors.some((message) => message.includes('Redis 6.0.16')));
  const late = await rejection(client.getLock(randomName()).tryAcquire());
  expect(scriptsSent(proxy).length).toBe(before);
  proxy.rewriteReplies();
  const hold = await waiting;

  expect(late).toBeInstanceOf(CommandTimeoutError);
  expect((late as CommandTimeoutError).cause).toMatchObject({
    code: 'ERR_UNSUPPORTED_SERVER',
    found: 'Redis 6.0.16',
  });
  expect(hold.isHeld).toBe(true);
  await hold.release();
});
