// @ts-check
// A master with two replicas, and a sentinel that promotes one of them.

import { createClient } from '../../../dist/index.js';
import { startSentinels } from '../../redis/sentinel.mjs';
import { Shard } from './shard.mjs';

/** @type {import('./index.mjs').Topology} */
export const sentinel = {
  shapes: ['plain', 'lagging'],
  takesReplicas: true,
  async start() {
    const { name, master, replicas, sentinels, stop } = await startSentinels({ replicas: 2 });
    const shard = new Shard(master, replicas, 's');
    try {
      await shard.inSync();
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      target: { name, sentinels: sentinels.map(({ host, port }) => ({ host, port })) },
      names: (count) => shard.names(count),
      lag: async () => await shard.lag(),
      failOver: async (names) => await shard.failOver(names),
      stop,
    };
  },
  open: (target, options) =>
    createClient({ redis: /** @type {import('ioredis').RedisOptions} */ (target), ...options }),
};
