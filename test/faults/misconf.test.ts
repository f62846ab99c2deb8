// A server that cannot save its data answers each write, and PING, with MISCONF. It is there all the same.

import { beforeEach, afterEach, expect, test } from 'vitest';
import {
  CommandTimeoutError,
  createClient,
  type Client,
  type ClientOptions,
  type LeaseLostError,
} from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { leasedKinds } from '../support/kinds/kinds.js';
import { titled } from '../support/kinds/kind.js';
import { randomName } from '../support/redis.js';
import { savingServer } from '../support/saving.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { startProxy } from '../support/proxy.js';
import { rejection, runs } from './world.js';
import { partError } from '../support/parts.js';

const { server, raw, fail, mend } = await savingServer();

const clients: Client[] = [];

function open(options: ClientOptions = {}): Client {
  const client = createClient({ redis: server.url, commandTimeoutMs: 400, ...options });
  client.on('error', () => undefined);
  clients.push(client);
  return client;
}

beforeEach(mend);

afterEach(async () => {
  await mend();
  await Promise.all(clients.splice(0).map(async (client) => await client.close()));
});

function expectMisconf(error: unknown, name: string): void {
  expect(error).toBeInstanceOf(CommandTimeoutError);
  expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT', resource: name });
  expect(String((error as CommandTimeoutError).cause)).toContain('MISCONF');
}

const calls: [string, (client: Client, name: string) => Promise<unknown>][] = [
  ['tryAcquire', async (client, name) => await client.getLock(name).tryAcquire()],
  ['acquire', async (client, name) => await client.getLock(name).acquire()],
  ['using', async (client, name) => await client.getFairLock(name).using(() => 'never')],
  ['trySetCount', async (client, name) => await client.getCountDownLatch(name).trySetCount(1)],
  ['trySetPermits', async (client, name) => await client.getSemaphore(name).trySetPermits(1)],
];

test.each(calls)('%s rejects with an error of the library that says why', async (_, make) => {
  const [client, name] = [open(), randomName()];
  await client.getLock(name).isLocked();
  await fail();

  const { error } = await rejection(make(client, name));

  expectMisconf(error, name);
  expect(await raw.exists(name)).toBe(0);
});

test.each(titled(leasedKinds))(
  'a renewed %s ends with its lease, and says why',
  async (_, kind) => {
    const [client, name] = [open({ leaseMs: 1_500 }), randomName()];
    if (kind.isSemaphore) {
      await client.getPermitExpirableSemaphore(name).trySetPermits(1);
    }
    const grant = await kind.get(client, name).acquire();
    await fail();

    await eventually(() => grant.state === 'lost');

    const { reason, cause } = partError(grant.signal.reason) as LeaseLostError;
    expect([reason, String(cause)]).toEqual(['unproven', expect.stringContaining('MISCONF')]);
  },
);

test('a release waits for the server, and another call of it gets through', async () => {
  const [client, name] = [open(), randomName()];
  const hold = await client.getLock(name).acquire();
  await fail();

  const { error } = await rejection(hold.release());
  await mend();
  await hold.release();

  expectMisconf(error, name);
  expect(await raw.exists(name)).toBe(0);
});

/** Ids of the connections of that name that do not listen. */
async function connections(name: string): Promise<string[]> {
  const list = String(await raw.call('CLIENT', 'LIST', 'TYPE', 'normal')).split('\n');
  const own = list.filter((line) => line.includes(` name=${name} `));
  return own.map((line) => /^id=(\d+) /u.exec(line)?.[1] ?? '');
}

test('a client that comes then reads, and keeps its connection', async () => {
  await fail();
  const client = open({ redis: { host: server.host, port: server.port, connectionName: 'new' } });
  const lock = client.getLock(randomName());

  expect(await lock.isLocked()).toBe(false);
  const before = await connections('new');
  await rejection(lock.tryAcquire());
  expect(await lock.isLocked()).toBe(false);

  expect(before).toHaveLength(1);
  expect(await connections('new')).toEqual(before);
});

test('a user that may not PING has one connection for its calls', async () => {
  await raw.call('ACL', 'SETUSER', 'mute', 'on', '>x', '~*', '&*', '+@all', '-ping');
  const signIn = { username: 'mute', password: 'x', connectionName: 'mute' };
  const client = open({ redis: { host: server.host, port: server.port, ...signIn } });
  const lock = client.getLock(randomName());

  expect(await lock.isLocked()).toBe(false);
  const before = await connections('mute');
  const hold = await lock.acquire();
  await hold.release();

  expect(before).toHaveLength(1);
  expect(await connections('mute')).toEqual(before);
});

test('a number that a wait has to agree on is stated a few times a second while no write is taken', async ({
  onTestFinished,
}) => {
  const proxy = await startProxy({ target: server.url });
  onTestFinished(async () => await proxy.close());
  const [client, name] = [open({ redis: proxy.url, commandTimeoutMs: 800 }), randomName()];
  await client.getLock(name).isLocked();
  await fail();
  const semaphore = client.getPermitExpirableSemaphore(name, {
    permits: { count: 1, onMismatch: 'error' },
  });

  const { error } = await rejection(semaphore.acquire({ waitMs: 2_000 }));

  expectMisconf(error, name);
  const stated = proxy.requests().filter(runs(scripts.expirableSemaphoreConfigure));
  expect(stated.length).toBeGreaterThan(1);
  expect(stated.length).toBeLessThan(20);
});
