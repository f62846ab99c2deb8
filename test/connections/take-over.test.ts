// Commands go past the driver, once it is sure whose reply is whose.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createConnection, type GuardedConnection } from '../../src/core/connection/driver.js';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import { createClient, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { countedTraffic } from '../support/traffic.js';

const server = await ownServer();

/** Passes everything on; of replies what `changed` makes of them, one part after the other. */
async function relay(
  changed: (request: string, reply: Buffer, connection: number) => Buffer[] | Promise<Buffer[]>,
): Promise<string> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const relaying = createServer((client) => {
    connections += 1;
    const id = connections;
    const upstream = connect(server.port, server.host);
    let request = '';
    let order = Promise.resolve();
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
    client.on('data', (bytes) => {
      request = bytes.toString('latin1');
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      const asked = request;
      order = order.then(async () => {
        for (const part of await changed(asked, bytes, id)) {
          client.write(part);
          await new Promise(setImmediate);
        }
      });
    });
  });
  await new Promise<void>((resolve) => relaying.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    relaying.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return `redis://127.0.0.1:${(relaying.address() as AddressInfo).port}`;
}

function open(redis: Parameters<typeof createClient>[0]): Client {
  const client = createClient(redis);
  onTestFinished(async () => await client.close());
  return client;
}

/** A connection for commands that is ready. */
async function ready(url = server.url): Promise<GuardedConnection> {
  const connection = createConnection(readTemplate(url).options, 5_000, 'commands');
  onTestFinished(() => connection.destroy());
  await new Promise<void>((resolve, reject) => {
    connection.on('ready', resolve);
    connection.on('error', reject);
    connection.connect().catch(reject);
  });
  return connection;
}

const SCRIPT = { sha1: '', source: 'return ARGV[1]' };

const NONCE = /\r\n(?:ping|echo)\r\n\$36\r\n/i;

describe('a server that sends a reply too much', () => {
  test.each([
    ['before that to the first question', 1, 'before'],
    ['after that to the first question', 1, 'after'],
    ['before that to the second question', 2, 'before'],
    ['after that to the second question', 2, 'after'],
  ] as const)('%s gets another connection', async (_, question, place) => {
    let questions = 0;
    const used: number[] = [];
    const extra = Buffer.from('+OK\r\n');
    const url = await relay((request, reply, connection) => {
      if (/evalsha|eval/i.test(request)) {
        used.push(connection);
      }
      questions += NONCE.test(request) ? 1 : 0;
      if (connection > 1 || questions !== question || !NONCE.test(request)) {
        return [reply];
      }
      if (place === 'before') {
        return [Buffer.concat([extra, reply])];
      }
      // The driver passes over what comes together with the last reply that it waits for.
      return question === 1 ? [reply, extra] : [Buffer.concat([reply, extra])];
    });
    const client = open({ redis: url });
    const name = randomName();

    const hold = await client.getLock(name).acquire();
    await hold.release();

    expect(new Set(used)).toEqual(new Set([2]));
    expect(await rawClient(server.url).exists(name)).toBe(0);
  });

  test('later gets another connection, and every call its own reply', async () => {
    let isSent = false;
    const url = await relay((request, reply) => {
      if (isSent || !request.includes('evalsha')) {
        return [reply];
      }
      isSent = true;
      return [Buffer.concat([reply, Buffer.from(':1\r\n')])];
    });
    const client = open({ redis: url });
    const lock = client.getLock(randomName());

    for (let i = 0; i < 5; i += 1) {
      const hold = await lock.acquire();
      expect(await lock.isLocked()).toBe(true);
      await hold.release();
      expect(await lock.isLocked()).toBe(false);
    }
    expect(isSent).toBe(true);
  });
});

test.each([
  ['PONG alone, as some proxies do', '+PONG\r\n', 1],
  ['that no question is allowed', '-NOPERM this user has no permissions\r\n', 2],
])('a server that answers %s is used through the driver', async (_, answer, questions) => {
  let [asked, used] = [0, 0];
  const url = await relay((request, reply, connection) => {
    used = Math.max(used, connection);
    if (!NONCE.test(request)) {
      return [reply];
    }
    asked += 1;
    return [Buffer.from(answer)];
  });
  const client = open({ redis: url });

  const hold = await client.getLock(randomName()).acquire();
  await hold.release();

  expect([asked, used]).toEqual([questions, 1]);
});

