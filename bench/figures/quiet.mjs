// @ts-check
// How long a lock takes from the process that releases it to the one that waits, when nothing else
// happens, beside a message of Redis from one process to the other.
import { BenchWorker } from '../lib/bench-worker.mjs';
import { median } from '../lib/stats.mjs';

/**
 * @typedef {import('../tasks/quiet.mjs').QuietOptions['way']} Way
 * @typedef {import('../tasks/quiet.mjs').Turn} Turn
 */

/**
 * The time between the end of one turn and the beginning of the next, in the other process.
 * @param {readonly Turn[][]} rounds of both processes
 */
function tripsOf(rounds) {
  const turns = rounds.flatMap((of, place) =>
    of.map(([beganAt, endedAt]) => ({ beganAt, endedAt, place })),
  );
  turns.sort((one, other) => one.beganAt - other.beganAt);
  return turns.flatMap(({ beganAt, place }, i) => {
    const before = turns[i - 1];
    return before === undefined || before.place === place ? [] : [beganAt - before.endedAt];
  });
}

/**
 * The times from one process to the other, in microseconds: the median of each round.
 * @template {Way} W
 * @param {import('./index.mjs').Bench} bench
 * @param {readonly W[]} ways
 * @returns {Promise<{ way: W, p50s: number[] }[]>}
 */
export async function handOvers({ url, keyPrefix, quick }, ways) {
  const rounds = quick ? 1 : 5;
  const teams = await Promise.all(
    ways.map(async (way) => {
      const both = [0, 1].map((place) => {
        const options = { url, keyPrefix, way, place, ms: 600 };
        /** @type {Promise<BenchWorker<Turn[]>>} */
        const starting = BenchWorker.start('quiet', options);
        return starting;
      });
      return { way, workers: await Promise.all(both), p50s: /** @type {number[]} */ ([]) };
    }),
  );
  for (let i = 0; i <= rounds; i++) {
    for (const { workers, p50s } of teams) {
      const trips = tripsOf(await Promise.all(workers.map(async (worker) => await worker.round())));
      if (i > 0) {
        p50s.push(median(trips));
      }
    }
  }
  teams.forEach(({ workers }) => workers.forEach((worker) => worker.end()));
  return teams.map(({ way, p50s }) => ({ way, p50s }));
}

/** @type {import('./index.mjs').Figure} */
export const quiet = {
  id: 'quiet',
  title: 'a lock that changes hands between two processes now and then',
  async measure(bench) {
    const teams = await handOvers(bench, /** @type {const} */ (['direct', 'messages']));
    const messages = teams.find(({ way }) => way === 'messages');
    return teams.map(({ way, p50s }) => {
      const value = median(p50s.map((p50, i) => p50 / (messages?.p50s[i] ?? Number.NaN)));
      return {
        figure: `quiet hand-over between two processes, p50: ${way} by a message`,
        ...(way === 'direct' ? { target: { is: /** @type {const} */ ('<='), limit: 1.3 } } : {}),
        value,
        measured: `${value.toFixed(2)}: ${median(p50s).toFixed(0)} us`,
        details: { way, p50s },
      };
    });
  },
};
