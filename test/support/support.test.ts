import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { masterOf, startCluster } from '../../scripts/redis/cluster.mjs';
import { isFree } from '../../scripts/redis/ports.mjs';
import { startSentinels } from '../../scripts/redis/sentinel.mjs';
import { driverPackage } from './driver.mjs';
import { eventually } from './eventually.js';
import { startWorker, WorkerError } from './processes.js';
import { keysUnder, randomName, rawClient } from './redis.js';
import { expectNoChannels, expectNoResidue } from './residue.js';
import { ownServer } from './server.js';

const echo = fileURLToPath(new URL('fixtures/echo-worker.mjs', import.meta.url));

test('an own server can be paused, killed and restarted in its place', async () => {
  const server = await ownServer();
  const client = rawClient(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  const hasty = rawClient(server.url, { commandTimeout: 100 });
  await Promise.all([client.set('key', 'value'), hasty.ping()]);

  server.pause();
  const late = client.get('key');
  await expect(hasty.get('key')).rejects.toThrow('timed out');
  server.resume();
  expect(await late).toBe('value');
  const { pid } = server;
  await server.kill();
  const wasFree = await isFree(server.port);
  await server.restart();

  expect(wasFree, 'somebody else could have had its port').toBe(false);
  expect(server.pid).not.toBe(pid);
  expect(await client.get('key')).toBeNull();
});

test('an own server speaks TLS', async () => {
  const server = await ownServer({ tls: true });
  const client = rawClient(server.url, { tls: { rejectUnauthorized: false } });

  expect(await client.ping()).toBe('PONG');
});

test('residue is a key that stays, or that never expires, and a channel with a listener', async () => {
  const [client, name] = [rawClient(), randomName('what*is[it]?')];
  await client.set(`{${name}}:private`, '1', 'PX', 60_000);
  await client.subscribe(`channel:{${name}}`);

  expect(await keysUnder(name)).toEqual([`{${name}}:private`]);
  await expectNoResidue(name, { allow: [/:private$/] });
  await expect(expectNoResidue(name, { withinMs: 50, lateMs: 50 })).rejects.toThrow('private');
  await expect(expectNoChannels(name, { withinMs: 50, lateMs: 50 })).rejects.toThrow('channel:');
  await client.unsubscribe();
  await client.persist(`{${name}}:private`);
  await expect(expectNoResidue(name, { allow: [/./], withinMs: 50, lateMs: 50 })).rejects.toThrow(
    'ttl -1',
  );
  await client.del(`{${name}}:private`);
  await expectNoResidue(name);
  await expectNoChannels(name);
});

test('a worker answers, and its death ends what waits for it', async () => {
  const worker = startWorker(echo);
  const { driver } = await worker.message<{ type: string; driver: string }>('ready');

  worker.send({ type: 'hello', n: 1 });
  const answer = await worker.message('echo');
  const never = worker.message('never');
  await worker.kill();

  expect(driver).toContain(`/node_modules/${driverPackage}/`);
  expect(answer).toEqual({ type: 'echo', message: { type: 'hello', n: 1 } });
  await expect(never).rejects.toThrow(WorkerError);
  expect(await worker.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a cluster serves on every node', async () => {
  const cluster = await startCluster({ masters: 3, replicas: 3 });
  try {
    const raw = rawClient(cluster.nodes[0]?.url);
    const info = await raw.cluster('INFO');
    expect(info).toContain('cluster_slots_ok:16384');
    expect(cluster.nodes).toHaveLength(6);

    const ranges = (await raw.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const ports = [0, 5_460, 5_461, 10_921, 10_922, 16_383].map((slot) => [
      ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1],
      cluster.nodes[masterOf(slot, 3)]?.port,
    ]);
    expect(ports.map(([known]) => known)).toEqual(ports.map(([, thought]) => thought));
  } finally {
    await cluster.stop();
  }
});

test('sentinels move the master when it dies', async () => {
  const setup = await startSentinels({ sentinels: 1 });
  try {
    const sentinel = rawClient(setup.sentinels[0]?.url);
    setup.master.signal('SIGKILL');
    await eventually(
      async () => {
        const address = await sentinel.call('SENTINEL', 'get-master-addr-by-name', setup.name);
        expect(address).toEqual(['127.0.0.1', String(setup.replicas[0]?.port)]);
      },
      { withinMs: 15_000 },
    );
  } finally {
    await setup.stop();
  }
});
