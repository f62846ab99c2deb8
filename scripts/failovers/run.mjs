// @ts-check
// One failover: a deployment of its own, a load, the death of a master, and what it has cost.

import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { randomFrom } from '../lib/random.mjs';
import { countOf } from './count.mjs';
import { LEASE_MS } from './leases.mjs';
import { topologies } from './stages/index.mjs';

/**
 * @typedef {object} Plan
 * @property {string} topology
 * @property {boolean} replicas whether grants wait for a replica
 * @property {import('./stages/index.mjs').Shape} shape
 * @property {number} seed
 *
 * @typedef {Plan & { count?: import('./count.mjs').Count, problems: string[] }} Result
 */

const NAMES = 60;
const REPLICAS = { min: 1, timeoutMs: 300 };

/** Under load until replicas begin to lag, or would. */
const LOAD_MS = 450;
const LAG_MS = 150;
/** Those that were given the lock again, and those that had lost it, have time to meet. */
const AFTER_MS = 1_500;

/**
 * @param {Plan} plan
 * @param {import('./crew.mjs').Crew} crew
 */
async function measure({ topology, replicas, shape, seed }, crew) {
  const stage = await topologies.get(topology)?.start();
  if (stage === undefined) {
    throw new RangeError(`there is no topology "${topology}"`);
  }
  let isPlaying = false;
  try {
    const names = stage.names(NAMES);
    const options = { leaseMs: LEASE_MS, ...(replicas ? { replicas: REPLICAS } : {}) };
    const keep = { from: LOAD_MS - LAG_MS, until: LOAD_MS + LAG_MS };
    const { target } = stage;
    isPlaying = true;
    crew.play({ topology, target, options, names, seed, keep });
    await delay(LOAD_MS);
    if (shape === 'lagging') {
      await stage.lag?.();
    }
    await delay(LAG_MS + randomFrom(seed)() * 20);
    const failover = await stage.failOver(names);
    await crew.regained();
    await delay(AFTER_MS);
    isPlaying = false;
    const { grants, problems } = await crew.end();
    return { count: countOf(grants, failover), problems };
  } finally {
    if (isPlaying) {
      await crew.end();
    }
    await stage.stop();
  }
}

/**
 * A run fails that could not be carried out, or in which something happened that no failover may cause.
 *
 * @param {Plan} plan
 * @param {import('./crew.mjs').Crew} crew
 * @returns {Promise<Result>}
 */
export async function carryOut(plan, crew) {
  try {
    const { count, problems } = await measure(plan, crew);
    return { ...plan, count, problems: [...problems, ...count.broken] };
  } catch (error) {
    return { ...plan, problems: [inspect(error)] };
  }
}
