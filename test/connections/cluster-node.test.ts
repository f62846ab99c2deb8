// A client that was given one node of a cluster as if that were a server: most names are elsewhere.

import { describe, expect, test } from 'vitest';
import { UnsupportedServerError, type Client } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { runPrefix } from '../support/redis.js';
import { clusterWorld } from './cluster-world.js';
import { everyCall, PATIENT } from './denied.js';
import { expectCycle, openClient } from './exercise.js';

const world = await clusterWorld({ masters: 3 });
const lone = await clusterWorld({ masters: 1 });

const UNKNOWN = Buffer.from('-ERR not here\r\n');

/** A way to a node that answers these questions so. */
async function nodeThat(url: string, refuses: RegExp): Promise<Proxy> {
  const proxy = await startProxy({ target: url });
  proxy.rewriteReplies((command, reply) => (refuses.test(command.join(' ')) ? UNKNOWN : reply));
  return proxy;
}

function scriptsSent(proxy: Proxy): string[][] {
  return proxy.requests().filter(([name = '']) => /^eval/iu.test(name));
}

async function expectUnsupported(client: Client): Promise<void> {
  for (const [call, run] of Object.entries(everyCall(client))) {
    const error = await rejection(run());
    expect(error, call).toBeInstanceOf(UnsupportedServerError);
    expect(error, call).toMatchObject({
      code: 'ERR_UNSUPPORTED_SERVER',
      resource: expect.stringContaining(runPrefix()) as string,
      found: 'a node of a cluster',
      needed: 'a Cluster',
    });
  }
}

const NOTHING = /^$/u;
const SHARDING = /^pubsub shardnumsub/iu;

describe('every call ends at once, and nothing is sent:', () => {
  test.each([0, 1, 2])('node %i of three', async (index) => {
    const proxy = await nodeThat(world.servers[index]?.url ?? '', NOTHING);

    await expectUnsupported(openClient({ redis: proxy.url, ...PATIENT }));

    expect(scriptsSent(proxy)).toEqual([]);
  });

  test('the only node of a cluster with sharded messages', async () => {
    const proxy = await nodeThat(lone.servers[0]?.url ?? '', NOTHING);

    await expectUnsupported(openClient({ redis: proxy.url, ...PATIENT }));

    expect(scriptsSent(proxy)).toEqual([]);
  });

  test('a node of a cluster without sharded messages that names others', async () => {
    const proxy = await nodeThat(world.servers[0]?.url ?? '', SHARDING);

    await expectUnsupported(openClient({ redis: proxy.url, ...PATIENT }));

    expect(scriptsSent(proxy)).toEqual([]);
  });
});

test('one address that serves all slots, and shards no messages, is used', async () => {
  const proxy = await nodeThat(lone.servers[0]?.url ?? '', SHARDING);

  await expectCycle(openClient({ redis: proxy.url }), lone.node(0));
});

describe('where the node does not say what it is, a name that is elsewhere does:', () => {
  test.each([
    ['INFO', /^info/iu],
    ['CLUSTER SLOTS and PUBSUB', /^(?:cluster|pubsub)/iu],
  ])('%s', async (_, refuses) => {
    const proxy = await nodeThat(world.servers[0]?.url ?? '', refuses);
    const client = openClient({ redis: { port: proxy.port, enableReadyCheck: false }, ...PATIENT });

    await client.getLock(world.nameOn(0)).using(() => {});
    for (const node of [1, 2]) {
      const error = await rejection(client.getLock(world.nameOn(node)).acquire());

      expect(error).toBeInstanceOf(UnsupportedServerError);
      expect(error).toMatchObject({ found: 'a node of a cluster', needed: 'a Cluster' });
      expect(String((error as Error).cause)).toMatch(/MOVED \d+ /u);
    }
  });
});
