// @ts-check
// Locks that a majority of servers holds, taken and released over and over.
import { setTimeout as sleep } from 'node:timers/promises';
import { createQuorumClient } from '../../dist/index.js';
import { redlocksOf } from '../lib/peers.mjs';
import { median } from '../lib/stats.mjs';

/**
 * @typedef {object} QuorumOptions
 * @property {readonly string[]} urls
 * @property {string} keyPrefix
 * @property {import('../lib/peers.mjs').QuorumSide} side
 * @property {number} loops at the same time
 * @property {string | undefined} name that all of them want; left out where each has one of its own
 * @property {number} leaseMs
 * @property {number} ms length of a round
 * @property {number} warmUpMs length of the first one
 *
 * @typedef {object} QuorumRound
 * @property {number} cycles
 * @property {number} seconds
 * @property {number} p50Us of one acquire and release
 * @property {number} longestMs
 * @property {number} cpuUs of this process, for each
 */

/** So many rounds a cycle may take before it is given up. */
const PATIENCE = 3;

/** @param {QuorumOptions} options @returns {import('../lib/peers.mjs').Locks} */
function locksOf({ urls, keyPrefix, side, leaseMs }) {
  if (side !== 'ours') {
    const locks = redlocksOf(side, urls, leaseMs);
    return (name) => locks(keyPrefix + name);
  }
  const client = createQuorumClient({ servers: urls, keyPrefix, leaseMs });
  return (name) => () => client.getLock(name).acquire();
}

/**
 * @param {QuorumOptions} options
 * @returns {Promise<{ round(): Promise<QuorumRound> }>}
 */
export async function quorum(options) {
  const { loops, name, ms, warmUpMs, side } = options;
  const locks = locksOf(options);
  const all = Array.from({ length: loops }, (_, i) => locks(name ?? `${side}:${i}`));
  const connected = async () => await (await locks(`${side}:${process.pid}`)()).release();
  // A side that gets no lock at all counts no cycles, and keeps the others from nothing.
  await Promise.race([connected(), sleep(warmUpMs * PATIENCE, undefined, { ref: false })]);
  let lengthMs = warmUpMs;
  return {
    async round() {
      /** @type {number[]} */
      const samples = [];
      const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
      const forMs = lengthMs;
      lengthMs = ms;
      await Promise.race([
        Promise.all(
          all.map(async (acquire) => {
            for (let now = performance.now(); now - startedAt < forMs;) {
              const before = now;
              await (await acquire()).release();
              now = performance.now();
              samples.push(now - before);
            }
          }),
        ),
        sleep(forMs * PATIENCE, undefined, { ref: false }),
      ]);
      const { user, system } = process.cpuUsage(cpu);
      return {
        cycles: samples.length,
        seconds: (performance.now() - startedAt) / 1_000,
        p50Us: median(samples) * 1_000,
        longestMs: samples.reduce((most, sample) => Math.max(most, sample), 0),
        cpuUs: (user + system) / samples.length,
      };
    },
  };
}
