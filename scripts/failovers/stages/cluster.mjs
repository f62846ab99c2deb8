// @ts-check
// Three masters, the first of which has two replicas: the other masters elect one of them.

import { Cluster } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { startCluster } from '../../redis/cluster.mjs';
import { Shard } from './shard.mjs';

/** Its slot is 3300: of the first of three masters. */
const HASH_TAG = 'b';

/** @type {import('./index.mjs').Topology} */
export const cluster = {
  shapes: ['plain', 'lagging'],
  takesReplicas: true,
  async start() {
    const { nodes, stop } = await startCluster({ masters: 3, replicas: [0, 0] });
    const [master, , , ...replicas] = nodes;
    if (master === undefined) {
      throw new RangeError('a cluster has at least one node');
    }
    const shard = new Shard(master, replicas, HASH_TAG);
    try {
      await shard.inSync();
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      target: nodes.map(({ host, port }) => ({ host, port })),
      names: (count) => shard.names(count),
      lag: async () => await shard.lag(),
      failOver: async (names) => await shard.failOver(names),
      stop,
    };
  },
  open(target, options) {
    const nodes = /** @type {{ host: string, port: number }[]} */ (target);
    return createClient({ redis: new Cluster(nodes, { lazyConnect: true }), ...options });
  },
};
