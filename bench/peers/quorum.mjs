// @ts-check
// Locks that a majority of three servers holds, beside those of redlock.
import { startVoters } from '../../scripts/redis/voters.mjs';
import { BenchWorker } from '../lib/bench-worker.mjs';
import { withLateAnswers } from '../lib/late-answers.mjs';
import { QUORUM_SIDES } from '../lib/peers.mjs';
import { median } from '../lib/stats.mjs';

/** @typedef {import('../figures/index.mjs').Bench} Bench */
/** @typedef {import('../lib/report.mjs').Row} Row */
/** @typedef {import('../tasks/quorum.mjs').QuorumRound} QuorumRound */

const SERVERS = 3;

/** Of all sides: a server of ours does not vote before it has been up for so long. */
const LEASE_MS = 3_000;

const LATE_MS = 1_000;

/**
 * @typedef {object} Shape
 * @property {string} what
 * @property {number} processes
 * @property {number} loops in each
 * @property {boolean} [isContended] all want the same lock
 */

/** @type {readonly Shape[]} */
const SOUND = [
  { what: 'one in flight', processes: 1, loops: 1 },
  { what: '100 in flight', processes: 1, loops: 100 },
  { what: '25 contenders in each of 4 processes', processes: 4, loops: 25, isContended: true },
];

/**
 * All sides take turns, each with processes of its own.
 * @param {Bench} bench
 * @param {readonly string[]} urls
 * @param {Shape} shape
 * @returns {Promise<Row[]>}
 */
async function compare({ keyPrefix, quick }, urls, { what, processes, loops, isContended }) {
  process.stderr.write(`  ${what}\n`);
  const length = quick ? { ms: 500, warmUpMs: 500 } : { ms: 1_000, warmUpMs: 1_500 };
  const teams = await Promise.all(
    QUORUM_SIDES.map(async (side) => {
      const name = isContended === true ? `${what}:${side}` : undefined;
      const options = { urls, keyPrefix, side, loops, name, leaseMs: LEASE_MS, ...length };
      /** @type {() => Promise<BenchWorker<QuorumRound>>} */
      const start = async () => await BenchWorker.start('quorum', options);
      return await Promise.all(Array.from({ length: processes }, start));
    }),
  );
  /** @type {QuorumRound[][][]} of each turn, side and process */
  const turns = [];
  for (let turn = 0; turn <= (quick ? 2 : 4); turn++) {
    const sides = [];
    for (const team of teams) {
      sides.push(await Promise.all(team.map(async (worker) => await worker.round())));
    }
    turns.push(sides);
  }
  teams.flat().forEach((worker) => worker.end());
  // The first one warms up.
  const rates = turns.slice(1).map((sides) => sides.map(rateOf));
  const rows = QUORUM_SIDES.map((side, at) => {
    const own = turns.slice(1).map((sides) => sides[at] ?? []);
    const rate = median(rates.map((all) => all[at] ?? 0));
    const ahead = median(rates.map((all) => (all[0] ?? 0) / (all[at] ?? 0)));
    const p50Us = median(own.map((rounds) => median(rounds.map((round) => round.p50Us))));
    const longestMs = Math.max(...own.flat().map((round) => round.longestMs));
    const times = Number.isFinite(ahead)
      ? `; redlatch is ${ahead.toFixed(2)} times as fast`
      : '; nobody got in within a round';
    const p50 = rate > 0 ? `p50 ${(p50Us / 1_000).toFixed(2)} ms, ` : '';
    return {
      figure: `a quorum of ${SERVERS} servers, ${what}: ${side}`,
      value: ahead,
      measured: `${rate.toFixed(0)}/s, ${p50}longest ${longestMs.toFixed(0)} ms${side === 'ours' ? '' : times}`,
      ...(side === 'ours' ? {} : { target: /** @type {const} */ ({ is: '>=', limit: 1 }) }),
      details: { side, what, processes, loops, rate, p50Us, longestMs },
    };
  });
  rows.forEach(({ figure, measured }) => process.stderr.write(`    ${figure}: ${measured}\n`));
  return rows;
}

/** @param {readonly QuorumRound[]} rounds of the processes of one side */
function rateOf(rounds) {
  const cycles = rounds.reduce((sum, round) => sum + round.cycles, 0);
  return cycles / Math.max(...rounds.map(({ seconds }) => seconds));
}

/** @type {import('../figures/index.mjs').Figure} */
export const quorum = {
  id: 'quorum',
  title: 'a majority of servers, beside redlock',
  async measure(bench) {
    const servers = await startVoters(SERVERS, LEASE_MS);
    const urls = servers.map(({ url }) => url);
    const [first = '', ...others] = urls;
    const late = await withLateAnswers(first, LATE_MS);
    try {
      const rows = [];
      for (const shape of SOUND) {
        rows.push(...(await compare(bench, urls, shape)));
      }
      const one = { processes: 1, loops: 1 };
      const what = 'one in flight, one server answers after 1 s';
      rows.push(...(await compare(bench, [late.url, ...others], { what, ...one })));
      await servers[0]?.stop();
      const dead = 'one in flight, one server dead';
      rows.push(...(await compare(bench, urls, { what: dead, ...one })));
      return rows;
    } finally {
      late.close();
      await Promise.all(servers.map(async (server) => await server.stop()));
    }
  },
};
