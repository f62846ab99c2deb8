// @ts-check
// A thousand readers of four processes, let in by one writer that leaves.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';
import { BenchWorker } from '../lib/bench-worker.mjs';
import { CommandCounter } from '../lib/commands.mjs';
import { median } from '../lib/stats.mjs';
import { lockOfRound } from '../tasks/readers.mjs';

const READERS = 1_000;
const PROCESSES = 4;

/** @type {import('./index.mjs').Figure} */
export const readers = {
  id: 'readers',
  title: `${READERS} readers behind one writer`,
  async measure({ url, keyPrefix, quick }) {
    const options = { url, keyPrefix, readers: READERS / PROCESSES };
    /** @type {Promise<BenchWorker<import('../tasks/readers.mjs').ReadersRound>>[]} */
    const starting = Array.from({ length: PROCESSES }, () => BenchWorker.start('readers', options));
    const workers = await Promise.all(starting);
    const counter = new CommandCounter(url);
    const client = createClient({ redis: url, keyPrefix });
    /** @type {number[]} */
    const costs = [];
    /** @type {number[]} */
    const times = [];
    for (let i = 0; i < (quick ? 3 : 7); i++) {
      const writing = await client.getReadWriteLock(lockOfRound(i)).writeLock.acquire();
      const entering = Promise.all(workers.map(async (worker) => await worker.round()));
      // All have asked, subscribed and asked again.
      await sleep(700);
      const commands = await counter.during(async () => {
        const startedAt = performance.now();
        await writing.release();
        await entering;
        times.push(performance.now() - startedAt);
      });
      // One of them is the writer's release.
      costs.push((commands - 1) / PROCESSES);
    }
    workers.forEach((worker) => worker.end());
    await Promise.all([client.close(), counter.close()]);
    const worst = Math.max(...costs);
    return [
      {
        figure: '1,000 readers of 4 processes let in: scripts per process',
        target: { is: '<=', limit: 3 },
        value: worst,
        measured: `${median(costs)}, at worst ${worst}, in ${median(times).toFixed(1)} ms`,
        details: { costs, times },
      },
    ];
  },
};
