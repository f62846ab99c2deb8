// An error is an answer to PING: the connection that brought it is not silent.

import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { randomName, rawClient } from '../support/redis.js';
import { savingServer } from '../support/saving.js';
import { ownServer } from '../support/server.js';

/** A client is pinged every 2.5 s, and given up with the ping after an unanswered one. */
const THREE_PINGS_MS = 8_000;

interface Case {
  readonly client: Client;
  readonly name: string;
  /** Ids of its connections that listen. */
  readonly listening: () => Promise<string[]>;
}

function open(url: string, connectionName: string, user = ''): Case {
  const raw = rawClient(url);
  const { hostname: host, port } = new URL(url);
  const signIn = user === '' ? {} : { username: user, password: 'x' };
  const redis = { host, port: Number(port), connectionName, ...signIn };
  const client = createClient({ redis });
  onTestFinished(async () => await client.close({ timeoutMs: 500 }));
  const listening = async (): Promise<string[]> => {
    const list = String(await raw.call('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n');
    const own = list.filter((line) => line.includes(` name=${connectionName} `));
    return own.map((line) => /^id=(\d+) /u.exec(line)?.[1] ?? '');
  };
  return { client, name: randomName(), listening };
}

/** Waits for an object until its connection has had to answer three pings; then lets it in. */
async function keepsItsConnection({ client, name, listening }: Case): Promise<string[]> {
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  const [lock, latch] = [client.getLock(name), client.getCountDownLatch(`${name}-latch`)];
  const hold = await lock.acquire({ leaseMs: 600_000 });
  await latch.trySetCount(1);
  const waiting = [lock.acquire(), latch.wait()];
  void Promise.allSettled(waiting);
  const [before] = await eventually(async () => {
    const ids = await listening();
    return ids.length === 1 && ids;
  });
  const end = performance.now() + THREE_PINGS_MS;
  await eventually(() => performance.now() > end, { withinMs: 20_000, everyMs: 100 });

  expect(await listening()).toEqual([before]);
  await hold.release().catch(() => undefined);
  return errors;
}

test.concurrent('a server that cannot save its data keeps its subscriber', async () => {
  const { server, fail } = await savingServer();
  const one = open(server.url, 'saving');
  const { client, name } = one;
  await client.getLock(`${name}-first`).using(() => undefined);
  const listening = keepsItsConnection(one);
  await eventually(async () => (await one.listening()).length === 1);
  await fail();

  expect((await listening).filter((text) => text.includes('does not answer'))).toEqual([]);
});

test.concurrent('a user that may not PING keeps its subscriber', async () => {
  const server = await ownServer();
  const admin = rawClient(server.url);
  await admin.call('ACL', 'SETUSER', 'mute', 'on', '>x', '~*', '&*', '+@all', '-ping');
  const one = open(server.url, 'mute', 'mute');

  expect(await keepsItsConnection(one)).toEqual([]);
});
