// What happens in a run: data, made from the seed, from which parts can be left out.

import { Random } from '../../src/testing/random.js';
import { CROWD_EVERY, crowdOf, LONG_LEASE_MS } from './crowd.js';
import type { Act, KindOfObject } from './kinds/kind.js';
import { aimed, faultOf, type PlannedFault } from './planned-faults.js';
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

/** Users of one client. */
const USERS = 2;

export function planOf(
  seed: number,
  kind: KindOfObject,
  { clients, operations, losesData }: PlanOptions = DEFAULT_OPTIONS,
): Plan {
  if (kind.crowdAct !== undefined && seed % CROWD_EVERY === 0) {
    return crowdOf(seed, kind, kind.crowdAct, losesData);
  }
  const random = new Random(seed);
  const paceMs = random.pick([300, 600, 1_500]);
  // What is left behind by mistake goes with its lease: with a long one somebody meets it.
  const leaseMs = random.chance(0.25) ? LONG_LEASE_MS : paceMs;
  const latencyMaxMs = random.pick([0.3, 1, 4]);
  const drawn = {
    clients,
    nodes: random.chance(0.08) ? 2 : 1,
    leaseMs,
    commandTimeoutMs: random.pick([300, 1_000, 3_000]),
    latencyMinMs: 0.1,
    latencyMaxMs,
    latenessMs: random.pick([0.2, 1, 5]),
    drift: random.pick([0, 0.004]),
    isMadeByJava: random.chance(0.2),
    handOffs: random.pick([['direct'], ['strict'], ['direct', 'strict', 'race'], ['race']]),
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
  const faults = Array.from({ length: count }, () =>
    faultOf(random, random.next() * spanMs, { ...drawn, paceMs, losesData }),
  );
  const outageMs = random.chance(0.03) ? LONG_OUTAGE_MS : 0;
  if (outageMs > 0) {
    faults.push({ at: random.next() * spanMs, do: 'restart', downMs: outageMs, isTold: true });
  }
  const startsCold = random.chance(0.2);
  const terms = { ...drawn, otherSlots: drawn.nodes > 1 && random.chance(0.5) ? 0 : 40 };
  // Drawn last: what a seed draws else stays the same. Where all clients race, no lock is
  // handed on, and the faults would wait in vain.
  const isHandedOn = HANDED_ON.has(kind.kind) && drawn.handOffs.some((way) => way !== 'race');
  const isAimed = isHandedOn && random.chance(0.5);
  return {
    seed,
    kind: kind.kind,
    terms,
    isCrowd: false,
    startsCold,
    scripts,
    faults: (isAimed
      ? faults.map((fault) => aimed(random, fault, { clients, paceMs }))
      : faults
    ).toSorted((a, b) => a.at - b.at),
    healAt: spanMs + paceMs * 2 + outageMs,
  };
}
