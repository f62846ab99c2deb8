// Locks and latches on three masters with a replica each: routing, sharded channels, renewal,
// moved slots, a dead master.

import { Cluster, type Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { masterOf, startCluster } from '../../scripts/redis/cluster.mjs';
import type { Client, ClientOptions } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { channelsUnder, randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { cutClients, openClient } from './exercise.js';
import { moveSlot } from './move-slot.js';

const MASTERS = 3;

let servers: Awaited<ReturnType<typeof startCluster>>;
/** A plain connection to each node, masters first. */
let nodes: Redis[];
let template: Cluster;

beforeAll(async () => {
  servers = await startCluster({ masters: MASTERS, replicas: MASTERS });
  nodes = servers.nodes.map(({ url }) => rawClient(url));
  const addresses = servers.nodes.map(({ host, port }) => ({ host, port }));
  template = new Cluster(addresses, { lazyConnect: true });
});

afterAll(async () => {
  template.disconnect();
  await servers.stop();
});

const open = (options: ClientOptions = {}): Client => openClient({ redis: template, ...options });

function node(index: number): Redis {
  const found = nodes[index];
  if (found === undefined) {
    throw new RangeError(`there is no node ${index}`);
  }
  return found;
}

async function slotOf(name: string): Promise<number> {
  return Number(await node(0).call('CLUSTER', 'KEYSLOT', name));
}

/** A new name that one master is responsible for, tagged or not. */
async function nameOn(master: number, tagged = false): Promise<string> {
  for (;;) {
    const name = tagged ? `{${randomName('tag')}}:object` : randomName();
    if (masterOf(await slotOf(name), MASTERS) === master) {
      return name;
    }
  }
}

const isSubscribed = async (name: string, where: Redis): Promise<boolean> =>
  (await channelsUnder(name.replace(/[{}]|:object$/g, ''), where)).length > 0;

const everywhere = Array.from({ length: MASTERS }, (_, master) => master).flatMap((master) =>
  [false, true].map((tagged) => ({ master, tagged, title: tagged ? 'tagged' : 'untagged' })),
);

test('the guarantees are those of all its masters', async () => {
  const client = open();
  await Promise.all(nodes.slice(1, MASTERS).map((each) => each.config('SET', 'appendonly', 'yes')));

  const found = await client.guarantees();

  await Promise.all(nodes.slice(1, MASTERS).map((each) => each.config('SET', 'appendonly', 'no')));
  expect(found).toMatchObject({ topology: 'cluster', replicas: 1, persistence: 'none' });
});

describe.each(everywhere)('a $title name on master $master', ({ master, tagged }) => {
  let name: string;

  beforeEach(async () => {
    name = await nameOn(master, tagged);
  });

  test('is locked there, re-entered and freed', async () => {
    const lock = open().getLock(name);

    const seen = await lock.using(
      async (hold) =>
        await lock.using(async () => [hold.holderId, await node(master).hgetall(name)]),
    );

    const [holderId, fields] = seen as [string, Record<string, string>];
    expect(fields).toEqual({ [holderId]: '2' });
    expect(await node(master).exists(name)).toBe(0);
  });

  test('hands out growing fencing tokens', async () => {
    const lock = open().getFencedLock(name);

    const first = await lock.using((hold) => hold.fencingToken);
    const second = await open()
      .getFencedLock(name)
      .using((hold) => hold.fencingToken);

    expect(second).toBeGreaterThan(first);
    // Its counter stays for good.
    const tokens = await node(master).keys('redisson_lock_token:*');
    await Promise.all(tokens.map(async (key) => await node(master).del(key)));
  });

  test('is a latch that lets its waiters go by a message', async () => {
    const latch = open().getCountDownLatch(name);
    await latch.trySetCount(2, { ttlMs: 60_000 });
    const waiting = open().getCountDownLatch(name).wait({ waitMs: 4_000 });
    await eventually(async () => await isSubscribed(name, node(master)));

    await Promise.all([latch.countDown(), latch.countDown()]);

    expect(await waiting).toBe(true);
    expect(await latch.count()).toBe(0);
  });

  test('has its waiter woken by a sharded message, long before the re-check', async () => {
    const hold = await open().getLock(name).acquire();
    const waiting = open().getLock(name).acquire({ waitMs: 4_000 });
    const sharded = async (): Promise<unknown[]> =>
      (await node(master).call('PUBSUB', 'SHARDCHANNELS', 'redisson_lock__channel*')) as unknown[];
    await eventually(async () => (await sharded()).length > 0);

    await hold.release();
    const next = await waiting;

    expect(Object.keys(await node(master).hgetall(name))).toEqual([next.holderId]);
    await next.release();
  });
});

test('the template stays unconnected', () => {
  expect(template.status).toBe('wait');
});

test('holds in many slots are renewed on every node', async () => {
  const client = open({ leaseMs: 600 });
  const trouble: string[] = [];
  client.on('lost', ({ resource }) => trouble.push(resource));
  const names = Array.from({ length: 90 }, () => randomName('renewed'));
  const holds = await Promise.all(names.map(async (name) => await client.getLock(name).acquire()));
  const end = performance.now() + 3 * 600;

  await eventually(() => performance.now() > end);

  expect(trouble).toEqual([]);
  expect(holds.filter((hold) => !hold.isHeld)).toEqual([]);
  const sizes = await Promise.all(
    nodes.slice(0, MASTERS).map(async (master) => (await master.keys('*:renewed-*')).length),
  );
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(names.length);
  await Promise.all(holds.map(async (hold) => await hold.release()));
});

test('every connection can be cut, and every script be forgotten', async () => {
  const [a, b] = [open(), open()];
  const names = await Promise.all([0, 1, 2].map(async (master) => await nameOn(master)));
  const holds = await Promise.all(names.map(async (name) => await a.getLock(name).acquire()));
  const waits = names.map(async (name) => await b.getLock(name).acquire({ waitMs: 10_000 }));
  await eventually(async () => await isSubscribed(names[2] ?? '', node(2)));

  for (const master of nodes.slice(0, MASTERS)) {
    await cutClients(master);
    await master.call('SCRIPT', 'FLUSH');
  }
  await Promise.all(holds.map(async (hold) => await hold.release()));
  const next = await Promise.all(waits);

  expect(next.map((hold) => hold.isHeld)).toEqual([true, true, true]);
  await Promise.all(next.map(async (hold) => await hold.release()));
});

test('a hold, and a wait for it, follow their slot to another master', async () => {
  const name = await nameOn(0);
  const [a, b] = [open({ leaseMs: 2_000 }), open()];
  const losses: string[] = [];
  a.on('lost', ({ error }) => losses.push(error.message));
  const hold = await a.getLock(name).acquire();
  const waiting = b.getLock(name).acquire({ waitMs: 15_000 });
  await eventually(async () => await isSubscribed(name, node(0)));

  await moveSlot(nodes.slice(0, MASTERS), await slotOf(name), node(0), node(1));
  await hold.extend(10_000);
  const moved = await node(1).hgetall(name);
  await hold.release();
  const next = await waiting;

  expect(losses).toEqual([]);
  expect(Object.keys(moved)).toEqual([hold.holderId]);
  expect(Object.keys(await node(1).hgetall(name))).toEqual([next.holderId]);
  await next.release();
});

test('a waiter gets in on the replica after its master has died', async () => {
  const name = await nameOn(2);
  const [a, b] = [open(), open()];
  const hold = await a.getLock(name).acquire({ leaseMs: 1_000 });
  const waiting = b.getLock(name).acquire({ waitMs: 20_000, leaseMs: 20_000 });
  await eventually(async () => await isSubscribed(name, node(2)));

  servers.nodes[2]?.signal('SIGKILL');
  const next = await waiting;

  expect(hold.isHeld).toBe(false);
  expect(next.isHeld).toBe(true);
  expect(Object.keys(await node(2 + MASTERS).hgetall(name))).toEqual([next.holderId]);
  await next.release();
  const again = await nameOn(2);
  expect(await a.getLock(again).using((hold2) => hold2.isHeld)).toBe(true);
});

test('nothing is left on any master', async () => {
  for (const index of [0, 1, 2 + MASTERS]) {
    const allow = [/^redlatch_(cancelled|requests|opened):/];
    await expectNoResidue(runPrefix(), { client: node(index), allow });
    await expectNoChannels(runPrefix(), { client: node(index) });
  }
});

test('both semaphores take the number of permits at construction, and tell of another one', async () => {
  const [one, two] = [open(), open()];
  const events: unknown[] = [];
  two.on('configured', ({ kind, permits, wanted }) => events.push([kind, permits, wanted]));

  for (const master of [0, 1, 2]) {
    for (const tagged of [false, true]) {
      const [gate, seats] = [await nameOn(master, tagged), await nameOn(master, tagged)];
      const waiting = two.getSemaphore(gate).acquire();
      const permits = await one.getSemaphore(gate, { permits: 2 }).acquire();
      await (await waiting).release();
      await permits.release();
      const permit = await one.getPermitExpirableSemaphore(seats, { permits: 3 }).acquire();
      const setting = { count: 4, onMismatch: 'set' } as const;
      const their = two.getPermitExpirableSemaphore(seats, { permits: setting });
      expect(await their.totalPermits()).toBe(4);
      const told = two.getPermitExpirableSemaphore(seats, { permits: 5 });
      expect(await told.availablePermits()).toBe(3);
      await permit.release();
      await two.getSemaphore(gate, { permits: 7 }).addPermits(0);
      await Promise.all([one.getSemaphore(gate).delete(), their.delete()]);
    }
  }

  expect(events).toEqual(
    Array.from({ length: 6 }, () => [
      ['permit-expirable-semaphore', 4, 5],
      ['semaphore', 2, 7],
    ]).flat(),
  );
});
