// @ts-check
// One object that changes hands between the tasks of some processes.
import { BenchWorker } from './bench-worker.mjs';
import { CommandCounter } from './commands.mjs';
import { median } from './stats.mjs';

/**
 * @typedef {object} Shape
 * @property {import('./kinds.mjs').Kind} kind
 * @property {number} permits of a semaphore
 * @property {number} processes
 * @property {number} tasks of each process
 * @property {number} holdMs
 */

/**
 * @param {import('../figures/index.mjs').Bench} bench
 * @param {Shape} shape
 * @param {{ count: number, ms: number }} rounds
 * @returns {Promise<{ perSecond: number, commandsEach: number }>} medians of the rounds
 */
export async function contendedRounds({ url, keyPrefix }, { processes, ...shape }, { count, ms }) {
  const name = `contended:${shape.kind}:${processes}:${shape.holdMs}`;
  const options = { url, keyPrefix, name, ...shape, ms };
  /** @type {Promise<BenchWorker<import('../tasks/contend.mjs').ContendRound>>[]} */
  const starting = Array.from({ length: processes }, () => BenchWorker.start('contend', options));
  const workers = await Promise.all(starting);
  const counter = new CommandCounter(url);
  const rates = [];
  const costs = [];
  // The first round is the warm-up.
  for (let i = 0; i <= count; i++) {
    let acquisitions = 0;
    let seconds = 0;
    const commands = await counter.during(async () => {
      const rounds = await Promise.all(workers.map(async (worker) => await worker.round()));
      acquisitions = rounds.reduce((sum, round) => sum + round.acquisitions, 0);
      seconds = Math.max(...rounds.map((round) => round.seconds));
    });
    if (i > 0) {
      rates.push(acquisitions / seconds);
      costs.push(commands / acquisitions);
    }
  }
  workers.forEach((worker) => worker.end());
  await counter.close();
  return { perSecond: median(rates), commandsEach: median(costs) };
}
