// @ts-check
// Waits for a fair lock as often as told, each time under an id, and notes its turn on the server
// while it holds the lock. In a loop it queues anew after each turn. It hands the lock on one by one, so
// that each turn has a holder id of its own.
//
//   node queuer.mjs URL NAME LEASE_MS

import { Redis } from 'ioredis';
import { createClient } from '../../../dist/index.js';
import { Gauge } from './gauge.mjs';

const [, , url = '', name = '', lease = ''] = process.argv;
const client = createClient({ redis: url, leaseMs: Number(lease), handOff: 'strict' });
const store = new Redis(url);
const gauge = new Gauge(store, `${name}:gauge`);
const lock = client.getFairLock(name);
/** @type {Map<number, AbortController>} */
const waits = new Map();
const own = { isStopped: false };

/** @param {AbortSignal} [signal] */
async function take(signal) {
  const options = signal === undefined ? {} : { signal };
  await lock.using(async ({ holderId }) => {
    await gauge.enter('alone');
    await store.rpush(`${name}:served`, holderId);
    await gauge.leave('alone');
  }, options);
}

/** @param {number} id */
async function queue(id) {
  const abort = new AbortController();
  waits.set(id, abort);
  const outcome = await take(abort.signal).then(
    () => 'served',
    (error) => (abort.signal.aborted ? 'left' : String(error)),
  );
  process.send?.({ type: 'over', id, outcome });
}

async function loop() {
  while (!own.isStopped) {
    await take();
  }
}

process.on('message', (/** @type {{ type: string, id: number }} */ { type, id }) => {
  if (type === 'queue') {
    void queue(id);
  } else if (type === 'abort') {
    waits.get(id)?.abort();
  } else if (type === 'loop') {
    void Promise.all(Array.from({ length: id }, loop)).then(() => {
      process.send?.({ type: 'stopped' });
    });
  } else {
    own.isStopped = true;
  }
});
await store.ping();
process.send?.({ type: 'ready', clientId: client.id });
