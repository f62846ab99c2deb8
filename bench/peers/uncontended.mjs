// @ts-check
// Locks that nobody else wants.
import { BenchWorker } from '../lib/bench-worker.mjs';
import { PEERS } from '../lib/peers.mjs';
import { median } from '../lib/stats.mjs';

/** @typedef {import('../figures/index.mjs').Bench} Bench */
/** @typedef {import('../lib/report.mjs').Row} Row */
/** @typedef {import('../tasks/cycles.mjs').CyclesRound} CyclesRound */

/** How many locks are taken at the same time. */
const LOOPS = [1, 100, 1_000];

const PAIR = /** @type {const} */ ('SET NX and script');

/**
 * @param {Bench} bench
 * @returns {Promise<Row[]>}
 */
export async function uncontended(bench) {
  const rows = [];
  for (const loops of LOOPS) {
    process.stderr.write(`  ${locks(loops)} at a time\n`);
    rows.push(...(await atATime(bench, loops)));
  }
  return rows;
}

/** @param {number} loops */
function locks(loops) {
  return loops === 1 ? '1 lock' : `${loops.toLocaleString('en')} locks`;
}

/**
 * Each in a process of its own; they take turns.
 * @param {Bench} bench
 * @param {number} loops
 * @returns {Promise<Row[]>}
 */
async function atATime({ url, keyPrefix, quick }, loops) {
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
  const pair = sides.indexOf(PAIR);
  return sides.map((side, at) => {
    /** @param {(round: CyclesRound) => number} figure */
    const byPair = (figure) =>
      median(rounds.map((round) => figureOf(round, at, figure) / figureOf(round, pair, figure)));
    /** @param {(round: CyclesRound) => number} figure */
    const own = (figure) => median(rounds.map((round) => figureOf(round, at, figure)));
    const [p50, cpu, rate] = [
      byPair((round) => round.p50Us),
      byPair((round) => round.cpuUs),
      byPair((round) => round.perSecond),
    ];
    const shown = `${own((round) => round.perSecond).toFixed(0)}/s, CPU ${own((round) => round.cpuUs).toFixed(1)} us`;
    return {
      figure: `${locks(loops)} at a time: ${side} by ${PAIR}`,
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
