// What goes wrong with one master of a cluster is no matter of the others.

import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Call } from '../../src/core/wire/call.js';
import { systemEnvironment } from '../../src/core/connection/environment.js';
import { createRouter } from '../../src/core/connection/create-router.js';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import type { Client, ClientOptions, Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';

const MASTERS = 3;
const LEASE_MS = 900;

/** SHA-1 of `return 1`. */
const ONE = 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db';

// The only replica is that of the first master.
const world = await clusterWorld({ masters: MASTERS, replicas: 1 });

/** Nodes that a test has stopped. */
const frozen = new Set<number>();

beforeAll(async () => {
  for (const index of world.servers.keys()) {
    await world.node(index).config('SET', 'cluster-require-full-coverage', 'no');
  }
});

afterAll(() => {
  for (const index of frozen) {
    world.servers[index]?.signal('SIGCONT');
  }
});

const open = (options: ClientOptions = {}): Client =>
  openClient({ redis: world.template(), ...options });

/** A template whose connections the servers list under a name. */
function named(connectionName: string, host = '127.0.0.1', seed = 0): Cluster {
  const ports = world.servers.map(({ port }) => port);
  const nodes = [...ports.slice(seed), ...ports.slice(0, seed)].map((port) => ({ host, port }));
  return new Cluster(nodes.slice(0, 1), { lazyConnect: true, redisOptions: { connectionName } });
}

/** Ids of the connections of that name on a master. */
async function connections(connectionName: string, master: number): Promise<string[]> {
  const list = String(await world.node(master).call('CLIENT', 'LIST'));
  const mine = list.split('\n').filter((line) => line.includes(` name=${connectionName} `));
  return mine.map((line) => /^id=(\d+) /.exec(line)?.[1] ?? '').toSorted();
}

/** Aborts an acquisition whose question has left and was not answered yet. */
async function abortAcquisition(client: Client, name: string): Promise<void> {
  const abort = new AbortController();
  const acquiring = client.getLock(name).acquire({ signal: abort.signal });
  abort.abort(new Error('left'));
  await expect(acquiring).rejects.toThrow('left');
}

/** How often the map of the slots was read on a master so far. */
async function mapsRead(master: number): Promise<number> {
  const info = await world.node(master).info('commandstats');
  return Number(/cmdstat_cluster\|slots:calls=(\d+)/u.exec(info)?.[1]);
}

async function releaseAll(holds: readonly Hold[]): Promise<void> {
  await Promise.all(holds.map(async (hold) => await hold.release()));
}

test.each([0, 1, 2])(
  'aborted calls for master %i cost no connection, and put no hold in doubt',
  async (master) => {
    const title = `aborting-${master}`;
    const client = open({ redis: named(title), leaseMs: 3 * LEASE_MS, commandTimeoutMs: 600 });
    const doubts: string[] = [];
    client.on('suspect', ({ resource }) => doubts.push(resource));
    client.on('lost', ({ resource }) => doubts.push(resource));
    const holds = await Promise.all(
      [0, 1, 2].map(async (index) => await client.getLock(world.nameOn(index)).acquire()),
    );
    const listed = async (): Promise<string[][]> =>
      await Promise.all([0, 1, 2].map(async (index) => await connections(title, index)));
    // One to each node, and one to the node where it listens.
    await eventually(async () => (await listed()).flat().length === 4);
    const before = await listed();

    for (let i = 0; i < 5; i += 1) {
      await abortAcquisition(client, world.nameOn(master));
      await client.getLock(world.nameOn(master)).isLocked();
    }
    // A call that was not forgotten would make its connection look half-open by then: after 500 ms. A lease so short
    // would be in doubt where this process stands still for a moment.
    const end = performance.now() + 2 * LEASE_MS;
    await eventually(() => performance.now() > end);
    const after = await listed();

    expect(doubts).toEqual([]);
    expect(holds.map((hold) => hold.state)).toEqual(['held', 'held', 'held']);
    expect(after).toEqual(before);
    await releaseAll(holds);
  },
);

test('a call for one master is sent again after a cut, whatever was aborted elsewhere', async () => {
  const client = open({ redis: named('again') });
  const names = [world.nameOn(0), world.nameOn(2)] as const;
  for (const name of names) {
    await client.getLock(name).using(() => undefined);
  }
  const [mine] = await connections('again', 0);
  await world.node(0).client('PAUSE', 60_000, 'WRITE');

  const acquiring = client.getLock(names[0]).acquire({ waitMs: 4_000 });
  await abortAcquisition(client, names[1]);
  await eventually(async () => {
    const list = String(await world.node(0).call('CLIENT', 'LIST', 'ID', mine ?? ''));
    expect(list).toMatch(/ cmd=eval/);
  });
  await world.node(0).call('CLIENT', 'KILL', 'ID', mine ?? '');
  await world.node(0).client('UNPAUSE');
  const hold = await acquiring;

  expect(await world.node(0).hgetall(names[0])).toEqual({ [hold.holderId]: '1' });
  await hold.release();
});

test('closing while the slots are being read leaves no connection', async () => {
  for (let i = 0; i < 30; i += 1) {
    // Under another name than the cluster's own: each node is met a second time.
    const client = open({ redis: named('closing', 'localhost', i % MASTERS) });
    await client.getLock(world.nameOn(i % MASTERS)).using(() => undefined);
    await client.close();
  }

  await eventually(async () => {
    const left = await Promise.all(
      [0, 1, 2].map(async (index) => await connections('closing', index)),
    );
    expect(left).toEqual([[], [], []]);
  });
});

test('130,000 calls that wait for a master which is cut off get there when it is back', async ({
  onTestFinished,
}) => {
  const [cutOff, near] = world.servers;
  const proxy = await startProxy({ target: cutOff?.url ?? '' });
  const there = { host: '127.0.0.1', port: proxy.port };
  const natMap = { [`${cutOff?.host}:${cutOff?.port}`]: there };
  const nodes = [{ host: near?.host ?? '', port: near?.port ?? 0 }];
  const endpoint = readTemplate(new Cluster(nodes, { lazyConnect: true, natMap }));
  const told: string[] = [];
  const fault = ({ message }: Error): void => void told.push(message);
  const [up, down] = [(): void => {}, (): void => void told.push('down')];
  const owner = {
    up,
    down,
    message: up,
    confirmed: up,
    trouble: up,
    refused: up,
    fault,
    examined: up,
    answerLimitMs: 60_000,
    leaseMs: 30_000,
    maxPauseMs: 1_000,
    access: { signedIn: true, served: true },
    health: { down: up, up, shown: up },
  };
  const settings = { commandTimeoutMs: 60_000, shardedSubscriptionMode: 'auto' } as const;
  const router = createRouter(endpoint, settings, systemEnvironment(), owner);
  onTestFinished(() => router.close(new Error('the test is over')));
  const key = world.nameOn(0);
  const watch = { failed: fault, unheard: () => {} };
  const script = { name: 'one', sha1: ONE, source: 'return 1', decode: String };
  const receiver = { answered: (answer: string) => told.push(answer), failed: fault };
  const send = (): Call<string> => {
    const call = new Call({ script, operands: [1, key] }, receiver, true, watch);
    router.send(call);
    return call;
  };
  router.open();
  send();
  await eventually(() => told.includes('1'));

  proxy.refuse();
  proxy.cutAll();
  await eventually(() => told.includes('down'));
  const calls = Array.from({ length: 130_000 }, send);
  const asked = await mapsRead(1);
  // The others say more than once meanwhile who serves the slot.
  await eventually(async () => (await mapsRead(1)) >= asked + 2);
  for (const call of calls.slice(1_000)) {
    call.abandon();
  }
  told.length = 0;
  await proxy.accept();
  await eventually(() => told.filter((answer) => answer === '1').length === 1_000);

  expect(told.filter((answer) => !['1', 'down'].includes(answer))).toEqual([]);
});

test('a failover is followed though another master is frozen', async () => {
  const [dead, stuck, replica] = [0, 1, MASTERS];
  const client = open({ leaseMs: LEASE_MS });
  const name = world.nameOn(dead);
  for (const index of [dead, stuck, 2]) {
    await client.getLock(world.nameOn(index)).using(() => undefined);
  }
  await client.getLock(name).using(() => undefined);

  frozen.add(stuck);
  world.servers[stuck]?.signal('SIGSTOP');
  world.servers[dead]?.signal('SIGKILL');
  // Two of three masters are not there to vote.
  await world.node(replica).call('CLUSTER', 'FAILOVER', 'TAKEOVER');
  const hold = await client.getLock(name).acquire({ waitMs: 10_000 });

  expect(await world.node(replica).hgetall(name)).toEqual({ [hold.holderId]: '1' });
  await hold.release();
});

test('nothing is left in the cluster', async () => {
  for (const index of [2, MASTERS]) {
    const client = world.node(index);
    await expectNoResidue(runPrefix(), { client, allow: [/^redlatch_cancelled:/] });
    await expectNoChannels(runPrefix(), { client });
  }
});
