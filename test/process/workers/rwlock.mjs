// @ts-check
// Asks for one side of a read-write lock, holds it, and says so.
//
//   node rwlock.mjs URL NAME readLock|writeLock [LEASE_MS]

import { createClient } from '../../../dist/index.js';

const [, , redis = '', name = '', side = '', leaseMs = '30000'] = process.argv;
const client = createClient({ redis, leaseMs: Number(leaseMs) });
const { readLock, writeLock } = client.getReadWriteLock(name);
const hold = await (side === 'readLock' ? readLock : writeLock).acquire();
process.send?.({ type: 'held', holderId: hold.holderId });
