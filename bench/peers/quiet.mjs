// @ts-check
// How long a lock takes from one process to the other that waits, when nothing else happens.
import { handOvers } from '../figures/quiet.mjs';
import { median } from '../lib/stats.mjs';

/** The pair of commands does not wait. */
const WAYS = /** @type {const} */ ([
  'direct',
  'messages',
  'redis-semaphore',
  'redlock 4',
  'redlock 5',
]);

const CHART = {
  title: 'A lock that changes hands now and then: time from one process to the other',
  hint: 'Less is better; "messages" is one message of Redis from the one to the other.',
  label: 'ms',
  isLessBetter: true,
};

/**
 * @param {import('../figures/index.mjs').Bench} bench
 * @returns {Promise<import('../lib/report.mjs').Row[]>}
 */
export async function quiet(bench) {
  process.stderr.write('  a lock that changes hands now and then\n');
  const teams = await handOvers(bench, WAYS);
  return teams.map(({ way, p50s }) => {
    const amount = median(p50s) / 1_000;
    return {
      figure: `quiet hand-over between two processes, p50: ${way}`,
      value: amount,
      measured: `${amount.toFixed(2)} ms`,
      details: { chart: CHART, name: way, amount, p50s },
    };
  });
}
