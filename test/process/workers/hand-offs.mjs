// @ts-check
// Four tasks increment a counter by reading and writing it under one lock, until it is large enough,
// and note the token of each turn.
//
//   node hand-offs.mjs URL NAME TOTAL LEASE_MS

import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';

const [, , url = '', name = '', total = '0', leaseMs = '0'] = process.argv;
const client = createClient({ redis: url, leaseMs: Number(leaseMs) });
const store = new Redis(url);
const lock = client.getFencedLock(`${name}:lock`);
let longestMs = 0;
let turns = 0;

/** @returns whether there was something left to do */
const turn = async () => {
  const askedAt = performance.now();
  return await lock.using(async ({ fencingToken }) => {
    longestMs = Math.max(longestMs, performance.now() - askedAt);
    const count = Number(await store.get(`${name}:counter`));
    if (count >= Number(total)) {
      return false;
    }
    await store
      .multi()
      .set(`${name}:counter`, count + 1)
      .rpush(`${name}:tokens`, String(fencingToken))
      .exec();
    turns += 1;
    return true;
  });
};
const work = async () => {
  let goesOn = true;
  while (goesOn) {
    goesOn = await turn();
  }
};

process.send?.({ type: 'ready' });
await Promise.all([work(), work(), work(), work()]);
await client.close();
await store.quit();
process.send?.({ type: 'done', longestMs, turns });
