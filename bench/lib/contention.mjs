// @ts-check
// One object that changes hands between the tasks of some processes.
import { BenchWorker } from './bench-worker.mjs';
import { CommandCounter } from './commands.mjs';
import { RedissonWorker } from './redisson.mjs';
import { median } from './stats.mjs';

/**
 * @typedef {import('../figures/index.mjs').Bench} Bench
 * @typedef {import('./contenders.mjs').Contender} Contender
 *
 * @typedef {{ round(): Promise<import('../tasks/contend.mjs').ContendRound>, end(): void }} ContendWorker
 *
 * @typedef {object} Shape
 * @property {import('./contenders.mjs').Contended['kind']} kind
 * @property {number} permits of a semaphore
 * @property {number} processes
 * @property {number} tasks of each process
 * @property {number} holdMs
 * @property {boolean} [isChecked] whether two ever had it at once is looked at
 * @property {number} [readers] of a hundred acquisitions of a read-write lock, how many are to read
 *
 * @typedef {object} Contest of one contender, medians of its rounds
 * @property {Contender} contender
 * @property {number} perSecond
 * @property {number} commandsEach
 * @property {number} jain Jain's index over the processes: 1 when all got in equally often
 * @property {number} longestMs the longest wait of all
 * @property {number} overlaps how often one had it before another one had let it go
 * @property {readonly number[]} rates of its rounds
 */

/** @param {number[]} shares */
function jainOf(shares) {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share ** 2, 0);
  return sum ** 2 / (shares.length * squares);
}

/**
 * How many of some spans of time begin before an earlier one has ended, with which they may not overlap.
 * @param {readonly (readonly number[])[]} all from and to, of each process
 * @param {readonly (readonly number[])[]} allShared the same of those who may overlap one another
 */
function overlapsOf(all, allShared) {
  const spans = [...spansOf(all, false), ...spansOf(allShared, true)];
  spans.sort((one, other) => one.from - other.from);
  let overlaps = 0;
  let [freeAt, readAt] = [0, 0];
  for (const { from, to, isShared } of spans) {
    overlaps += from < (isShared ? freeAt : Math.max(freeAt, readAt)) ? 1 : 0;
    if (isShared) {
      readAt = Math.max(readAt, to);
    } else {
      freeAt = Math.max(freeAt, to);
    }
  }
  return overlaps;
}

/**
 * @param {readonly (readonly number[])[]} all
 * @param {boolean} isShared
 */
function spansOf(all, isShared) {
  return all.flatMap((times) =>
    Array.from({ length: times.length / 2 }, (_, i) => {
      const [from = 0, to = 0] = times.slice(2 * i, 2 * i + 2);
      return { from, to, isShared };
    }),
  );
}

/** The processes of one contender. */
class Team {
  /** @type {number[]} */
  rates = [];
  /** @type {number[]} */
  #costs = [];
  /** @type {number[]} */
  #jains = [];
  #longestMs = 0;
  #overlaps = 0;

  /**
   * @param {Contender} contender
   * @param {ContendWorker[]} workers
   */
  constructor(contender, workers) {
    this.contender = contender;
    this.workers = workers;
  }

  /** @param {CommandCounter} counter */
  async round(counter) {
    /** @type {import('../tasks/contend.mjs').ContendRound[]} */
    let rounds = [];
    const commands = await counter.during(async () => {
      rounds = await Promise.all(this.workers.map(async (worker) => await worker.round()));
    });
    const shares = rounds.map(({ acquisitions }) => acquisitions);
    const acquisitions = shares.reduce((sum, share) => sum + share, 0);
    this.rates.push(acquisitions / Math.max(...rounds.map(({ seconds }) => seconds)));
    const sent = rounds.reduce((sum, round) => sum + round.sent, commands);
    this.#costs.push(sent / acquisitions);
    this.#jains.push(jainOf(shares));
    this.#longestMs = Math.max(this.#longestMs, ...rounds.map(({ longestMs }) => longestMs));
    this.#overlaps += overlapsOf(
      rounds.map(({ spans }) => spans),
      rounds.map(({ sharedSpans }) => sharedSpans),
    );
  }

  /** Forgets the warm-up. */
  forget() {
    this.rates = [];
    this.#costs = [];
    this.#jains = [];
    this.#longestMs = 0;
    this.#overlaps = 0;
  }

  /** @returns {Contest} */
  get contest() {
    return {
      contender: this.contender,
      perSecond: median(this.rates),
      commandsEach: median(this.#costs),
      jain: median(this.#jains),
      longestMs: this.#longestMs,
      overlaps: this.#overlaps,
      rates: this.rates,
    };
  }
}

/**
 * All contenders take turns in one run, each with processes of its own, which idle meanwhile.
 * @param {Bench} bench
 * @param {Shape} shape
 * @param {{ count: number, ms: number, warmUpMs: number }} rounds the first one warms up
 * @param {readonly Contender[]} contenders
 * @returns {Promise<Contest[]>}
 */
export async function contest({ url, keyPrefix }, { processes, ...shape }, rounds, contenders) {
  const name = `contended:${shape.kind}:${processes}:${shape.tasks}:${shape.holdMs}`;
  const teams = await Promise.all(
    contenders.map(async (contender) => {
      const task = `${name}:${contender}`;
      const { ms, warmUpMs } = rounds;
      const options = { url, keyPrefix, contender, ...shape, name: task, ms, warmUpMs };
      /** @type {() => Promise<ContendWorker>} */
      const start = async () =>
        await (contender === 'Redisson'
          ? RedissonWorker.start(options)
          : BenchWorker.start('contend', options));
      const starting = Array.from({ length: processes }, start);
      return new Team(contender, await Promise.all(starting));
    }),
  );
  const counter = new CommandCounter(url);
  for (let i = 0; i <= rounds.count; i++) {
    for (const team of teams) {
      await team.round(counter);
    }
    if (i === 0) {
      teams.forEach((team) => team.forget());
    }
  }
  teams.forEach(({ workers }) => workers.forEach((worker) => worker.end()));
  await counter.close();
  return teams.map((team) => team.contest);
}

/**
 * How many times as fast as the queue each contender was: the median over the turns, so that a drift of the
 * machine hits both alike.
 * @param {readonly Contest[]} contests
 * @returns {(Contest & { value: number })[]}
 */
export function byQueue(contests) {
  const queue = contests.find(({ contender }) => contender === 'queue');
  return contests.map((one) => ({
    ...one,
    value: median(one.rates.map((rate, i) => rate / (queue?.rates[i] ?? Number.NaN))),
  }));
}
