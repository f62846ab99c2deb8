// What happens in a run: data, made from the seed, from which parts can be left out.

import { Random } from '../../src/testing/random.js';
import { CROWD_EVERY, crowdOf, LONG_LEASE_MS } from './crowd.js';
import { FLOW_EVERY, flowOf } from './flow.js';
import type { Act, KindOfObject } from './kinds/kind.js';
import { bounded } from './kinds/terms.js';
import { aimed, amnesia, faultOf, quorumFaultOf, type PlannedFault } from './planned-faults.js';
import type { WorldTerms } from './world.js';

/** One thing that a user does, after a pause. */
export interface Step {
  readonly pauseMs: number;
  readonly act: Act;
}

/** A user of one client does its steps one after the other. */
export interface Script {
  readonly client: number;
  readonly steps: readonly Step[];
}

export interface Plan {
  readonly seed: number;
  readonly kind: string;
  readonly terms: WorldTerms;
  /** Many users of few clients ask for a lock again and again. */
  readonly isCrowd: boolean;
  /** One client asks for it all the time, beside others that take turns; nothing is faulty. */
  readonly isFlow: boolean;
  /** Users begin while their clients connect. */
  readonly startsCold: boolean;
  readonly scripts: readonly Script[];
  readonly faults: readonly PlannedFault[];
  /** From then on nothing is faulty. */
  readonly healAt: number;
}

export interface PlanOptions {
  readonly clients: number;
  /** Calls that users make, roughly: a section is two. */
  readonly operations: number;
  /** Faults after which the failure table promises nothing of some properties. */
  readonly losesData: boolean;
}

const DEFAULT_OPTIONS: PlanOptions = { clients: 4, operations: 40, losesData: true };

/** Longer than anything is kept for late copies of calls. */
const LONG_OUTAGE_MS = 700_000;

/** Kinds of locks that a release hands on. */
const HANDED_ON = new Set(['lock', 'fenced', 'fair', 'rwlock']);

/** Kinds whose grants have no lease. */
const UNBOUNDED = new Set(['semaphore', 'latch']);

/** Users of one client. */
const USERS = 2;

/** Further users of the first client, which can all get in together. */
const TOGETHER = 5;

const mayBeInCluster = ({ servers, inCluster = true }: KindOfObject): boolean =>
  servers === undefined && inCluster;

export function planOf(
  seed: number,
  kind: KindOfObject,
  { clients, operations, losesData }: PlanOptions = DEFAULT_OPTIONS,
): Plan {
  if (kind.crowdAct !== undefined && seed % CROWD_EVERY === 0) {
    return crowdOf(seed, kind, kind.crowdAct, losesData);
  }
  if (kind.flowAct !== undefined && seed % FLOW_EVERY === FLOW_EVERY - 1) {
    return flowOf(seed, kind, kind.flowAct);
  }
  const random = new Random(seed);
  const paceMs = random.pick([300, 600, 1_500]);
  // What is left behind by mistake goes with its lease: with a long one somebody meets it.
  const leaseMs = random.chance(0.25) ? LONG_LEASE_MS : paceMs;
  const latencyMaxMs = random.pick([0.3, 1, 4]);
  const drawn = {
    clients,
    nodes: random.chance(0.08) && mayBeInCluster(kind) ? 2 : 1,
    leaseMs,
    commandTimeoutMs: random.pick([300, 1_000, 3_000]),
    latencyMinMs: 0.1,
    latencyMaxMs,
    latenessMs: random.pick([0.2, 1, 5]),
    drift: random.pick([0, 0.004]),
    isMadeByJava: random.chance(0.2),
    handOffs: random.pick([['direct'], ['strict'], ['direct', 'strict', 'unseen'], ['unseen']]),
  };
  // Some runs are crowded, in others the leases end.
  const spanMs = random.pick([
    40,
    paceMs,
    paceMs * 3,
    leaseMs === paceMs ? paceMs * 6 : leaseMs * 2,
  ]);
  const perUser = Math.max(1, Math.round(operations / 2 / (clients * USERS)));
  const pauseMs = Math.ceil((spanMs / perUser) * 2);
  const scripts = Array.from({ length: clients * USERS }, (_, i) => ({
    client: i % clients,
    steps: Array.from({ length: perUser }, () => ({
      pauseMs: random.chance(0.3) ? 0 : random.int(0, pauseMs),
      act: kind.act(random, paceMs),
    })),
  }));
  const count = random.pick([0, 1, 2, 2, 3, 4, 6]);
  const servers = kind.servers === undefined ? 1 : random.pick(kind.servers);
  const faults = Array.from({ length: count }, () => {
    const at = random.next() * spanMs;
    return servers > 1
      ? quorumFaultOf(random, at, { clients, servers, paceMs })
      : faultOf(random, at, { ...drawn, paceMs, losesData });
  });
  if (servers > 1 && random.chance(0.5)) {
    faults.push(amnesia(random, random.next() * spanMs, servers, paceMs));
  }
  const outageMs = random.chance(0.03) ? LONG_OUTAGE_MS : 0;
  if (outageMs > 0) {
    faults.push({ at: random.next() * spanMs, do: 'restart', downMs: outageMs, isTold: true });
  }
  const startsCold = random.chance(0.2);
  const terms = { ...drawn, servers, otherSlots: drawn.nodes > 1 && random.chance(0.5) ? 0 : 40 };
  // Drawn last: what a seed draws else stays the same.
  const isAimed = HANDED_ON.has(kind.kind) && random.chance(0.5);
  const together = kind.sharedAct !== undefined && random.chance(0.4) ? TOGETHER : 0;
  const shared = Array.from({ length: together }, () => ({
    client: 0,
    steps: Array.from({ length: 3 }, () => ({
      pauseMs: random.int(0, spanMs >> 1),
      act: kind.sharedAct!(random),
    })),
  }));
  const withBounds = (script: Script): Script => ({
    ...script,
    steps: script.steps.map((step) => ({ ...step, act: bounded(random, step.act, paceMs) })),
  });
  return {
    seed,
    kind: kind.kind,
    terms,
    isCrowd: false,
    isFlow: false,
    startsCold,
    scripts: [...scripts, ...shared].map((script) =>
      UNBOUNDED.has(kind.kind) ? script : withBounds(script),
    ),
    faults: (isAimed
      ? faults.map((fault) => aimed(random, fault, { clients, paceMs }))
      : faults
    ).toSorted((a, b) => a.at - b.at),
    healAt: spanMs + paceMs * 2 + outageMs,
  };
}
