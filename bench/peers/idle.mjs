// @ts-check
// What a thousand held locks and a thousand waiters cost while nothing happens.
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchWorker } from '../lib/bench-worker.mjs';
import { CommandCounter } from '../lib/commands.mjs';

/** @typedef {import('../tasks/idle.mjs').IdleOptions} IdleOptions */

const COUNT = 1_000;

/** Short, so that all renew several times while it is measured. */
const LEASE_MS = 3_000;

/** The others renew nothing that was acquired so; of those who wait each polls. */
const SIDES = /** @type {const} */ ({
  holds: ['ours', 'redis-semaphore'],
  waits: ['ours', 'redis-semaphore', 'redlock 4', 'redlock 5'],
});

/** How redis-semaphore asks; the scripts of no other side here call that. */
const ALSO_COUNTED = new Map([['redis-semaphore', 'set']]);

/**
 * @param {import('../figures/index.mjs').Bench} bench
 * @param {IdleOptions['what']} what
 * @param {IdleOptions['side']} side
 * @returns {Promise<number>} commands a second
 */
async function commandsOf({ url, keyPrefix }, what, side) {
  /** @type {IdleOptions} */
  const options = { url, keyPrefix, side, what, count: COUNT, leaseMs: LEASE_MS };
  const worker = await BenchWorker.start('idle', options);
  const counter = new CommandCounter(url, ALSO_COUNTED.get(side));
  await worker.round();
  // All have asked and renewed once by then, and those who have to listen do.
  await sleep(LEASE_MS);
  // Whole periods of all of them: they renew every 1 and every 2.4 s.
  const seconds = 12;
  const commands = await counter.during(() => sleep(seconds * 1_000));
  worker.end();
  await counter.close();
  return commands / seconds;
}

/**
 * @param {import('../figures/index.mjs').Bench} bench
 * @returns {Promise<import('../lib/report.mjs').Row[]>}
 */
export async function idle(bench) {
  const rows = [];
  for (const what of /** @type {const} */ (['holds', 'waits'])) {
    const of = what === 'holds' ? '1,000 held locks' : '1,000 waiters for one lock';
    const chart = {
      title: `${of}, leases of ${LEASE_MS / 1_000} s: commands a second`,
      hint: 'Less is better.',
      label: 'commands a second',
      isLessBetter: true,
    };
    for (const side of SIDES[what]) {
      process.stderr.write(`  ${of}: ${side}\n`);
      const amount = await commandsOf(bench, what, side);
      rows.push({
        figure: `${of}, leases of ${LEASE_MS / 1_000} s, commands a second: ${side}`,
        value: amount,
        measured: amount.toFixed(1),
        details: { chart, name: side, amount },
      });
    }
  }
  return rows;
}
