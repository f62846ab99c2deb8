// @ts-check
// Several names at once: free ones beside a single lock, and random sets that overlap beside nested locks.
import { createClient } from '../../dist/index.js';
import { BenchWorker } from '../lib/bench-worker.mjs';
import { CommandCounter } from '../lib/commands.mjs';
import { ratioRow, us } from '../lib/report.mjs';
import { interleave, ratioOf } from '../lib/stats.mjs';

/** @typedef {import('./index.mjs').Bench} Bench */
/** @typedef {import('../lib/report.mjs').Row} Row */
/** @typedef {import('../lib/report.mjs').Target} Target */
/** @typedef {import('../tasks/cycles.mjs').CyclesOptions} CyclesOptions */
/** @typedef {import('../tasks/cycles.mjs').CyclesRound} CyclesRound */
/** @typedef {import('../tasks/sets.mjs').SetsRound} SetsRound */

/** How many free names, and how many times as long as a single lock they may take.
 * @type {readonly (readonly [number, number])[]} */
const FREE = [
  [2, 1.3],
  [10, 1.8],
  [100, 8],
];

const CYCLES = 20;

/** How long each set is held, and how many times as many sets a second as with nested locks there have to be.
 * @type {readonly (readonly [number, number])[]} */
const SETS = [
  [0, 2],
  [2, 1.15],
];

const PROCESSES = 4;

/**
 * @param {Bench} bench
 * @param {number} names
 * @returns {Promise<Row>}
 */
async function countCommands({ url, keyPrefix }, names) {
  const [counter, client] = [new CommandCounter(url), createClient({ redis: url, keyPrefix })];
  const lock = client.getMultiLock(Array.from({ length: names }, (_, i) => `counted:${i}`));
  const cycle = async () => await lock.using(() => {});
  await cycle();
  const sent = await counter.during(async () => {
    for (let i = 0; i < CYCLES; i++) {
      await cycle();
    }
  });
  await Promise.all([client.close(), counter.close()]);
  const each = sent / CYCLES;
  const figure = `multi-lock of ${names} free names: commands per acquire + release`;
  return { figure, target: { is: '=', limit: 2 }, value: each, measured: String(each) };
}

/**
 * @param {CyclesOptions} options
 * @returns {Promise<BenchWorker<CyclesRound>>}
 */
async function startCycles(options) {
  return await BenchWorker.start('cycles', options);
}

/**
 * @param {Bench} bench
 * @param {readonly [number, number]} shape
 * @returns {Promise<Row>}
 */
async function besideOne({ url, keyPrefix, quick }, [names, limit]) {
  /** @type {CyclesOptions} */
  const single = {
    url,
    keyPrefix,
    side: 'ours',
    kind: 'lock',
    loops: 1,
    warmUps: quick ? 2_000 : 5_000,
    ms: quick ? 50 : 100,
  };
  const [several, one] = await Promise.all([
    startCycles({ ...single, names }),
    startCycles(single),
  ]);
  const quads = await interleave(several, one, quick ? 6 : 24);
  several.end();
  one.end();
  const latency = ratioOf(quads, (round) => round.p50Us);
  const figure = `multi-lock of ${names} free names by one lock: p50 latency`;
  return ratioRow(figure, latency, us, { is: '<=', limit });
}

/** Processes that take turns with others. */
class Team {
  /** @type {BenchWorker<SetsRound>[]} */
  #workers;

  /** @param {BenchWorker<SetsRound>[]} workers */
  constructor(workers) {
    this.#workers = workers;
  }

  /** @param {import('../tasks/sets.mjs').SetsOptions} options */
  static async start(options) {
    /** @type {() => Promise<BenchWorker<SetsRound>>} */
    const start = async () => await BenchWorker.start('sets', options);
    return new Team(await Promise.all(Array.from({ length: PROCESSES }, start)));
  }

  /** All at the same time. @returns {Promise<SetsRound>} */
  async round() {
    const rounds = await Promise.all(this.#workers.map(async (worker) => await worker.round()));
    return { perSecond: rounds.reduce((sum, { perSecond }) => sum + perSecond, 0) };
  }

  end() {
    this.#workers.forEach((worker) => worker.end());
  }
}

/**
 * @param {Bench} bench
 * @param {readonly [number, number]} shape
 * @returns {Promise<Row>}
 */
async function besideNested({ url, keyPrefix, quick }, [holdMs, limit]) {
  const options = {
    url,
    keyPrefix: `${keyPrefix}${holdMs}:`,
    holdMs,
    // A process whose turn comes a few hundred times a second is fast only after many seconds.
    warmUpMs: quick ? 1_000 : 10_000,
    ms: quick ? 300 : 500,
  };
  const [multi, nested] = await Promise.all([
    Team.start({ ...options, how: 'multi' }),
    Team.start({ ...options, how: 'nested' }),
  ]);
  await multi.round();
  await nested.round();
  const quads = await interleave(multi, nested, quick ? 3 : 10);
  multi.end();
  nested.end();
  const rate = ratioOf(quads, (round) => round.perSecond);
  const tasks = holdMs === 0 ? 'empty tasks' : `tasks of ${holdMs} ms`;
  const figure = `random sets of names, ${tasks}: multi-lock by nested locks`;
  return ratioRow(figure, rate, (value) => `${value.toFixed(0)}/s`, { is: '>=', limit });
}

/** @type {import('./index.mjs').Figure} */
export const multi = {
  id: 'multi',
  title: 'several names at once',
  async measure(bench) {
    const rows = [];
    for (const shape of FREE) {
      process.stderr.write(`  ${shape[0]} free names\n`);
      rows.push(await countCommands(bench, shape[0]), await besideOne(bench, shape));
    }
    for (const shape of SETS) {
      process.stderr.write(`  random sets, held for ${shape[0]} ms\n`);
      rows.push(await besideNested(bench, shape));
    }
    return rows;
  },
};
