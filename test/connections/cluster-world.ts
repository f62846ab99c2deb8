// A cluster for one test file: plain connections to its nodes, and names by the master they are on.

import { Cluster, type Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { masterOf, startCluster } from '../../scripts/redis/cluster.mjs';
import { slotOf } from '../../src/core/connection/slots.js';
import { randomName, rawClient } from '../support/redis.js';

type Servers = Awaited<ReturnType<typeof startCluster>>;

interface User {
  readonly username?: string;
  readonly password?: string;
}

export interface ClusterWorld {
  readonly servers: Servers['nodes'];
  /** A plain connection to a node, masters first. */
  node(index: number): Redis;
  /** A new name that one master is responsible for, in a slot of its own. */
  nameOn(master: number): string;
  /** A template that is never connected. */
  template(user?: User): Cluster;
}

/** Called once at the top of a test file. */
export async function clusterWorld(
  options: Parameters<typeof startCluster>[0] & { masters: number },
): Promise<ClusterWorld> {
  const cluster = await startCluster(options);
  afterAll(async () => {
    await cluster.stop();
  });
  const raws = cluster.nodes.map(({ url }) => rawClient(url));
  // A test may move the slot of its name: no other test gets that slot.
  const used = new Set<number>();
  const addresses = cluster.nodes.map(({ host, port }) => ({ host, port }));
  return {
    servers: cluster.nodes,
    node(index) {
      const found = raws[index];
      if (found === undefined) {
        throw new RangeError(`there is no node ${index}`);
      }
      return found;
    },
    nameOn(master) {
      for (;;) {
        const name = randomName();
        const slot = slotOf(name);
        if (masterOf(slot, options.masters) === master && !used.has(slot)) {
          used.add(slot);
          return name;
        }
      }
    },
    template: (user = {}) => new Cluster(addresses, { lazyConnect: true, redisOptions: user }),
  };
}
