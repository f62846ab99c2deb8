import type { Redis, RedisOptions } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSentinels, type Sentinels } from '../../scripts/redis/sentinel.mjs';
import { eventually } from '../support/eventually.js';
import { channelsUnder, randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { rejection } from '../contract/fixture.js';
import { runRunner } from '../runners/run-runner.js';
import { runNode } from '../support/run-node.js';
import { expectCycle, expectWorks, openClient } from './exercise.js';

let group: Sentinels;
let redis: RedisOptions;

beforeAll(async () => {
  group = await startSentinels({ replicas: 1, sentinels: 1 });
  redis = {
    name: group.name,
    sentinels: group.sentinels.map(({ host, port }) => ({ host, port })),
  };
});

afterAll(async () => {
  await group.stop();
});

/** How many clients are connected to the only sentinel, besides the one that asks. */
async function clientsOfSentinel(raw: Redis): Promise<number> {
  const list = String(await raw.call('CLIENT', 'LIST'));
  return list.trim().split('\n').length - 1;
}

test('options with sentinels lead to the master, after a cut too', async () => {
  await expectWorks({ redis }, rawClient(group.master.url));
});

test('an instance with sentinels leads to the master, and is not used', async () => {
  const instance = rawClient(undefined, { ...redis, lazyConnect: true });

  await expectWorks({ redis: instance }, rawClient(group.master.url));
  expect(instance.status).toBe('wait');
});

test('options with sentinels lead to the master under the fake timers of Jest', async () => {
  const run = await runRunner('jest', runPrefix(), redis, '--selectProjects', 'node, before');

  expect(run).toEqual({ passed: 1, failed: [] });
});

test('the guarantees are those of Sentinel, and of its replicas', async () => {
  const found = await openClient({ redis }).guarantees();

  expect(found).toMatchObject({ topology: 'sentinel', replicas: 1, maxmemoryPolicy: 'noeviction' });
  const row = found.faults.find(({ fault }) => fault === 'failover, writes lost');
  expect(row?.twoOwners).toBe('may');
  expect(row?.text).toContain('asynchronously');
});

test('options that name the replicas are refused', () => {
  expect(() => openClient({ redis: { ...redis, role: 'slave' } })).toThrow(TypeError);
  expect(() => openClient({ redis: { ...redis, role: 'slave' } })).toThrow('redis.role');
});

test('a group that the sentinels do not know settles in time, with the reason', async () => {
  const client = openClient({ redis: { ...redis, name: 'unknown' }, commandTimeoutMs: 300 });

  const error = await client
    .getLock(randomName())
    .tryAcquire()
    .catch((reason: unknown) => reason);

  expect(error).toMatchObject({ code: 'ERR_COMMAND_TIMEOUT' });
  expect(String((error as Error).cause)).toContain('sentinel');
});

test('closing the client ends its connections to the sentinels too', async () => {
  const raw = rawClient(group.sentinels[0]?.url);
  await eventually(async () => (await clientsOfSentinel(raw)) === 0);
  const client = openClient({ redis });
  await expectCycle(client, rawClient(group.master.url));
  await eventually(async () => (await clientsOfSentinel(raw)) > 0);

  await client.close();

  await eventually(async () => (await clientsOfSentinel(raw)) === 0);
});

test('a process that holds nothing ends by itself', async () => {
  const script = `
    import { createClient } from 'redlatch';
    const client = createClient({ redis: ${JSON.stringify(redis)} });
    await client.getLock('${randomName('leaves')}').using(() => console.log('held'));
  `;

  const run = await runNode(['--input-type=module', '--eval', script], { withinMs: 5_000 });

  expect(run.stdout).toBe('held\n');
  expect(run.code).toBe(0);
});

test('a grant waits for the replica of the master', async () => {
  const replicas = { min: 1, timeoutMs: 10_000 };
  const lock = openClient({ redis, replicas }).getLock(randomName('replicas'));
  const hold = await lock.acquire();
  await hold.release();

  group.replicas[0]?.signal('SIGSTOP');
  const error = await rejection(lock.acquire({ replicas: { min: 1, timeoutMs: 50 } }));
  group.replicas[0]?.signal('SIGCONT');

  expect(error).toMatchObject({ code: 'ERR_REPLICAS', acknowledged: 0, min: 1 });
});

test('a waiter gets in on the new master after the old one has died', async () => {
  const [replica] = group.replicas;
  const next = rawClient(replica?.url);
  const name = randomName('failover');
  const pair = [openClient({ redis }), openClient({ redis })] as const;
  const replicas = { min: 1, timeoutMs: 10_000 };
  const replicated = await pair[1].getLock(randomName('before')).acquire({ replicas });
  await replicated.release();
  // Kept as long as the master lives: what the replica has of it ends at the latest in a second.
  const hold = await pair[0].getLock(name).acquire({ leaseMs: 1_000 });
  const waiting = pair[1].getLock(name).acquire({ waitMs: 20_000, leaseMs: 20_000 });
  const former = rawClient(group.master.url);
  await eventually(async () => (await channelsUnder(name, former)).length > 0);

  group.master.signal('SIGKILL');
  const won = await waiting;

  expect(hold.isHeld).toBe(false);
  expect(won.isHeld).toBe(true);
  expect(Object.keys(await next.hgetall(name))).toEqual([won.holderId]);
  expect(await next.call('ROLE')).toContain('master');
  await won.release();
  // The new master is asked for its replicas, of which there is none.
  const short = await rejection(
    pair[1].getLock(name).acquire({ replicas: { min: 1, timeoutMs: 500 } }),
  );
  expect(short).toMatchObject({ code: 'ERR_REPLICAS', acknowledged: 0 });
  // It was asked, and has answered.
  expect((short as Error).cause).toBeUndefined();
  await expectWorks({ redis }, next);
  await expectNoResidue(runPrefix(), { client: next, allow: [/^redlatch_cancelled:/] });
  await expectNoChannels(runPrefix(), { client: next });
});
