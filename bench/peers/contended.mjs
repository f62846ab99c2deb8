// @ts-check
// One object that many want.
import { contest } from '../lib/contention.mjs';
import { median } from '../lib/stats.mjs';

/** @typedef {import('../figures/index.mjs').Bench} Bench */
/** @typedef {import('../lib/report.mjs').Row} Row */
/** @typedef {import('../lib/contenders.mjs').Contender} Contender */

/** Processes, waiters in each, and how long each has the lock.
 * @type {readonly (readonly [number, number, number])[]} */
const SHAPES = [
  [1, 25, 0],
  [1, 100, 0],
  [1, 250, 0],
  ...[2, 4, 8].flatMap((processes) =>
    [1, 25, 250].map((tasks) => /** @type {const} */ ([processes, tasks, 0])),
  ),
  [2, 1, 5],
  [1, 25, 5],
  [4, 25, 5],
  [8, 25, 5],
];

/** With more of them the memory of a small machine does not last. */
const JAVA_PROCESSES_MAX = 4;

/** @type {readonly Contender[]} */
const CONTENDERS = [
  'direct',
  'fair',
  'queue',
  'polling',
  'redis-semaphore',
  'redlock 4',
  'redlock 5',
];

/**
 * @typedef {Omit<import('../lib/contention.mjs').Shape, 'isChecked'>} Shape
 *
 * @param {Bench} bench
 * @param {string} what
 * @param {Shape} shape
 * @param {readonly Contender[]} contenders
 * @returns {Promise<Row[]>}
 */
async function compare(bench, what, shape, contenders) {
  const { processes, tasks, holdMs } = shape;
  process.stderr.write(`  ${what}: ${tasks} in each of ${processes} processes, ${holdMs} ms\n`);
  const rounds = bench.quick
    ? { count: 1, ms: 500, warmUpMs: 500 }
    : { count: 3, ms: 1_000, warmUpMs: 3_000 };
  const contests = await contest(bench, { ...shape, isChecked: true }, rounds, contenders);
  const [ours] = contests;
  return contests.map(({ contender, perSecond, jain, longestMs, overlaps, rates }) => {
    const value = median(rates.map((rate, i) => (ours?.rates[i] ?? Number.NaN) / rate));
    const section = holdMs === 0 ? '' : `, sections of ${holdMs} ms`;
    // Of a semaphore several are in at once.
    const checked = shape.permits === 1 ? `, overlaps ${overlaps}` : '';
    return {
      figure: `${what}, ${processes} x ${tasks} waiters${section}: ${contender}`,
      value,
      measured: `${perSecond.toFixed(0)}/s, Jain ${jain.toFixed(3)}, longest wait ${longestMs.toFixed(0)} ms${checked}; redlatch is ${value.toFixed(2)} times as fast`,
      details: { what, contender, ...shape, perSecond, jain, longestMs, overlaps, rates },
    };
  });
}

/**
 * @param {Bench} bench
 * @param {boolean} hasJava
 * @returns {Promise<Row[]>}
 */
export async function contendedLocks(bench, hasJava) {
  const rows = [];
  for (const [processes, tasks, holdMs] of SHAPES) {
    const shape = { kind: /** @type {const} */ ('lock'), permits: 1, processes, tasks, holdMs };
    const withJava = hasJava && processes <= JAVA_PROCESSES_MAX;
    const all = withJava ? [...CONTENDERS, /** @type {const} */ ('Redisson')] : CONTENDERS;
    rows.push(...(await compare(bench, 'one lock', shape, all)));
  }
  return rows;
}

/**
 * Ten permits, which two hundred want for a moment.
 * @param {Bench} bench
 * @returns {Promise<Row[]>}
 */
export async function semaphores(bench) {
  const rows = [];
  for (const processes of [1, 4]) {
    const tasks = 200 / processes;
    const kind = /** @type {const} */ ('semaphore');
    const shape = { kind, permits: 10, processes, tasks, holdMs: 2 };
    const all = /** @type {const} */ (['direct', 'permits', 'queue', 'redis-semaphore']);
    rows.push(...(await compare(bench, 'ten permits', shape, all)));
  }
  return rows;
}

/**
 * A read-write lock that nine of ten only read.
 * @param {Bench} bench
 * @param {boolean} hasJava
 * @returns {Promise<Row[]>}
 */
export async function readWriteLocks(bench, hasJava) {
  const kind = /** @type {const} */ ('read-write lock');
  const shape = { kind, permits: 1, processes: 4, tasks: 25, holdMs: 2, readers: 90 };
  /** @type {readonly Contender[]} */
  const all = hasJava ? ['direct', 'Redisson'] : ['direct'];
  return await compare(bench, 'a read-write lock, 90 of 100 read', shape, all);
}
