// A plan in which many users of few clients ask for a lock again and again, so that it is passed on in runs.

import { Random } from '../../src/testing/random.js';
import type { Act, KindOfObject } from './kinds/kind.js';
import type { Plan, Step } from './plan.js';
import { aimed, faultOf } from './planned-faults.js';

/** One seed in so many of a lock that has runs is that of a crowd. */
export const CROWD_EVERY = 5;

const CROWD = { users: 5, spanMs: 60 };

/** The default of a client. Without a long one the pace of a run is that of its leases. */
export const LONG_LEASE_MS = 30_000;

/** Two clients, or three, each with several users who ask again as soon as they are out; or one such client,
 * and others who come now and then. */
export function crowdOf(
  seed: number,
  kind: KindOfObject,
  crowdAct: (random: Random, isTight: boolean) => Act,
  losesData: boolean,
): Plan {
  const random = new Random(seed);
  const paceMs = random.pick([600, 1_500]);
  const clients = random.int(2, 3);
  const terms = {
    clients,
    nodes: 1,
    servers: 1,
    leaseMs: random.chance(0.25) ? LONG_LEASE_MS : paceMs,
    commandTimeoutMs: 1_000,
    latencyMinMs: 0.1,
    latencyMaxMs: random.pick([0.2, 0.3, 1]),
    latenessMs: random.pick([0.1, 0.2, 1]),
    drift: random.pick([0, 0.004]),
    isMadeByJava: false,
    handOffs: ['direct' as const],
    otherSlots: 40,
  };
  const { users, spanMs } = CROWD;
  // Nothing but passes: a run has as many holds as it may.
  const isTight = random.chance(0.2);
  const sections = isTight ? 30 : random.pick([8, 8, 20]);
  const isLopsided = random.chance(0.4);
  const step = (isBusy: boolean): Step => {
    const pauseMs = isTight || random.chance(0.8) ? 0 : random.int(0, 10);
    return { pauseMs: isBusy ? pauseMs : random.int(2, 20), act: crowdAct(random, isTight) };
  };
  const scripts = Array.from({ length: clients * users }, (_, i) => {
    const client = i % clients;
    const isBusy = client === 0 || !isLopsided;
    const own = isBusy ? sections : i < clients ? 6 : 0;
    return { client, steps: Array.from({ length: own }, () => step(isBusy)) };
  });
  const faults = Array.from({ length: random.pick([0, 0, 1, 2]) }, () => {
    const fault = faultOf(random, random.next() * spanMs, { clients, nodes: 1, paceMs, losesData });
    return aimed(random, fault, { clients, paceMs });
  });
  return {
    seed,
    kind: kind.kind,
    terms,
    isCrowd: true,
    isFlow: false,
    startsCold: false,
    scripts,
    faults: faults.toSorted((a, b) => a.at - b.at),
    healAt: spanMs + paceMs * 2,
  };
}
