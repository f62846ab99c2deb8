// @ts-check
// Increments a counter by reading and writing it under a fenced lock of a quorum, several at once.
//
//   node quorum.mjs URLS (JSON) LEASE_MS NAME TASKS TIMES

import { Redis } from 'ioredis';
import { createQuorumClient } from '../../../dist/index.js';

const [, , urls = '[]', lease = '0', name = '', tasks = '0', times = '0'] = process.argv;
const servers = /** @type {string[]} */ (JSON.parse(urls));
const client = createQuorumClient({ servers, leaseMs: Number(lease) });
const store = new Redis(servers[0] ?? '');
const lock = client.getFencedLock(name);
/** @type {string[]} */
const tokens = [];
let older = 0;

process.send?.({ type: 'ready' });
await new Promise((resolve) => process.once('message', resolve));
const work = async () => {
  for (let i = 0; i < Number(times); i += 1) {
    await lock.using(async ({ fencingToken }) => {
      const [count, last] = await store.mget(`${name}:counter`, `${name}:last`);
      older += BigInt(last ?? 0) < fencingToken ? 0 : 1;
      tokens.push(String(fencingToken));
      await store.mset(`${name}:counter`, Number(count) + 1, `${name}:last`, String(fencingToken));
    });
  }
};
await Promise.all(Array.from({ length: Number(tasks) }, work));
await client.close();
process.send?.({ type: 'done', tokens, older });
await store.quit();
process.disconnect();
