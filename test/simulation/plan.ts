// What happens in a run: data, made from the seed, from which parts can be left out.

import { Random } from '../../src/testing/random.js';
import type { Refusal } from '../../src/testing/server/server.js';
import type { Act, KindOfObject } from './kinds/kind.js';
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

export type PlannedFault = {
  readonly at: number;
  /** From then on it waits for the next message about a grant, and happens to the client that this is
   * for, if it is about a client. */
  readonly atGrant?: boolean;
} & (
  | { readonly do: 'cut'; readonly client: number; readonly all: boolean }
  | {
      readonly do: 'half-open';
      readonly client: number;
      readonly way: 'to server' | 'to client' | 'both';
    }
  | { readonly do: 'slow'; readonly client: number; readonly byMs: number; readonly forMs: number }
  /** Of the connection of its messages alone. */
  | {
      readonly do: 'late messages';
      readonly client: number;
      readonly byMs: number;
      readonly forMs: number;
    }
  | { readonly do: 'stall'; readonly client: number; readonly forMs: number }
  /** Whoever holds something just then. */
  | { readonly do: 'stall holder'; readonly forMs: number }
  | { readonly do: 'kill'; readonly client: number }
  | { readonly do: 'close'; readonly client: number }
  /** Some client frees the lock by force. */
  | { readonly do: 'force'; readonly client: number; readonly isByAnother: boolean }
  | { readonly do: 'server stall'; readonly forMs: number }
  | { readonly do: 'restart'; readonly downMs: number; readonly isTold: boolean }
  | { readonly do: 'script flush' }
  /** In a cluster only. */
  | { readonly do: 'move slot'; readonly forMs: number }
  | { readonly do: 'refusal'; readonly what: Refusal; readonly forMs: number }
  | { readonly do: 'deny channels'; readonly forMs: number }
  | { readonly do: 'deny command'; readonly command: string; readonly forMs: number }
  | { readonly do: 'flush' }
  | {
      readonly do: 'failover';
      readonly lostMs: number;
      readonly downMs: number;
      readonly clockMs: number;
    }
  | { readonly do: 'clock step'; readonly byMs: number }
);

export type Of<D extends PlannedFault['do']> = Extract<PlannedFault, { readonly do: D }>;

export interface Plan {
  readonly seed: number;
  readonly kind: string;
  readonly terms: WorldTerms;
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

/** The default of a client. Without a long one the pace of a run is that of its leases. */
const LONG_LEASE_MS = 30_000;

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
    startsCold,
    scripts,
    faults: (isAimed
      ? faults.map((fault) => aimed(random, fault, { clients, paceMs }))
      : faults
    ).toSorted((a, b) => a.at - b.at),
    healAt: spanMs + paceMs * 2 + outageMs,
  };
}

/** Commands of scripts. */
const WRITING = ['HSET', 'HDEL', 'DEL', 'SET', 'INCRBY', 'ZADD', 'ZREM'] as const;

/** Without a right to set TTLs something may be left that never ends: it is the most telling one. */
const deniedOf = (random: Random): string =>
  random.chance(0.5) ? 'PEXPIRE' : random.pick(WRITING);

interface FaultTerms {
  readonly clients: number;
  readonly nodes: number;
  readonly paceMs: number;
  readonly losesData: boolean;
}

function faultOf(
  random: Random,
  at: number,
  { clients, nodes, paceMs, losesData }: FaultTerms,
): PlannedFault {
  const client = random.int(0, clients - 1);
  const briefly = (): number => random.int(1, random.pick([10, paceMs >> 1, paceMs * 2]));
  return random.weighted<PlannedFault>([
    [22, () => ({ at, do: 'cut', client, all: random.chance(0.5) })],
    [
      10,
      () => ({ at, do: 'half-open', client, way: random.pick(['to server', 'to client', 'both']) }),
    ],
    [6, () => ({ at, do: 'slow', client, byMs: random.int(1, paceMs), forMs: briefly() })],
    [16, () => ({ at, do: 'stall', client, forMs: briefly() })],
    [6, () => ({ at, do: 'stall holder', forMs: random.int(paceMs >> 1, paceMs * 2) })],
    [6, () => ({ at, do: 'kill', client })],
    [3, () => ({ at, do: 'close', client })],
    [6, () => ({ at, do: 'server stall', forMs: briefly() })],
    [6, () => ({ at, do: 'restart', downMs: briefly(), isTold: random.chance(0.7) })],
    [4, () => ({ at, do: 'script flush' })],
    [
      5,
      () => ({
        at,
        do: 'refusal',
        what: random.pick(['LOADING', 'READONLY', 'OOM', 'NOPERM']),
        forMs: briefly(),
      }),
    ],
    [2, () => ({ at, do: 'deny channels', forMs: briefly() })],
    [8, () => ({ at, do: 'deny command', command: deniedOf(random), forMs: briefly() })],
    [3, () => ({ at, do: 'clock step', byMs: -random.int(1, paceMs * 2) })],
    ...(nodes > 1 ? [moveOf(at, briefly())] : []),
    ...(losesData ? lossesOf(random, at, paceMs) : []),
  ]);
}

/** Makes a fault meet a lock that is handed on. */
function aimed(
  random: Random,
  fault: PlannedFault,
  { clients, paceMs }: Pick<FaultTerms, 'clients' | 'paceMs'>,
): PlannedFault {
  if (random.chance(0.5)) {
    return { ...fault, atGrant: true };
  }
  const client = random.int(0, clients - 1);
  if (random.chance(0.4)) {
    return { at: fault.at, atGrant: true, do: 'force', client, isByAnother: random.chance(0.5) };
  }
  const byMs = random.int(1, random.pick([20, paceMs >> 1, paceMs]));
  return { at: fault.at, do: 'late messages', client, byMs, forMs: random.int(1, paceMs * 3) };
}

type Choice = readonly [weight: number, make: () => PlannedFault];

const moveOf = (at: number, forMs: number): Choice => [20, () => ({ at, do: 'move slot', forMs })];

function lossesOf(random: Random, at: number, paceMs: number): Choice[] {
  return [
    [3, () => ({ at, do: 'flush' })],
    [
      4,
      () => ({
        at,
        do: 'failover',
        lostMs: random.int(0, random.pick([2, 20, paceMs])),
        downMs: random.int(0, paceMs),
        clockMs: random.pick([0, 0, 5, -5, -paceMs, paceMs]),
      }),
    ],
    [1, () => ({ at, do: 'clock step', byMs: random.int(1, paceMs * 2) })],
  ];
}
