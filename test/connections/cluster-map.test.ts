// The map of a cluster is read over a connection that may die while it is asked.

import { expect, test } from 'vitest';
import { Cluster } from 'ioredis';
import { eventually } from '../support/eventually.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { channelsUnder, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { clusterWorld } from './cluster-world.js';
import { openClient } from './exercise.js';

const world = await clusterWorld({ masters: 1 });

/** A cluster that is reached through the proxy only. */
function through(proxy: Proxy): Cluster {
  const { host, port } = world.servers[0] ?? { host: '', port: 0 };
  const near = { host: '127.0.0.1', port: proxy.port };
  return new Cluster([near], { lazyConnect: true, natMap: { [`${host}:${port}`]: near } });
}

const asks =
  (command: string) =>
  ([name]: string[]): boolean =>
    name?.toUpperCase() === command;

test.each(['CLUSTER', 'PUBSUB'])('a connection that goes deaf at %s is replaced', async (asked) => {
  const proxy = await startProxy({ target: world.servers[0]?.url ?? '' });
  const hold = proxy.holdRequests(asks(asked));
  const client = openClient({ redis: through(proxy), commandTimeoutMs: 500 });
  const acquiring = client.getLock(world.nameOn(0)).acquire({ waitMs: 10_000 });
  await eventually(() => hold.held.length > 0);

  proxy.halfOpen((connection) => connection === proxy.connections().at(-1));
  hold.release();
  const granted = await acquiring;

  expect(granted.isHeld).toBe(true);
  await granted.release();
});

test('a cluster whose answer about its pub/sub was lost is asked again', async () => {
  const proxy = await startProxy({ target: world.servers[0]?.url ?? '' });
  const { cut } = proxy.cutReplyAfter(asks('PUBSUB'));
  const client = openClient({ redis: through(proxy) });
  const name = world.nameOn(0);
  const hold = await client.getLock(name).acquire();
  await eventually(() => cut.length === 1);
  const waiting = openClient({ redis: world.template() }).getLock(name).acquire({ waitMs: 4_000 });
  await eventually(async () => (await channelsUnder(name, world.node(0))).length > 0);

  await hold.release();
  const next = await waiting;

  expect(next.isHeld).toBe(true);
  await next.release();
});

test('a process that is blocked while the map is read takes the answer that has arrived', async () => {
  const client = openClient({ redis: world.template(), commandTimeoutMs: 100 });
  const told: string[] = [];
  client.on('error', ({ error }) => told.push(error.message));
  const lock = client.getLock(world.nameOn(0));

  // Each turn of the loop is longer than an answer may take, so the one with the question is too.
  const acquiring = lock.acquire({ waitMs: 10_000 });
  for (let turn = 0; turn < 12; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    const end = performance.now() + 120;
    while (performance.now() < end) {
      // Blocked.
    }
  }
  const hold = await acquiring;

  expect(told).toEqual([]);
  await hold.release();
});

test('nothing is left in the cluster', async () => {
  const client = world.node(0);
  await expectNoResidue(runPrefix(), { client, allow: [/^redlatch_cancelled:/] });
  await expectNoChannels(runPrefix(), { client });
});
