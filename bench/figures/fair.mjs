// @ts-check
// What a grant of a fair lock costs the server, by the length of its queue.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../dist/index.js';
import { BenchWorker } from '../lib/bench-worker.mjs';
import { CommandCounter } from '../lib/commands.mjs';
import { interleave, ratioOf } from '../lib/stats.mjs';

const FEW = 10;
const MANY = 1_000;
const PROCESSES = 2;

/** @typedef {{ perGrantUs: number }} Served */

/**
 * A queue of constant length. It is served only during a round: between rounds the lock is held.
 * @param {import('./index.mjs').Bench} bench
 * @param {CommandCounter} counter
 * @param {number} waiters
 */
async function createQueue({ url, keyPrefix, quick }, counter, waiters) {
  const client = createClient({ redis: url, keyPrefix });
  const name = `queue:${waiters}`;
  const lock = client.getFairLock(name);
  let hold = await lock.acquire();
  const options = { url, keyPrefix, name, waiters: waiters / PROCESSES };
  /** @type {Promise<BenchWorker<import('../tasks/queue.mjs').QueueRound>>[]} */
  const starting = Array.from({ length: PROCESSES }, () => BenchWorker.start('queue', options));
  const workers = await Promise.all(starting);
  while ((await counter.lengthOf(`redisson_lock_queue:{${keyPrefix}${name}}`)) < waiters) {
    await sleep(20);
  }
  const grants = async () => {
    const rounds = await Promise.all(workers.map(async (worker) => await worker.round()));
    return rounds.reduce((sum, round) => sum + round.grants, 0);
  };
  return {
    /** @returns {Promise<Served>} */
    async round() {
      const [spent, served] = [await counter.scriptMicroseconds(), await grants()];
      await hold.release();
      await sleep(quick ? 300 : 500);
      // It waits for its turn like everybody else.
      hold = await lock.acquire();
      const us = (await counter.scriptMicroseconds()) - spent;
      return { perGrantUs: us / ((await grants()) - served + 1) };
    },
    async end() {
      workers.forEach((worker) => worker.end());
      await client.close();
    },
  };
}

/** @type {import('./index.mjs').Figure} */
export const fair = {
  id: 'fair',
  title: `a fair lock with ${FEW} and with ${MANY} queued waiters`,
  async measure(bench) {
    const counter = new CommandCounter(bench.url);
    const many = await createQueue(bench, counter, MANY);
    const few = await createQueue(bench, counter, FEW);
    await interleave(many, few, 1);
    const quads = await interleave(many, few, bench.quick ? 2 : 5);
    await Promise.all([many.end(), few.end(), counter.close()]);
    const { median, low, high, ours, bare } = ratioOf(quads, (round) => round.perGrantUs);
    const [middle, from, to] = [median, low, high].map((each) => each.toFixed(2));
    return [
      {
        figure: 'fair lock: server time per grant, 1,000 queued by 10 queued',
        target: { is: '<=', limit: 2 },
        value: median,
        measured: `${middle} (${from} to ${to}): ${ours.toFixed(0)} us / ${bare.toFixed(0)} us`,
        details: { median, low, high, manyUs: ours, fewUs: bare },
      },
    ];
  },
};
