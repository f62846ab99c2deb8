// @ts-check
// The connections of a worker: to one server, or to a cluster.

import { Cluster, Redis } from 'ioredis';
import { createClient } from '../../../../dist/index.js';

/**
 * @param {string} url of one server, or of the nodes of a cluster with commas between
 * @param {string} [mode] of a cluster, the kind of messages: auto, on or off; of a server, how a lock
 *   goes on: direct or strict
 * @returns {{ client: import('../../../../dist/index.js').Client, store: Redis | Cluster }}
 */
export function connect(url, mode = 'auto') {
  const urls = url.split(',');
  if (urls.length === 1) {
    const handOff = /** @type {'direct' | 'strict'} */ (mode === 'auto' ? 'direct' : mode);
    return { client: createClient({ redis: url, handOff }), store: new Redis(url) };
  }
  const redis = new Cluster(urls, { lazyConnect: true });
  const shardedSubscriptionMode = /** @type {'auto' | 'on' | 'off'} */ (mode);
  const client = createClient({ redis, shardedSubscriptionMode });
  return { client, store: new Cluster(urls) };
}
