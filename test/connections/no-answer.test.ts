// A server that lets a client connect and does not answer: the reason is what the server says to one who
// listens, not what went wrong while the client was writing.

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { CommandTimeoutError, type Client, type ClientOptions } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { expectCycle, openClient } from './exercise.js';

const listeners = new Set<() => void>();

afterEach(() => {
  for (const end of listeners) {
    end();
  }
  listeners.clear();
});

/** The port of a server that does this with each connection. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  listeners.add(() => {
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return (server.address() as AddressInfo).port;
}

/** All that is told of a client that cannot connect. */
function toldOf(client: Client): string[] {
  const told: string[] = [];
  client.on('error', ({ error }) => told.push(error.message));
  return told;
}

async function causeOf(client: Client): Promise<string> {
  const error = await rejection(client.getLock(randomName()).tryAcquire());
  expect(error).toBeInstanceOf(CommandTimeoutError);
  return String((error as CommandTimeoutError).cause);
}

async function expectReason(redis: ClientOptions['redis'], reason: RegExp): Promise<string[]> {
  const client = openClient({ redis, commandTimeoutMs: 300 });
  const told = toldOf(client);
  await eventually(async () => {
    expect(await causeOf(client)).toMatch(reason);
  });
  return told;
}

test('at maxclients the reason is the answer of the server, and nothing else is told', async () => {
  const server = await ownServer();
  const raw = rawClient(server.url);
  await raw.config('SET', 'maxclients', 1);
  const clients = Array.from({ length: 8 }, () =>
    openClient({ redis: server.url, commandTimeoutMs: 500 }),
  );
  const told = clients.map((client) => toldOf(client));

  const causes = await Promise.all(clients.map(async (client) => await causeOf(client)));

  expect(new Set(causes)).toEqual(new Set(['Error: ERR max number of clients reached']));
  expect(new Set(told.flat())).toEqual(new Set(['ERR max number of clients reached']));
  const [first] = clients;
  await raw.config('SET', 'maxclients', 100);
  await eventually(async () => {
    await expectCycle(first as Client, raw);
  });
});

test('a server that closes every connection without a word is told as it was', async () => {
  const port = await listen((socket) => {
    socket.destroy();
  });

  await expectReason({ port }, /closed|EPIPE|ECONNRESET/u);
});

describe('a client with TLS says so of a port that', () => {
  test('stays mute', async () => {
    const port = await listen(() => {});
    const client = openClient({ redis: `rediss://127.0.0.1:${port}`, commandTimeoutMs: 300 });

    expect(await causeOf(client)).toMatch(
      /accepts connections, but does not answer the TLS handshake/u,
    );
  });

  test('stays mute for as long as the driver may wait', async () => {
    const port = await listen(() => {});

    await expectReason(
      { port, tls: {}, connectTimeout: 100 },
      /accepts connections, but does not answer the TLS handshake$/u,
    );
  });

  test('answers in plain text', async () => {
    const port = await listen((socket) => {
      socket.on('data', () =>
        socket.write("-ERR unknown command '\x16', with args beginning with: \r\n"),
      );
    });

    await expectReason(`rediss://127.0.0.1:${port}`, /speaks plain text, not TLS/u);
  });

  test('is that of a Redis without TLS', async () => {
    const { host, port } = await ownServer();

    await expectReason({ host, port, tls: {}, connectTimeout: 100 }, /speaks plain text, not TLS/u);
  });

  test('is that of a Redis without TLS at its limit of clients', async () => {
    const { host, port, url } = await ownServer();
    await rawClient(url).config('SET', 'maxclients', 1);

    await expectReason({ host, port, tls: {} }, /max number of clients/u);
  });
});

describe('a client without TLS says so of a port that', () => {
  test('is that of a Redis with TLS', async () => {
    const { host, port, caFile = '' } = await ownServer({ tls: true });

    const told = await expectReason({ host, port }, /speaks TLS: give a rediss/u);

    expect(told.filter((message) => !message.includes('speaks TLS'))).toEqual([]);
    const client = openClient({ redis: { host, port, tls: { ca: readFileSync(caFile) } } });
    await client.getLock(randomName()).using(() => {});
  });

  test('stays mute', async () => {
    const port = await listen(() => {});
    const client = openClient({ redis: { port }, commandTimeoutMs: 300 });

    expect(await causeOf(client)).toMatch(/accepts connections, but does not answer$/u);
  });
});
