// @ts-check
// One lock that changes hands as fast as it can: inside a process, and between processes. Latchkey in
// each of its ways, beside a strict queue in Lua without leases, and beside bare polling.
import { contest } from '../lib/contention.mjs';
import { median } from '../lib/stats.mjs';

/** @type {readonly import('../lib/contenders.mjs').Contender[]} */
const CONTENDERS = ['direct', 'strict', 'race', 'queue', 'polling'];

/** Processes, tasks of each, and how many times as fast as the queue it has to be.
 * @type {readonly (readonly [number, number, number])[]} */
const SHAPES = [
  [1, 100, 6],
  [2, 50, 6],
  [4, 25, 6],
  [2, 1, 0.8],
  [4, 1, 0.8],
];

/** @param {import('../lib/contention.mjs').Contest} contest */
function words({ contender, perSecond, commandsEach, jain, longestMs }) {
  const counts = `${perSecond.toFixed(0)}/s, ${commandsEach.toFixed(2)} commands each`;
  return `${contender} ${counts}, Jain ${jain.toFixed(3)}, longest wait ${longestMs.toFixed(0)} ms`;
}

/**
 * @param {import('./index.mjs').Bench} bench
 * @param {readonly [number, number, number]} shape
 * @returns {Promise<import('../lib/report.mjs').Row>}
 */
async function compare(bench, [processes, tasks, limit]) {
  const rounds = bench.quick ? { count: 1, ms: 300 } : { count: 5, ms: 500 };
  const shape = /** @type {const} */ ({ kind: 'lock', permits: 1, processes, tasks, holdMs: 0 });
  const contests = await contest(bench, shape, rounds, CONTENDERS);
  const [direct, , , queue] = contests;
  if (direct === undefined || queue === undefined) {
    throw new Error('two contenders are compared');
  }
  // Of each turn, so that a drift of the machine hits both alike.
  const value = median(direct.rates.map((rate, i) => rate / (queue.rates[i] ?? Number.NaN)));
  return {
    figure: `hand-over, ${tasks} waiters in each of ${processes} processes: direct by the Lua queue`,
    target: { is: '>=', limit },
    value,
    measured: `${value.toFixed(2)}: ${contests.map(words).join('; ')}`,
    details: { contests },
  };
}

/** @type {import('./index.mjs').Figure} */
export const contended = {
  id: 'contended',
  title: 'one lock that changes hands',
  async measure(bench) {
    const rows = [];
    for (const shape of SHAPES) {
      process.stderr.write(`  ${shape[1]} waiters in each of ${shape[0]} processes\n`);
      rows.push(await compare(bench, shape));
    }
    return rows;
  },
};
