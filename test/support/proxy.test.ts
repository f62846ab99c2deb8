import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { isFree } from '../../scripts/redis/ports.mjs';
import { eventually } from './eventually.js';
import { startProxy, type Proxy } from './proxy.js';
import { randomName, rawClient, redisUrl } from './redis.js';
import { RequestSplitter, ReplySplitter } from './resp.js';
import { runNode } from './run-node.js';

const proxied = (proxy: Proxy): Redis =>
  rawClient(proxy.url, { maxRetriesPerRequest: 0, retryStrategy: () => 20 });

test('requests and replies are found whole, however they are cut', () => {
  const bytes = Buffer.from('*2\r\n$3\r\nGET\r\n$3\r\nk\u00e9\r\n*1\r\n$4\r\nPING\r\n');
  const requests = new RequestSplitter();
  const commands = [...bytes].flatMap((byte) => requests.push(Buffer.from([byte])));
  expect(commands.map(({ command }) => command)).toEqual([['GET', 'ké'], ['PING']]);
  expect(Buffer.concat(commands.map((request) => request.bytes))).toEqual(bytes);

  const answers = [
    '+OK\r\n',
    '$-1\r\n',
    '*2\r\n:1\r\n$2\r\n\r\n\r\n',
    '%1\r\n+a\r\n*0\r\n',
    '_\r\n',
  ];
  const push = '>2\r\n+message\r\n$1\r\nx\r\n';
  const replies = new ReplySplitter();
  const frames = [...Buffer.from([...answers, push].join(''))].flatMap((byte) =>
    replies.push(Buffer.from([byte]), false),
  );
  expect(frames.map((frame) => frame.bytes.toString())).toEqual([...answers, push]);
  expect(frames.map((frame) => frame.isPush)).toEqual([false, false, false, false, false, true]);
});

test('it passes commands and messages and tells subscribers from others', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const [client, subscriber, name] = [proxied(proxy), proxied(proxy), randomName()];
  const received: string[] = [];
  subscriber.on('message', (_channel, message) => received.push(message));

  await subscriber.subscribe(name);
  await client.publish(name, 'hello');

  await eventually(() => {
    expect(received).toEqual(['hello']);
  });
  expect(proxy.connections().filter((connection) => connection.isSubscriber)).toHaveLength(1);
  expect(proxy.requests()).toContainEqual(['publish', name, 'hello']);
});

test('what waits for its turn when a pace ends goes on at once', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = proxied(proxy);
  await client.ping();

  proxy.pace(0.1);
  const answers = Promise.all(Array.from({ length: 10 }, async () => await client.ping()));
  await eventually(() => proxy.requests().length > 10);
  proxy.pace(0);

  // At that pace they would take minutes.
  expect(await answers).toHaveLength(10);
});

test('a reply is cut after the server ran its command', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const [client, name] = [proxied(proxy), randomName()];
  await client.ping();
  const handle = proxy.cutReplyAfter(([command]) => command === 'incr');

  const results = await Promise.allSettled([client.get(name), client.incr(name)]);

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(handle.cut).toEqual([['incr', name]]);
  expect(await rawClient().getdel(name)).toBe('1');
});

test('held requests arrive late, after their client is gone', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const [client, name] = [proxied(proxy), randomName()];
  await client.ping();
  const hold = proxy.holdRequests(([command]) => command === 'incr');

  const sent = client.incr(name);
  await eventually(() => hold.held.length === 1);
  proxy.cutAll();
  await expect(sent).rejects.toThrow();
  await client.set(name, '10', 'PX', 60_000);
  hold.release();

  await eventually(async () => (await client.get(name)) === '11');
  await client.del(name);
});

test('a pause keeps bytes of one direction and delivers them later', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const [client, name] = [proxied(proxy), randomName()];
  await client.ping();

  proxy.pauseDownstream();
  const answer = client.incr(name);
  await eventually(async () => (await rawClient().get(name)) === '1');
  proxy.pauseUpstream();
  const second = client.incr(name);
  proxy.resumeDownstream();
  expect(await answer).toBe(1);
  expect(await rawClient().get(name)).toBe('1');
  proxy.resumeUpstream();

  expect(await second).toBe(2);
  await client.del(name);
});

test('a half-open connection answers nothing and stays open', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const [client, other] = [proxied(proxy), proxied(proxy)];
  await Promise.all([client.ping(), other.ping()]);

  const [connection] = proxy.halfOpen(({ id }) => id === 1);
  const silent = client.ping().catch((error: unknown) => error);

  expect(await other.ping()).toBe('PONG');
  expect(connection?.isOpen).toBe(true);
  expect(client.status).toBe('ready');
  proxy.cutAll();
  expect(await silent).toBeInstanceOf(Error);
});

test('delays add up to the round trip', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = proxied(proxy);
  await client.ping();

  proxy.delay({ upMs: 40, downMs: 30 });
  const startedAt = performance.now();
  await client.ping();

  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(69);
});

test('new connections are refused until they are accepted again', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const client = proxied(proxy);
  await client.ping();
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));

  proxy.refuse();
  expect(await client.ping()).toBe('PONG');
  expect(proxy.cutAll()).toBe(1);
  await eventually(() => errors.some((error) => String(error).includes('ECONNREFUSED')));
  await proxy.accept();

  await eventually(() => client.status === 'ready');
  expect(await client.ping()).toBe('PONG');
});

test('its port is nobody else’s while it lives, also when it refuses', async () => {
  const proxy = await startProxy({ target: redisUrl() });
  const ask = `
    const { isFree } = await import('./scripts/redis/ports.mjs');
    console.log(await isFree(${proxy.port}));`;

  proxy.refuse();
  const [here, elsewhere] = await Promise.all([isFree(proxy.port), runNode(['-e', ask])]);

  expect(here).toBe(false);
  expect(elsewhere).toMatchObject({ code: 0, stdout: 'false\n' });
});
