// A process that cannot work says so, in words for people, while nobody listens to its errors.

import { Cluster } from 'ioredis';
import { describe as group, test as one, type TestContext } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName, rawClient } from '../support/redis.js';
import { runNode, type NodeRun } from '../support/run-node.js';
import { ownServer } from '../support/server.js';
import { clusterWorld } from './cluster-world.js';

const describe = group.concurrent;
const test = one.concurrent;

interface Warning {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** The warnings about a port while `work` runs. The tests run side by side, each on its own port. */
async function warningsAbout(
  port: number,
  work: (warnings: Warning[]) => Promise<void>,
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const listen = (warning: Error): void => {
    if (warning.name === 'RedlatchWarning' && warning.message.includes(`:${port}`)) {
      warnings.push(warning as Error & { code: string });
    }
  };
  process.on('warning', listen);
  try {
    await work(warnings);
  } finally {
    process.off('warning', listen);
  }
  return warnings;
}

/** A client that is closed after its test. */
function client(onFinished: TestContext['onTestFinished'], options: ClientOptions): Client {
  const made = createClient(options);
  onFinished(async () => await made.close({ timeoutMs: 500 }));
  return made;
}

const server = await ownServer();
const raw = rawClient(server.url);

test('no server: told once, with address, cause and advice, and once when it is over', async ({
  expect,
  onTestFinished,
}) => {
  const proxy = await startProxy({ target: server.url });
  proxy.refuse();

  const warnings = await warningsAbout(proxy.port, async (told) => {
    const ours = client(onTestFinished, { redis: `redis://jo:s3cret@127.0.0.1:${proxy.port}` });
    const waiting = ours.getLock(randomName()).acquire();
    await eventually(() => told.length > 0, { withinMs: 5_000 });
    await raw.call('ACL', 'SETUSER', 'jo', 'on', '>s3cret', '~*', '&*', '+@all');
    await proxy.accept();
    await (await waiting).release();
    await eventually(() => told.length > 1);
  });

  expect(warnings.map(({ code }) => code)).toEqual(['REDLATCH_TROUBLE', 'REDLATCH_TROUBLE_OVER']);
  const [began, over] = warnings.map(({ message }) => message);
  expect(began).toContain(`no connection to Redis at 127.0.0.1:${proxy.port}`);
  expect(began).toContain('ECONNREFUSED');
  expect(began).toContain('Check the "redis" option');
  expect(over).toMatch(/^over after \d+ s: no connection to Redis at 127\.0\.0\.1:/);
  expect(`${began}${over}`).not.toMatch(/s3cret|jo:/);
});

test('an outage under way is told too, and one that lasts less than a second is not', async ({
  expect,
  onTestFinished,
}) => {
  const proxy = await startProxy({ target: server.url });

  const warnings = await warningsAbout(proxy.port, async (told) => {
    const ours = client(onTestFinished, { redis: proxy.url });
    await ours.getLock(randomName()).isLocked();
    proxy.cutAll();
    await ours.getLock(randomName()).isLocked();
    expect(told).toEqual([]);
    proxy.refuse();
    proxy.cutAll();
    await eventually(() => told.length > 0, { withinMs: 5_000 });
    await proxy.accept();
    await ours.getLock(randomName()).isLocked();
    await eventually(() => told.length > 1);
  });

  expect(warnings.length).toBe(2);
});

test('nothing is told while somebody listens to errors', async ({ expect, onTestFinished }) => {
  const proxy = await startProxy({ target: server.url });
  proxy.refuse();

  const warnings = await warningsAbout(proxy.port, async (told) => {
    const deaf = client(onTestFinished, { redis: `redis://127.0.0.1:${proxy.port}/1` });
    const ours = client(onTestFinished, { redis: `redis://127.0.0.1:${proxy.port}/2` });
    const errors: Error[] = [];
    ours.on('error', ({ error }) => errors.push(error));
    await eventually(() => told.length > 0, { withinMs: 5_000 });
    expect(errors.length).toBeGreaterThan(0);
    await deaf.close();
  });

  // The one of the client that nobody listens to.
  expect(warnings.length).toBe(1);
});

test('nothing is told of a client that was closed', async ({ expect, onTestFinished }) => {
  const proxy = await startProxy({ target: server.url });
  proxy.refuse();

  const warnings = await warningsAbout(proxy.port, async (told) => {
    const deaf = client(onTestFinished, { redis: proxy.url });
    const closed = client(onTestFinished, { redis: proxy.url });
    await closed.close();
    await eventually(() => told.length > 0, { withinMs: 5_000 });
    await deaf.close();
  });

  expect(warnings.length).toBe(1);
});

describe('what is told of', () => {
  test('a wrong password', async ({ expect, onTestFinished }) => {
    const own = await ownServer();
    await rawClient(own.url).config('SET', 'requirepass', 'open sesame');

    const warnings = await warningsAbout(own.port, async (told) => {
      client(onTestFinished, { redis: `redis://:wrong@${own.host}:${own.port}` });
      await eventually(() => told.length > 0, { withinMs: 5_000 });
    });

    expect(warnings[0]?.message).toContain('WRONGPASS');
    expect(warnings[0]?.message).toContain('Check user name and password');
  });

  test('rights that were taken away', async ({ expect, onTestFinished }) => {
    const own = await ownServer();
    const plain = rawClient(own.url);
    await plain.call('ACL', 'SETUSER', 'curbed', 'on', '>x', '~*', '&*', '+@all');
    const ours = client(onTestFinished, { redis: `redis://curbed:x@${own.host}:${own.port}` });
    await ours.getLock(randomName()).isLocked();

    const warnings = await warningsAbout(own.port, async (told) => {
      await plain.call('ACL', 'SETUSER', 'curbed', '-evalsha', '-eval');
      const waiting = ours.getLock(randomName()).acquire();
      await eventually(() => told.length > 0, { withinMs: 5_000 });
      await plain.call('ACL', 'SETUSER', 'curbed', '+@all');
      await (await waiting).release();
      await eventually(() => told.length > 1, { withinMs: 8_000 });
    });

    const [began, over] = warnings.map(({ message }) => message);
    expect(began).toContain('refuses calls: NOPERM');
    expect(began).toContain('Give the user the rights');
    expect(over).toMatch(/^over after \d+ s: .* refuses calls$/);
  });

  test('a replica, given as the address', async ({ expect, onTestFinished }) => {
    const replica = await ownServer({ args: ['--replicaof', `127.0.0.1 ${server.port}`] });

    const warnings = await warningsAbout(replica.port, async (told) => {
      const ours = client(onTestFinished, { redis: replica.url });
      const abort = new AbortController();
      const waiting = ours.getLock(randomName()).acquire({ signal: abort.signal });
      await eventually(() => told.length > 0, { withinMs: 6_000 });
      abort.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
    });

    expect(warnings[0]?.message).toContain('READONLY');
    expect(warnings[0]?.message).toContain('Give that of the master');
  });

  test('a user that may not listen', async ({ expect, onTestFinished }) => {
    const rights = ['on', '>x', '~*', '+@all', 'resetchannels'];
    await raw.call('ACL', 'SETUSER', 'deaf', 'reset', ...rights);
    const name = randomName();
    const hold = await client(onTestFinished, { redis: server.url }).getLock(name).acquire();

    const warnings = await warningsAbout(server.port, async (told) => {
      const ours = client(onTestFinished, {
        redis: `redis://deaf:x@${server.host}:${server.port}`,
      });
      const abort = new AbortController();
      const waiting = ours.getLock(name).acquire({ signal: abort.signal });
      await eventually(() => told.length > 0, { withinMs: 5_000 });
      abort.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
    });
    await hold.release();

    expect(warnings[0]?.message).toContain('lets this client not listen to messages');
    expect(warnings[0]?.message).toContain('NOPERM');
  });

  test('a Cluster given for a server that is none', async ({ expect, onTestFinished }) => {
    const own = await ownServer();

    const warnings = await warningsAbout(own.port, async (told) => {
      const nodes = [{ host: own.host, port: own.port }];
      const redis = new Cluster(nodes, { lazyConnect: true });
      const ours = client(onTestFinished, { redis, commandTimeoutMs: 400 });
      const error: unknown = await ours
        .getLock(randomName())
        .tryAcquire()
        .catch((reason: unknown) => reason);
      expect(String((error as Error).cause)).toContain('cluster support disabled');
      await eventually(() => told.length > 0, { withinMs: 5_000 });
    });

    expect(warnings[0]?.message).toContain('the slots of the cluster at');
    expect(warnings[0]?.message).toContain('give its URL, not a Cluster');
  });

  test('calls that are refused, to those who listen to errors', async ({
    expect,
    onTestFinished,
  }) => {
    const own = await ownServer();
    const plain = rawClient(own.url);
    await plain.call('ACL', 'SETUSER', 'curbed', 'on', '>x', '~*', '&*', '+@all');
    const redis = `redis://curbed:x@${own.host}:${own.port}`;
    const ours = client(onTestFinished, { redis, commandTimeoutMs: 300 });
    const errors: Error[] = [];
    ours.on('error', ({ error }) => errors.push(error));
    // A busy machine may take longer than the time of one call to connect.
    await eventually(async () => !(await ours.getLock(randomName()).isLocked()));

    await plain.call('ACL', 'SETUSER', 'curbed', '-evalsha', '-eval');
    const waiting = ours.getLock(randomName()).acquire();
    await eventually(() => errors.length > 0, { withinMs: 5_000 });
    await plain.call('ACL', 'SETUSER', 'curbed', '+@all');
    await (await waiting).release();

    expect(errors.length).toBe(1);
    expect(errors[0]?.message).toContain('refuses calls: NOPERM');
  });

  test('a cluster without nodes', async ({ expect, onTestFinished }) => {
    const world = await clusterWorld({ masters: 1 });
    const proxy = await startProxy({ target: world.servers[0]?.url ?? '' });
    proxy.refuse();

    const warnings = await warningsAbout(proxy.port, async (told) => {
      const nodes = [{ host: '127.0.0.1', port: proxy.port }];
      client(onTestFinished, { redis: new Cluster(nodes, { lazyConnect: true }) });
      await eventually(() => told.length > 0, { withinMs: 5_000 });
    });

    expect(warnings[0]?.message).toContain(`no connection to Redis at 127.0.0.1:${proxy.port}`);
  });
});

test('a program without a Redis writes why it waits, and does not end', async ({ expect }) => {
  const proxy = await startProxy({ target: server.url });
  proxy.refuse();
  const code = `
    import { createClient } from 'redlatch';
    await createClient('redis://127.0.0.1:${proxy.port}').getLock('job').acquire();
  `;

  const run: NodeRun = await runNode(['--input-type=module', '-e', code], { withinMs: 3_000 });

  expect(run.code).toBeNull();
  expect(run.stderr.match(/RedlatchWarning/g)?.length).toBe(1);
  expect(run.stderr).toContain(`no connection to Redis at 127.0.0.1:${proxy.port}`);
});