test('replies to signing in that come late are not taken for others', async () => {
  const admin = rawClient(server.url);
  await admin.call('ACL', 'SETUSER', 'late', 'on', '>pass', '~*', '&*', '+@all');
  onTestFinished(async () => void (await admin.call('ACL', 'DELUSER', 'late')));
  let isHeld = true;
  const url = await relay(async (_, reply) => {
    // The driver of version 5 is ready before that.
    await eventually(() => !isHeld);
    return [reply];
  });
  const { port, hostname } = new URL(url);
  const client = open({
    redis: {
      host: hostname,
      port: Number(port),
      username: 'late',
      password: 'pass',
      db: 1,
      enableReadyCheck: false,
      disableClientInfo: true,
    },
  });
  const lock = client.getLock(randomName());
  const acquiring = lock.acquire();
  isHeld = false;

  const hold = await acquiring;
  expect(await rawClient(`${server.url}/1`).hgetall(lock.name)).toEqual({ [hold.holderId]: '1' });
  await hold.release();
});

test('100,000 calls at once get their own replies, though the socket takes less', async () => {
  const connection = await ready();
  const count = 100_000;
  const told: unknown[] = [];
  const filler = 'x'.repeat(200);

  await new Promise<void>((resolve) => {
    for (let i = 0; i < count; i += 1) {
      connection.sendScript(SCRIPT, false, [0, `${filler}${i}`], (reply, error) => {
        told.push(error ?? reply);
        if (told.length === count) {
          resolve();
        }
      });
    }
  });

  expect(told.every((reply, i) => reply === `${filler}${i}`)).toBe(true);
});

test('calls on a connection that ends are told so', async () => {
  const connection = await ready();
  const told: unknown[] = [];
  connection.sendScript(SCRIPT, false, [0, 'a'], (reply, error) =>
    told.push(error?.message ?? reply),
  );
  const asked = connection.call('GET', 'a');

  connection.destroy();

  await expect(asked).rejects.toThrow('Connection is closed.');
  expect(told).toEqual(['Connection is closed.']);
});

/** What tracers do. */
test('where somebody has replaced the function of the driver, it gets every command', async () => {
  const watched = vi.spyOn(Redis.prototype, 'sendCommand');
  onTestFinished(() => watched.mockRestore());
  const client = open({ redis: server.url });
  const lock = client.getLock(randomName());

  await lock.using(async () => expect(await lock.isLocked()).toBe(true));
  await expect(lock.using(() => Promise.reject(new Error('inside')))).rejects.toThrow('inside');

  const scripts = watched.mock.calls.filter(([{ name }]) => name.startsWith('eval'));
  expect(scripts).toHaveLength(5);
});

test('a driver that keeps its commands elsewhere is used as it is, and its client says so once', async () => {
  interface Queued {
    offlineQueue: { length: number };
    resetOfflineQueue(this: Queued): void;
  }
  const driver = Redis.prototype as unknown as Queued;
  const reset = Reflect.get(driver, 'resetOfflineQueue');
  const hidden = vi.spyOn(driver, 'resetOfflineQueue').mockImplementation(function (this: Queued) {
    Reflect.apply(reset, this, []);
    const { offlineQueue } = this;
    // The driver can work with such a length.
    this.offlineQueue = new Proxy(offlineQueue, {
      get: (queue, property) => {
        const value: unknown = Reflect.get(queue, property, queue);
        return property === 'length' ? BigInt(queue.length) : value;
      },
    });
  });
  onTestFinished(() => hidden.mockRestore());
  const traffic = await countedTraffic(server.url);
  const client = open({ redis: traffic.url });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));

  const hold = await client.getLock(randomName()).acquire();
  const admin = rawClient(server.url);
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await hold.release();

  expect(hidden).toHaveBeenCalled();
  const told = errors.filter((message) => message.includes('this version of ioredis'));
  expect(told).toHaveLength(1);
  // The question that comes before a socket is taken was not asked.
  const questions = traffic.proxy
    .requests()
    .filter((request) => /^ping,\S{36}$/i.test(request.join()));
  expect(questions).toEqual([]);
});

test('a user who may not ask is served through the driver', async () => {
  const admin = rawClient(server.url);
  await admin.call('ACL', 'SETUSER', 'mute', 'on', '>pass', '~*', '&*', '+@all', '-ping');
  onTestFinished(async () => void (await admin.call('ACL', 'DELUSER', 'mute')));
  const client = open({ redis: `redis://mute:pass@${server.host}:${server.port}` });

  const hold = await client.getLock(randomName()).acquire();

  expect(hold.isHeld).toBe(true);
  await hold.release();
});
