// @ts-check
// Locks of other libraries, side by side with latchkey's in one run.
import { BenchWorker } from '../lib/bench-worker.mjs';
import { contest } from '../lib/contention.mjs';
import { PEERS } from '../lib/peers.mjs';
import { buildRedisson } from '../lib/redisson.mjs';
import { median } from '../lib/stats.mjs';

/** @typedef {import('./index.mjs').Bench} Bench */
/** @typedef {import('../lib/report.mjs').Row} Row */
/** @typedef {import('../tasks/cycles.mjs').CyclesRound} CyclesRound */

/** How many locks that nobody else wants are taken at the same time. */
const LOOPS = [1, 100, 1_000];

/** Processes, waiters in each, and how long each has the lock.
 * @type {readonly (readonly [number, number, number])[]} */
const SHAPES = [
  [1, 100, 0],
  [2, 50, 0],
  [4, 25, 0],
  [2, 1, 0],
  [4, 1, 0],
  [4, 25, 5],
];

/** @type {readonly import('../lib/contenders.mjs').Contender[]} */
const CONTENDERS = [
  'direct',
  'fair',
  'queue',
  'polling',
  'redis-semaphore',
  'redlock 4',
  'redlock 5',
];

const PAIR = 'SET NX and script';

/**
 * Each in a process of its own; they take turns.
 * @param {Bench} bench
 * @param {number} loops
 * @returns {Promise<Row[]>}
 */
async function uncontended({ url, keyPrefix, quick }, loops) {
  const sides = /** @type {const} */ (['ours', ...PEERS]);
  // Until the code of all of them is the optimised one: with 20,000 the first rounds still get faster.
  const warmUps = loops === 1 ? 20_000 : 200_000;
  const amount = quick ? { warmUps: 5_000, ms: 100 } : { warmUps, ms: 400 };
  const options = { url, keyPrefix, kind: 'lock', loops, ...amount };
  /** @type {BenchWorker<CyclesRound>[]} */
  const workers = await Promise.all(
    sides.map(async (side) => await BenchWorker.start('cycles', { ...options, side })),
  );
  /** @type {CyclesRound[][]} */
  const rounds = [];
  for (let i = 0; i < (quick ? 3 : 9); i++) {
    const round = [];
    for (const worker of workers) {
      round.push(await worker.round());
    }
    rounds.push(round);
  }
  workers.forEach((worker) => worker.end());
  return sides.map((side, at) => {
    /** @param {(round: CyclesRound) => number} figure */
    const byPair = (figure) =>
      median(rounds.map((round) => figureOf(round, at, figure) / figureOf(round, 1, figure)));
    /** @param {(round: CyclesRound) => number} figure */
    const own = (figure) => median(rounds.map((round) => figureOf(round, at, figure)));
    const [p50, cpu, rate] = [
      byPair((round) => round.p50Us),
      byPair((round) => round.cpuUs),
      byPair((round) => round.perSecond),
    ];
    const shown = `${own((round) => round.perSecond).toFixed(0)}/s, CPU ${own((round) => round.cpuUs).toFixed(1)} us`;
    return {
      figure: `${loops} locks at a time: ${side} by ${PAIR}`,
      value: cpu,
      measured: `p50 ${p50.toFixed(2)}, CPU ${cpu.toFixed(2)}, cycles a second ${rate.toFixed(2)}: ${shown}`,
      details: { side, loops, p50, cpu, rate },
    };
  });
}

/**
 * @param {readonly CyclesRound[]} round
 * @param {number} at
 * @param {(round: CyclesRound) => number} figure
 */
function figureOf(round, at, figure) {
  const one = round[at];
  return one === undefined ? Number.NaN : figure(one);
}

/**
 * @param {Bench} bench
 * @param {readonly [number, number, number]} shape
 * @param {readonly import('../lib/contenders.mjs').Contender[]} contenders
 * @returns {Promise<Row[]>}
 */
async function contended(bench, [processes, tasks, holdMs], contenders) {
  const rounds = bench.quick
    ? { count: 1, ms: 500, warmUpMs: 1_000 }
    : { count: 5, ms: 1_000, warmUpMs: 5_000 };
  const shape = { kind: /** @type {const} */ ('lock'), permits: 1, processes, tasks, holdMs };
  const contests = await contest(bench, { ...shape, isChecked: true }, rounds, contenders);
  const [ours] = contests;
  return contests.map(({ contender, perSecond, jain, longestMs, overlaps, rates }) => {
    const value = median(rates.map((rate, i) => (ours?.rates[i] ?? Number.NaN) / rate));
    const section = holdMs === 0 ? '' : `, sections of ${holdMs} ms`;
    return {
      figure: `one lock, ${processes} x ${tasks} waiters${section}: ${contender}`,
      value,
      measured: `${perSecond.toFixed(0)}/s, Jain ${jain.toFixed(3)}, longest wait ${longestMs.toFixed(0)} ms, overlaps ${overlaps}; latchkey is ${value.toFixed(2)} times as fast`,
      details: { contender, processes, tasks, holdMs, perSecond, jain, longestMs, overlaps, rates },
    };
  });
}

/** @type {import('./index.mjs').Figure} */
export const peers = {
  id: 'peers',
  title: 'beside other libraries',
  async measure(bench) {
    const hasJava = await buildRedisson();
    if (!hasJava) {
      process.stderr.write('  without Redisson: there is no JDK, or no Maven\n');
    }
    const rows = [];
    for (const loops of LOOPS) {
      process.stderr.write(`  ${loops} locks at a time\n`);
      rows.push(...(await uncontended(bench, loops)));
    }
    const contenders = hasJava ? [...CONTENDERS, /** @type {const} */ ('Redisson')] : CONTENDERS;
    for (const shape of SHAPES) {
      process.stderr.write(
        `  ${shape[1]} waiters in each of ${shape[0]} processes, ${shape[2]} ms\n`,
      );
      rows.push(...(await contended(bench, shape, contenders)));
    }
    return rows;
  },
};
