// @ts-check
// Takes a multi-lock in a cluster, and holds it.
//
//   node multi-holder.mjs PORTS LEASE_MS NAME...

import { Cluster } from 'ioredis';
import { createClient } from '../../../dist/index.js';

const [, , ports = '', lease = '0', ...names] = process.argv;
const nodes = ports.split(',').map((port) => ({ host: '127.0.0.1', port: Number(port) }));
const redis = new Cluster(nodes, { lazyConnect: true });
const client = createClient({ redis, leaseMs: Number(lease) });
await client.getMultiLock(names).acquire();
