// Plans in which nothing is faulty, so that bounds are small: one client is asked for a lock all the time, beside
// others that take turns; or short leases are let run out while others wait.

import { Random } from '../../src/testing/random.js';
import { LONG_LEASE_MS } from './crowd.js';
import type { Act, KindOfObject } from './kinds/kind.js';
import type { FlowTerms } from './kinds/terms.js';
import type { Plan, Script } from './plan.js';

/** One seed in so many of an object that has leases is that of a flow. */
export const FLOW_EVERY = 10;

/** The others take so many turns each, and meanwhile the one client is asked so often. */
const TURNS = 9;
const ASKS = 24;

/** Each of those who let leases run out asks so often. */
const LAPSES = 7;

/** Not the default of the client: a waiter with it has terms of its own. */
const OTHER_LEASE_MS = 20_000;

type FlowAct = (random: Random, given: FlowTerms) => Act;

export function flowOf(seed: number, kind: KindOfObject, flowAct: FlowAct): Plan {
  const random = new Random(seed);
  const scripts = random.chance(0.5) ? steadyFlow(random, flowAct) : lapsing(random, flowAct);
  return {
    seed,
    kind: kind.kind,
    terms: {
      clients: Math.max(...scripts.map(({ client }) => client)) + 1,
      nodes: 1,
      servers: 1,
      leaseMs: LONG_LEASE_MS,
      commandTimeoutMs: 1_000,
      latencyMinMs: 0.1,
      latencyMaxMs: random.pick([0.3, 1]),
      latenessMs: random.pick([0.2, 1]),
      drift: random.pick([0, 0.004]),
      isMadeByJava: false,
      handOffs: random.pick([['direct'], ['strict'], ['direct', 'strict']]),
      otherSlots: 40,
    },
    isCrowd: false,
    isFlow: true,
    startsCold: false,
    scripts,
    faults: [],
    healAt: 0,
  };
}

/** Of one client each wait ends after a while, and the next one has begun by then. */
function steadyFlow(random: Random, flowAct: FlowAct): Script[] {
  const others = random.int(2, 3);
  const stayMs = random.pick([10, 30, 60]);
  const roundMs = stayMs * others;
  const waitMs = Math.ceil(roundMs * random.pick([0.7, 1.5, 3]));
  const everyMs = Math.ceil((roundMs * TURNS) / ASKS);
  const isMixed = random.chance(0.7);
  const readShare = random.pick([0, 0, 0.3]);
  const act = (terms: Pick<FlowTerms, 'waitMs' | 'stayMs'>): Act => {
    const lease = isMixed && random.chance(0.5) ? { leaseMs: OTHER_LEASE_MS } : {};
    return flowAct(random, { ...terms, ...lease, readShare });
  };
  const turns = Array.from({ length: others }, (_, client) => ({
    client,
    steps: Array.from({ length: TURNS }, () => {
      const limit = random.chance(0.1) ? { waitMs: roundMs * 2 } : {};
      return { pauseMs: random.chance(0.8) ? 0 : random.int(0, 5), act: act({ ...limit, stayMs }) };
    }),
  }));
  const asks = Array.from({ length: ASKS }, (_, i) => ({
    client: others,
    steps: [{ pauseMs: i * everyMs + 1, act: act({ waitMs, stayMs: random.int(0, 5) }) }],
  }));
  return [...turns, ...asks];
}

/** All ask at about the same time, and then nobody does for a while: those who wait have to know by themselves
 * when the lease of the one before them ends. */
function lapsing(random: Random, flowAct: FlowAct): Script[] {
  const users = random.int(3, 5);
  const clients = random.pick([users, users, 2]);
  const stayMs = random.pick([30, 60]);
  const shortMs = random.pick([60, 100, 200]);
  const shortShare = random.pick([0.15, 0.4]);
  const pauseMs = random.pick([400, 900, 2_500]);
  const readShare = random.pick([0, 0.3, 0.6]);
  return Array.from({ length: users }, (_, i) => ({
    client: i % clients,
    steps: Array.from({ length: LAPSES }, (_step, n) => {
      const isLeft = random.chance(shortShare);
      const terms = isLeft ? { leaseMs: shortMs, isLeft } : {};
      return {
        pauseMs: (n === 0 ? 0 : pauseMs) + random.int(0, stayMs),
        act: flowAct(random, { ...terms, stayMs, readShare }),
      };
    }),
  }));
}
