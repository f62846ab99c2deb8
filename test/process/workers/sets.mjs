// @ts-check
// Holds random sets of names again and again in several tasks, and counts who is inside each name.
//
//   node sets.mjs URL NAME NAMES TASKS ROUNDS FENCED

import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { Gauge } from './gauge.mjs';
import { random } from './random.mjs';

const [, , url = '', name = '', ...numbers] = process.argv;
const [count = 0, tasks = 0, rounds = 0, fenced = 0] = numbers.map(Number);
const client = createClient({ redis: url });
const store = new Redis(url);
const names = Array.from({ length: count }, (_, i) => `${name}-${i}`);
const gauges = new Map(names.map((each) => [each, new Gauge(store, `${each}:gauge`)]));

/** Two to five of the names, in any order. */
function someNames() {
  const left = [...names];
  return Array.from({ length: 2 + Math.floor(random() * 4) }, () =>
    String(left.splice(Math.floor(random() * left.length), 1)[0]),
  );
}

/**
 * @param {readonly string[]} some
 * @param {(gauge: Gauge, name: string) => Promise<unknown>} act
 */
async function inEach(some, act) {
  await Promise.all(some.map((each) => act(/** @type {Gauge} */ (gauges.get(each)), each)));
}

async function hold() {
  const lock = client.getMultiLock(someNames(), { fenced: fenced === 1 });
  await lock.using(async ({ fencingTokens }) => {
    await inEach(lock.names, (gauge, each) =>
      gauge.enter('alone', undefined, fencingTokens.get(each)),
    );
    await inEach(lock.names, (gauge) => gauge.leave('alone'));
  });
}

process.on('message', () => {
  const holding = Array.from({ length: tasks }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      await hold();
    }
  });
  void Promise.all(holding).then(async () => {
    await client.close();
    await store.quit();
    process.send?.({ type: 'done' });
    process.disconnect();
  });
});
await store.ping();
process.send?.({ type: 'ready' });
