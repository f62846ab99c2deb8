// @ts-check
// One lock that changes hands as fast as it can: inside a process, and between processes. Redlatch in
// each of its ways, beside a strict queue in Lua without leases, and beside bare polling.
import { byQueue, contest } from '../lib/contention.mjs';

/** @type {readonly import('../lib/contenders.mjs').Contender[]} */
const CONTENDERS = ['direct', 'strict', 'write', 'fair', 'queue', 'polling'];

/** Sections of so many ms are no slower than with the queue: to pass a lock on saves nothing there. */
const SECTION_MS = 5;

/** How many times as fast as the queue a fair lock has to be. */
const FAIR = 0.7;

/** Processes, tasks of each, and how many times as fast as the queue it has to be.
 * @type {readonly (readonly [number, number, number])[]} */
const SHAPES = [
  [1, 100, 6],
  [2, 50, 6],
  [4, 25, 6],
  [2, 1, 0.8],
  [4, 1, 0.8],
];

/**
 * @param {import('./index.mjs').Bench} bench
 * @param {readonly [number, number, number]} shape
 * @returns {Promise<import('../lib/report.mjs').Row[]>}
 */
async function compare(bench, [processes, tasks, limit]) {
  // A process whose turn comes a thousand times a second is fast only after some seconds.
  const rounds = bench.quick
    ? { count: 1, ms: 300, warmUpMs: 300 }
    : { count: 5, ms: 500, warmUpMs: processes > 1 ? 7_000 : 500 };
  const shape = /** @type {const} */ ({ kind: 'lock', permits: 1, processes, tasks, holdMs: 0 });
  const contests = await contest(bench, shape, rounds, CONTENDERS);
  return byQueue(contests).map(
    ({ contender, value, perSecond, commandsEach, jain, longestMs, rates }) => {
      const counts = `${perSecond.toFixed(0)}/s, ${commandsEach.toFixed(2)} commands each`;
      return {
        figure: `one lock, ${processes} x ${tasks} waiters: ${contender} by the Lua queue`,
        ...targetOf(contender, limit),
        value,
        measured: `${value.toFixed(2)}: ${counts}, Jain ${jain.toFixed(3)}, longest wait ${longestMs.toFixed(0)} ms`,
        details: { contender, processes, tasks, perSecond, commandsEach, jain, longestMs, rates },
      };
    },
  );
}

/**
 * @param {import('./index.mjs').Bench} bench
 * @returns {Promise<import('../lib/report.mjs').Row[]>}
 */
async function sections(bench) {
  const rounds = bench.quick
    ? { count: 1, ms: 500, warmUpMs: 300 }
    : { count: 5, ms: 1_000, warmUpMs: 2_000 };
  const kind = /** @type {const} */ ('lock');
  const shape = { kind, permits: 1, processes: 4, tasks: 25, holdMs: SECTION_MS };
  const contests = await contest(bench, shape, rounds, ['direct', 'strict', 'queue']);
  return byQueue(contests).map(({ contender, value, perSecond, jain, longestMs, rates }) => {
    return {
      figure: `sections of ${SECTION_MS} ms, 4 x 25 waiters: ${contender} by the Lua queue`,
      ...(contender === 'direct' ? { target: { is: '>=', limit: 1 } } : {}),
      value,
      measured: `${value.toFixed(2)}: ${perSecond.toFixed(0)}/s, Jain ${jain.toFixed(3)}, longest wait ${longestMs.toFixed(0)} ms`,
      details: { contender, perSecond, jain, longestMs, rates },
    };
  });
}

/**
 * @param {import('../lib/contenders.mjs').Contender} contender
 * @param {number} limit of the lock that is passed on
 * @returns {Pick<import('../lib/report.mjs').Row, 'target'>}
 */
function targetOf(contender, limit) {
  if (contender === 'direct' || contender === 'write') {
    return { target: { is: '>=', limit } };
  }
  return contender === 'fair' ? { target: { is: '>=', limit: FAIR } } : {};
}

/** @type {import('./index.mjs').Figure} */
export const contended = {
  id: 'contended',
  title: 'one lock that changes hands',
  async measure(bench) {
    const rows = [];
    for (const shape of SHAPES) {
      process.stderr.write(`  ${shape[1]} waiters in each of ${shape[0]} processes\n`);
      rows.push(...(await compare(bench, shape)));
    }
    process.stderr.write(`  sections of ${SECTION_MS} ms\n`);
    rows.push(...(await sections(bench)));
    return rows;
  },
};
