// @ts-check
// One lock that changes hands as fast as it can: inside a process, and between processes.
import { BenchWorker } from '../lib/bench-worker.mjs';
import { CommandCounter } from '../lib/commands.mjs';
import { median } from '../lib/stats.mjs';

/**
 * @param {import('./index.mjs').Bench} bench
 * @param {{ processes: number, tasks: number }} shape
 * @returns {Promise<import('../lib/report.mjs').Row>}
 */
async function contend({ url, keyPrefix, quick }, { processes, tasks }) {
  const options = { url, keyPrefix, tasks, ms: quick ? 500 : 1_500 };
  /** @type {Promise<BenchWorker<import('../tasks/contend.mjs').ContendRound>>[]} */
  const starting = Array.from({ length: processes }, () => BenchWorker.start('contend', options));
  const workers = await Promise.all(starting);
  const counter = new CommandCounter(url);
  const rates = [];
  const costs = [];
  // The first round is the warm-up.
  for (let i = 0; i <= (quick ? 1 : 3); i++) {
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
  const where = processes > 1 ? `${processes} processes` : `${tasks} tasks of one process`;
  const cost = `${median(costs).toFixed(2)} commands each`;
  return {
    figure: `hand-over between ${where}`,
    value: median(rates),
    measured: `${median(rates).toFixed(0)} acquisitions/s, ${cost}`,
    details: { commandsPerAcquisition: median(costs) },
  };
}

/** @type {import('./index.mjs').Figure} */
export const contended = {
  id: 'contended',
  title: 'one lock that changes hands',
  measure: async (bench) => [
    await contend(bench, { processes: 1, tasks: 8 }),
    await contend(bench, { processes: 4, tasks: 1 }),
  ],
};
