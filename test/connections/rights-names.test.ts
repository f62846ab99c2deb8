// The rights in the documents are enough for every form of a name, in any database, and in a cluster: the
// keys and channels beside a name have another form where it has a hash tag.

import { Cluster, type Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCluster } from '../../scripts/redis/cluster.mjs';
import { slotOf } from '../../src/core/connection/slots.js';
import type { Client, ClientOptions } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { objectKinds, type ObjectKind } from '../support/kinds/objects.js';
import { channelsUnder, keysUnder, randomName, rawClient, runPrefix } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { ownServer } from '../support/server.js';
import { further, leastRights, useEverything } from './everything.js';
import { openClient } from './exercise.js';

/** New names of each form, all of which a user may use whose names start with the prefix of this run. */
const shapes = {
  plain: (what: string) => randomName(what),
  'tag inside': (what: string) => randomName(`{${what}}`),
  'tag first': (what: string) => `{${randomName(what)}}:rest`,
  'all tag': (what: string) => `{${randomName(what)}}`,
};

interface Place {
  readonly redis: (username: string) => Exclude<ClientOptions['redis'], undefined>;
  /** Plain connections to each node, and one to all. */
  readonly nodes: readonly Redis[];
  readonly raw: Redis | Cluster;
}

const password = 'secret';
const places: Record<string, Place> = {};
const opened: Cluster[] = [];

function clusterOf(addresses: { host: string; port: number }[], user = {}): Cluster {
  const cluster = new Cluster(addresses, { lazyConnect: true, redisOptions: user });
  opened.push(cluster);
  return cluster;
}

beforeAll(async () => {
  const [{ url, host, port }, cluster] = await Promise.all([
    ownServer(),
    startCluster({ masters: 2 }),
  ]);
  for (const [where, db] of [
    ['server', 0],
    ['database', 3],
  ] as const) {
    const raw = rawClient(url, { db });
    const redis = (username: string) => ({ host, port, db, username, password });
    places[where] = { redis, nodes: [raw], raw };
  }
  const addresses = cluster.nodes.map((node) => ({ host: node.host, port: node.port }));
  places['cluster'] = {
    redis: (username) => clusterOf(addresses, { username, password }),
    nodes: cluster.nodes.map((node) => rawClient(node.url)),
    raw: clusterOf(addresses),
  };
  afterAll(async () => {
    for (const each of opened) {
      each.disconnect();
    }
    await cluster.stop();
  });
});

/** A client of a user with these rights, and what it was told in the background. */
async function open(
  { redis, nodes }: Place,
  rights: readonly string[],
  options: ClientOptions = {},
): Promise<{ client: Client; errors: string[] }> {
  const user = randomName('user');
  const set = ['SETUSER', user, 'reset', 'on', `>${password}`, ...rights];
  await Promise.all(nodes.map(async (node) => await node.call('ACL', ...set)));
  const client = openClient({ redis: redis(user), ...options });
  const errors: string[] = [];
  client.on('error', ({ error }) => errors.push(error.message));
  return { client, errors };
}

/** One client waits for the other, and hears of the release. */
async function handOver(
  kind: ObjectKind,
  pair: readonly [Client, Client],
  name: string,
  nodes: readonly Redis[],
): Promise<void> {
  const taken = await kind.take(pair[0], name);
  const waiting = kind.wait(pair[1], name);
  const text = name.replace(/^\{|\}$/gu, '');
  const isHeard = eventually(async () => {
    const channels = await Promise.all(nodes.map(async (node) => await channelsUnder(text, node)));
    return channels.flat().length > 0;
  });
  // One that is refused fails, and is not heard.
  await Promise.race([isHeard, waiting]);
  await taken.free();
  await waiting;
  await taken.remove();
}

describe.each(Object.keys(further) as (keyof typeof further)[])('in a %s', (where) => {
  test.each(Object.entries(shapes))('a name: %s', async (_, nameOf) => {
    const place = places[where]!;
    const rights = leastRights(runPrefix(), where);
    const { client, errors } = await open(place, rights);
    const waiters = [await open(place, rights), await open(place, rights)] as const;
    const pair = [waiters[0].client, waiters[1].client] as const;

    await Promise.all([
      useEverything(client, place.raw, nameOf),
      ...objectKinds.map(async (kind) => await handOver(kind, pair, nameOf(kind.id), place.nodes)),
    ]);

    expect([...errors, ...waiters.flatMap((waiter) => waiter.errors)]).toEqual([]);
  });
});

test('a user of a cluster follows a slot on its way', async () => {
  const { nodes, ...place } = places['cluster']!;
  const { client } = await open({ nodes, ...place }, leastRights(runPrefix(), 'cluster'));
  const name = randomName('on-its-way');
  const slot = slotOf(name);
  const ids = await Promise.all(nodes.map(async (node) => await node.cluster('MYID')));
  const from = slot < 8_192 ? 0 : 1;
  const to = 1 - from;

  await nodes[to]!.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from]!);
  await nodes[from]!.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to]!);
  // No key is there, so the node that has the slot sends the client to the other one.
  const isLocked = await client.getLock(name).isLocked();
  await nodes[to]!.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
  await nodes[from]!.call('CLUSTER', 'SETSLOT', slot, 'STABLE');

  expect(isLocked).toBe(false);
});

const missing = [
  ['database', 'select'],
  ['cluster', 'cluster|slots'],
] as const;

test.each(missing)(
  'without the right that a %s needs, %s, nobody gets in',
  async (where, right) => {
    const rights = [...leastRights(runPrefix(), where), `-${right}`];
    const { client } = await open(places[where]!, rights);

    const error = await rejection(client.getLock(randomName()).acquire({ waitMs: 3_000 }));

    expect(error).toMatchObject({ code: 'ERR_ACCESS_DENIED' });
  },
);

test('nothing is left of all these clients', async () => {
  const allow = [/^redlatch_(cancelled|requests|opened|beats|readers|waiting|writers):/];
  for (const { nodes } of Object.values(places)) {
    for (const client of nodes) {
      // Those of fenced locks stay by design.
      const tokens = await keysUnder(`redisson_lock_token:`, client);
      await Promise.all(tokens.map(async (token) => await client.del(token)));
      await expectNoResidue(runPrefix(), { client, allow, withinMs: 4_000 });
    }
  }
});
