// @ts-check
// Two worker threads with a client each, which count together, and a third one that is terminated while it holds.
//
//   node threads.mjs URL NAME

import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createClient } from '../../../dist/index.js';

const ROUNDS = 100;

/** @typedef {{ redis: string, name: string, what: 'count' | 'hold', count: Int32Array }} Task */

/** @param {Task} task */
async function count({ redis, name, count: shared }) {
  const client = createClient({ redis, waitMs: 10_000 });
  for (let round = 0; round < ROUNDS; round += 1) {
    await client.getLock(name).using(async () => {
      const seen = shared[0] ?? 0;
      await setImmediate();
      shared[0] = seen + 1;
    });
  }
  await client.close();
}

/** @param {Task} task */
async function hold({ redis, name }) {
  await createClient({ redis, leaseMs: 1_000 }).getLock(name).acquire();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows
  parentPort?.postMessage('held');
}

async function main() {
  const [, , redis = '', name = ''] = process.argv;
  const shared = new Int32Array(new SharedArrayBuffer(4));
  /** @param {Task['what']} what */
  const start = (what) =>
    new Worker(new URL(import.meta.url), { workerData: { redis, name, what, count: shared } });

  const counters = [start('count'), start('count')];
  const codes = await Promise.all(counters.map((thread) => once(thread, 'exit')));
  process.send?.({ type: 'counted', codes: codes.flat(), count: shared[0], of: 2 * ROUNDS });

  const client = createClient({ redis, waitMs: 10_000 });
  await client.getLock(name).isLocked(); // connected
  const holder = start('hold');
  await once(holder, 'message');
  await holder.terminate();
  const wasLocked = await client.getLock(name).isLocked();
  const next = await client.getLock(name).acquire();
  const methods = [
    Number('getLock' in structuredClone(client)),
    Number('release' in structuredClone(next)),
  ];
  process.send?.({ type: 'succeeded', wasLocked, isHeld: next.isHeld, methods });
  await next.release();
  await client.close();
  process.disconnect();
}

if (isMainThread) {
  await main();
} else {
  const task = /** @type {Task} */ (workerData);
  await (task.what === 'count' ? count(task) : hold(task));
}
