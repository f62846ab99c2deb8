// @ts-check
// Acquire and release over and over: by redlatch, by the same two scripts on a bare driver, or by a lock
// of another library.
import { createClient } from '../../dist/index.js';
import { Bare } from '../lib/bare.mjs';
import { bareCycle } from '../lib/bare-cycles.mjs';
import { acquirer, setUp } from '../lib/kinds.mjs';
import { locksOf } from '../lib/peers.mjs';
import { median } from '../lib/stats.mjs';

/** @typedef {import('../lib/kinds.mjs').Kind} Kind */
/** @typedef {import('../lib/kinds.mjs').Cycle} Cycle */

/**
 * @typedef {object} CyclesOptions
 * @property {string} url
 * @property {string} keyPrefix
 * @property {'ours' | 'bare' | import('../lib/peers.mjs').Peer} side
 * @property {Kind} kind
 * @property {number} loops at the same time, each on an object of its own
 * @property {number} [names] of one multi-lock, in place of the object
 * @property {number} warmUps cycles until the code is the optimised one
 * @property {number | 'once'} ms length of a round; or each loop makes one cycle, all at the same time
 * @property {boolean} [anew] each round has a client of its own, which has learnt nothing of the server
 *
 * @typedef {object} CyclesRound
 * @property {number} perSecond
 * @property {number} p50Us of one acquire and release
 * @property {number} cpuUs of this process, per acquire and release
 */

/**
 * @param {CyclesOptions} options
 * @param {string[]} names
 * @returns {Promise<Cycle[]>}
 */
async function ours({ url, keyPrefix, kind, names: together }, names) {
  const client = createClient({ redis: url, keyPrefix });
  const create = async (/** @type {string} */ name) => {
    await setUp(client, kind, name);
    const several = Array.from({ length: together ?? 0 }, (_, i) => `${name}:${i}`);
    const acquire =
      together === undefined
        ? acquirer(client, kind, name)
        : async () => await client.getMultiLock(several).acquire();
    return async () => {
      const grant = await acquire();
      await grant.release();
    };
  };
  return await Promise.all(names.map(create));
}

/**
 * @param {CyclesOptions} options
 * @param {string[]} names
 * @returns {Promise<Cycle[]>}
 */
async function bare({ url, keyPrefix, kind }, names) {
  const client = new Bare(url);
  await client.loadScripts();
  return await Promise.all(names.map((name) => bareCycle(client, kind, keyPrefix + name)));
}

/**
 * @param {CyclesOptions} options
 * @param {string[]} names
 * @returns {Promise<Cycle[]>}
 */
async function cyclesOf(options, names) {
  const { side, url, keyPrefix } = options;
  if (side === 'ours') {
    return await ours(options, names);
  }
  if (side === 'bare') {
    return await bare(options, names);
  }
  const locks = locksOf(side, url);
  return names.map((name) => {
    const acquire = locks(keyPrefix + name);
    return async () => {
      const grant = await acquire();
      await grant.release();
    };
  });
}

/**
 * @param {Cycle[]} all each repeated by itself, all at the same time
 * @param {(done: number, elapsedMs: number) => boolean} goesOn asked before each cycle
 * @returns {Promise<CyclesRound>}
 */
async function run(all, goesOn) {
  /** @type {number[]} */
  const samples = [];
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const repeat = async (/** @type {Cycle} */ cycle) => {
    let now = performance.now();
    while (goesOn(samples.length, now - startedAt)) {
      const before = now;
      await cycle();
      now = performance.now();
      samples.push(now - before);
    }
  };
  await Promise.all(all.map(repeat));
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    perSecond: samples.length / seconds,
    p50Us: median(samples) * 1_000,
    cpuUs: (user + system) / samples.length,
  };
}

/**
 * @param {CyclesOptions} options
 * @returns {Promise<{ round(): Promise<CyclesRound> }>}
 */
export async function cycles(options) {
  const { kind, loops, ms, side, warmUps, anew = false } = options;
  const names = Array.from({ length: loops }, (_, i) => `${side}:${kind}:${loops}:${i}`);
  const all = await cyclesOf(options, names);
  await run(all, (done) => done < warmUps);
  const goesOn =
    ms === 'once'
      ? (/** @type {number} */ done) => done === 0
      : (/** @type {number} */ _, /** @type {number} */ elapsedMs) => elapsedMs < ms;
  return {
    round: async () => {
      const own = anew ? await cyclesOf(options, names) : all;
      // Its connection is there before the round.
      await own[0]?.();
      return await run(own, goesOn);
    },
  };
}
