// @ts-check
// Ten permits and many who want one for a moment, beside a strict queue in Lua without leases.
import { byQueue, contest } from '../lib/contention.mjs';

/** The permit-expirable semaphore is `permits`. */
const CONTENDERS = /** @type {const} */ (['direct', 'permits', 'queue']);

const PERMITS = 10;
const HOLD_MS = 2;

/** Processes, tasks of each, and how many times as fast as the queue a semaphore has to be.
 * @type {readonly (readonly [number, number, number])[]} */
const SHAPES = [
  [1, 200, 0.92],
  [4, 50, 0.81],
];

/**
 * @param {import('./index.mjs').Bench} bench
 * @param {readonly [number, number, number]} shape
 * @returns {Promise<import('../lib/report.mjs').Row[]>}
 */
async function compare(bench, [processes, tasks, limit]) {
  const rounds = bench.quick
    ? { count: 1, ms: 300, warmUpMs: 300 }
    : { count: 5, ms: 1_000, warmUpMs: 6_000 };
  const kind = /** @type {const} */ ('semaphore');
  const shape = { kind, permits: PERMITS, processes, tasks, holdMs: HOLD_MS };
  const contests = await contest(bench, shape, rounds, CONTENDERS);
  return byQueue(contests).map(
    ({ contender, value, perSecond, commandsEach, jain, longestMs, rates }) => {
      const what = contender === 'direct' ? kind : contender;
      return {
        figure: `${PERMITS} permits for ${HOLD_MS} ms, ${processes} x ${tasks} waiters: ${what} by the Lua queue`,
        ...(contender === 'direct' ? { target: { is: '>=', limit } } : {}),
        value,
        measured: `${value.toFixed(2)}: ${perSecond.toFixed(0)}/s, ${commandsEach.toFixed(2)} commands each, Jain ${jain.toFixed(3)}, longest wait ${longestMs.toFixed(0)} ms`,
        details: { contender, processes, tasks, perSecond, commandsEach, jain, longestMs, rates },
      };
    },
  );
}

/** @type {import('./index.mjs').Figure} */
export const permits = {
  id: 'permits',
  title: 'permits that change hands',
  async measure(bench) {
    const rows = [];
    for (const shape of SHAPES) {
      process.stderr.write(`  ${shape[1]} waiters in each of ${shape[0]} processes\n`);
      rows.push(...(await compare(bench, shape)));
    }
    return rows;
  },
};
