// @ts-check
// Enters an object again and again, without a pause between, until the gauge has counted so many
// entries of all sides; told to go on, until told to stop. Where it is alone it counts up by reading
// and writing.
//
//   node sections.mjs URL NAME KIND SIDE TOTAL LIMIT [MODE] [LOOPS]
//
// LOOPS  so many do that side by side, on one client (default 1)

import { Gauge } from '../../../process/workers/gauge.mjs';
import { connect } from './connect.mjs';

const [, , url = '', name = '', kind = '', sharing = '', ...numbers] = process.argv;
const side = sharing === 'shared' ? 'shared' : 'alone';
const [total = 0, limit = 0] = numbers.map(Number);
const { client, store } = connect(url, process.argv[8]);
const gauge = new Gauge(store, `${name}:gauge`);

/** @typedef {{ release(): Promise<void>, fencingToken?: bigint }} Grant */

/** @type {Record<string, () => Promise<Grant>>} */
const entries = {
  lock: async () => await client.getLock(name).acquire(),
  fair: async () => await client.getFairLock(name).acquire(),
  fenced: async () => await client.getFencedLock(name).acquire(),
  read: async () => await client.getReadWriteLock(name).readLock.acquire(),
  write: async () => await client.getReadWriteLock(name).writeLock.acquire(),
  semaphore: async () => await client.getSemaphore(name).acquire(),
  permits: async () => await client.getPermitExpirableSemaphore(name).acquire(),
};

const told = { goesOn: false, longestWaitMs: 0 };

/** Answers how many were inside so far. */
async function section() {
  const askedAt = performance.now();
  const grant = await /** @type {() => Promise<Grant>} */ (entries[kind])();
  told.longestWaitMs = Math.max(told.longestWaitMs, performance.now() - askedAt);
  await gauge.enter(side, limit, grant.fencingToken);
  if (side === 'alone') {
    const count = Number(await store.get(`${name}:counter`));
    await store.set(`${name}:counter`, count + 1);
  }
  const seen = await gauge.leave(side);
  await grant.release();
  return seen;
}

/** Answers how many sections it was in. */
async function loop() {
  let sections = 0;
  for (let seen = 0; seen < total || told.goesOn; sections += 1) {
    seen = await section();
  }
  return sections;
}

async function enterAndLeave() {
  const loops = Array.from({ length: Number(process.argv[9] ?? 1) }, loop);
  const sections = (await Promise.all(loops)).reduce((sum, each) => sum + each, 0);
  await client.close();
  await store.quit();
  process.send?.({ type: 'done', sections, longestWaitMs: told.longestWaitMs });
  process.disconnect();
}

process.on('message', (/** @type {{ type: 'go' | 'stop', goesOn?: boolean }} */ message) => {
  told.goesOn = message.goesOn === true;
  if (message.type === 'go') {
    void enterAndLeave();
  }
});
await store.ping();
process.send?.({ type: 'ready' });
