// What can go wrong in a run: data, made from the seed.

import type { Random } from '../../src/testing/random.js';
import type { Refusal } from '../../src/testing/server/server.js';

export type PlannedFault = {
  readonly at: number;
  /** From then on it waits for the next message about a grant, and happens to the client that this is
   * for, if it is about a client. */
  readonly atGrant?: boolean;
  /** Of several independent servers that which it happens to, or to which the connections lead that it happens
   * to, by number; otherwise it is the server of the object, or all connections. */
  readonly server?: number;
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
  | {
      readonly do: 'restart';
      readonly downMs: number;
      readonly isTold: boolean;
      /** It keeps no data. */
      readonly forgets?: boolean;
    }
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

export function faultOf(
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

/**
 * What goes wrong in a quorum. Nothing is an excuse there for two owners: of what a guarantee would need one for (data
 * that is lost without a restart, a clock that jumps forward) nothing happens.
 */
export function quorumFaultOf(
  random: Random,
  at: number,
  { servers, ...terms }: Omit<FaultTerms, 'nodes' | 'losesData'> & { readonly servers: number },
): PlannedFault {
  const fault = faultOf(random, at, { ...terms, nodes: 1, losesData: false });
  const server = random.int(0, servers - 1);
  switch (fault.do) {
    case 'restart':
      return { ...fault, server, forgets: random.chance(0.6) };
    case 'cut':
    case 'half-open':
    case 'slow':
      // From one server, or from all.
      return random.chance(0.7) ? { ...fault, server } : fault;
    default:
      return { ...fault, server };
  }
}

/** A server is started anew and has forgotten everything. */
export function amnesia(random: Random, at: number, servers: number, paceMs: number): PlannedFault {
  const server = random.int(0, servers - 1);
  const downMs = random.pick([0, 1, 10, paceMs]);
  return { at, do: 'restart', downMs, isTold: random.chance(0.7), server, forgets: true };
}

/** Makes a fault meet a lock that is handed on. */
export function aimed(
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
