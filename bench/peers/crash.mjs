// @ts-check
// How long a waiter waits when whoever has the lock is killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchWorker } from '../lib/bench-worker.mjs';
import { median } from '../lib/stats.mjs';

/** @typedef {import('../tasks/wait.mjs').WaitRound} WaitRound */

const LEASE_MS = 2_000;

/** The pair of commands does not wait. */
const SIDES = /** @type {const} */ (['ours', 'redis-semaphore', 'redlock 4', 'redlock 5']);

const CHART = {
  title: `Whoever has the lock is killed: time until the next one has it, leases of ${LEASE_MS / 1_000} s`,
  hint: 'Less is better. It is killed a second after it got the lock; redlatch has renewed its lease by then.',
  label: 'ms',
  isLessBetter: true,
};

/**
 * @param {import('../figures/index.mjs').Bench} bench
 * @param {(typeof SIDES)[number]} side
 * @param {number} round
 * @returns {Promise<number>} milliseconds from the kill to the next grant
 */
async function afterKill({ url, keyPrefix }, side, round) {
  const options = { url, keyPrefix, side, name: `crash:${side}:${round}`, leaseMs: LEASE_MS };
  const both = await Promise.all(
    [0, 1].map(async () => {
      /** @type {BenchWorker<WaitRound>} */
      const worker = await BenchWorker.start('wait', options);
      return worker;
    }),
  );
  const [holder, waiter] = /** @type {[BenchWorker<WaitRound>, BenchWorker<WaitRound>]} */ (both);
  await holder.round();
  const granted = waiter.round();
  // It waits by then, and the lease of the holder was renewed, where it is.
  await sleep(LEASE_MS / 2);
  const killedAt = Number(process.hrtime.bigint()) / 1e6;
  holder.kill();
  const { grantedAt } = await granted;
  waiter.end();
  return grantedAt - killedAt;
}

/**
 * @param {import('../figures/index.mjs').Bench} bench
 * @returns {Promise<import('../lib/report.mjs').Row[]>}
 */
export async function crash(bench) {
  const rows = [];
  for (const side of SIDES) {
    process.stderr.write(`  whoever has the lock is killed: ${side}\n`);
    const times = [];
    for (let round = 0; round < (bench.quick ? 1 : 5); round++) {
      times.push(await afterKill(bench, side, round));
    }
    const amount = median(times);
    rows.push({
      figure: `ms until the next one has a lock whose holder is killed, leases of ${LEASE_MS / 1_000} s: ${side}`,
      value: amount,
      measured: `${amount.toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`,
      details: { chart: CHART, name: side, amount, times },
    });
  }
  return rows;
}
