// What the callers of a seed do: data, the same for the same seed.

import type { LockKind } from './history.js';
import type { Random } from '../../src/testing/random.js';

/** How somebody asks for something. */
interface Terms {
  readonly how: 'using' | 'acquire' | 'try';
  readonly waitMs?: number;
  readonly leaseMs?: number;
  readonly abortMs?: number;
}

export interface LockAct extends Terms {
  readonly do: 'lock';
  readonly kind: LockKind;
  readonly stayMs: number;
  readonly inside: readonly Act[];
  /** Those inside run side by side. */
  readonly parallel: boolean;
  /** Whether it re-enters by `within` instead of its scope. */
  readonly within: boolean;
  readonly extendMs?: number;
  /** Another client frees it before what is inside begins. */
  readonly usurped?: boolean;
  /** Work that is started inside, and goes on after the release. */
  readonly outlives?: LockAct;
  /** The task throws an error of its own. */
  readonly throws: boolean;
  /** What a listener to the loss of this hold tries to get. */
  readonly onLoss?: LockKind;
}

export interface PermitsAct extends Terms {
  readonly do: 'permits';
  readonly count: number;
  readonly stayMs: number;
  readonly extendMs?: number;
  readonly updateMs?: number;
  /** Given back by its id. */
  readonly byId: boolean;
}

export interface SemaphoreAct extends Terms {
  readonly do: 'semaphore';
  /** `regrown` is deleted, expires and is set again; failovers lose the latest calls of `lagging`. */
  readonly which: 'semaphore' | 'regrown' | 'lagging';
  readonly count: number;
  readonly stayMs: number;
}

interface LatchWaitAct {
  readonly do: 'latch wait';
  /** For the one that ends by itself and is set again at once. */
  readonly isRelay: boolean;
  readonly waitMs?: number;
  readonly abortMs?: number;
}

export type Act =
  | LockAct
  | PermitsAct
  | SemaphoreAct
  | { readonly do: 'regrow'; readonly remove: boolean; readonly ttlMs?: number }
  | { readonly do: 'ledger'; readonly call: 'add' | 'release' | 'drain'; readonly delta: number }
  | { readonly do: 'resize'; readonly delta: number }
  | { readonly do: 'others permit'; readonly which: number; readonly updateMs?: number }
  | { readonly do: 'force'; readonly kind: LockKind; readonly amid: boolean }
  | { readonly do: 'count down' }
  | { readonly do: 'latch set'; readonly count: number; readonly ttlMs?: number }
  | { readonly do: 'latch down' }
  | { readonly do: 'latch delete' }
  | LatchWaitAct
  | { readonly do: 'crowd'; readonly kind: LockKind; readonly abortMs: number }
  | { readonly do: 'look'; readonly kind: LockKind }
  | { readonly do: 'rest'; readonly ms: number };

/** Who does it: a caller whose client stays, or one whose client is closed now and then. */
export interface Role {
  readonly isFleeting: boolean;
}

/** Longer than any seed runs: what is left behind of it is seen. */
const LONG_LEASE_MS = 20_000;

const KINDS = ['lock', 'fair', 'fenced', 'lock', 'fenced', 'read', 'write'] as const;

function terms(random: Random, role: Role, mustEnd: boolean): Terms {
  const how = random.pick(['using', 'using', 'acquire', 'try']);
  const waits = mustEnd || (how === 'try' ? random.chance(0.5) : random.chance(0.75));
  const leases = role.isFleeting ? [120, 250, 400] : [80, 300, LONG_LEASE_MS, LONG_LEASE_MS];
  return {
    how,
    ...(waits ? { waitMs: random.pick([0, 20, 60, 150, 400]) } : {}),
    ...(random.chance(0.35) ? { leaseMs: random.pick(leases) } : {}),
    ...(random.chance(0.12) ? { abortMs: random.int(0, 60) } : {}),
  };
}

function lockAct(random: Random, role: Role, within: readonly LockKind[] = []): LockAct {
  const outer = within.at(-1);
  // Mostly the same lock again, or the other side of it.
  const again = outer === 'write' ? random.pick(['write', 'read', 'read']) : outer;
  const kind = again !== undefined && random.chance(0.7) ? again : random.pick(KINDS);
  const inside: Act[] = [];
  while (within.length < 3 && inside.length < 2 && random.chance(0.3)) {
    inside.push(
      random.chance(0.8) ? lockAct(random, role, [...within, kind]) : permitsAct(random, role),
    );
  }
  const usurped = within.length === 0 && random.chance(0.04);
  if (usurped) {
    // Long enough for the loss to be told while it re-enters, or reads beside.
    inside.unshift({
      ...lockAct(random, role, [kind]),
      kind: kind === 'write' ? 'read' : kind,
      waitMs: 400,
      stayMs: 350,
      ...(role.isFleeting ? {} : { leaseMs: LONG_LEASE_MS }),
    });
  }
  return {
    do: 'lock',
    kind,
    ...(usurped ? { usurped } : {}),
    // Who waits while it holds something else must give up some time.
    ...terms(random, role, within.length > 0),
    stayMs: random.chance(0.05) ? random.int(100, 450) : random.int(0, 12),
    inside,
    parallel: random.chance(0.4),
    within: random.chance(0.25),
    throws: random.chance(0.06),
    ...(random.chance(0.12) ? { extendMs: random.pick([200, 600, 900]) } : {}),
    ...(within.length === 0 && random.chance(0.1)
      ? { outlives: lockAct(random, role, [kind, kind, kind]) }
      : {}),
    ...(random.chance(0.3) ? { onLoss: random.pick(KINDS) } : {}),
  };
}

function permitsAct(random: Random, role: Role): PermitsAct {
  return {
    do: 'permits',
    ...terms(random, role, true),
    count: random.pick([1, 1, 1, 2, 3]),
    stayMs: random.int(0, 25),
    byId: random.chance(0.3),
    ...(random.chance(0.15) ? { extendMs: random.pick([200, 900]) } : {}),
    ...(random.chance(0.15) ? { updateMs: random.pick([40, 300, 900]) } : {}),
  };
}

function semaphoreAct(random: Random, role: Role): SemaphoreAct {
  const { how, waitMs, abortMs } = terms(random, role, false);
  // Permits of a client that closes stay taken: it uses only those that nobody has to get back.
  const which = role.isFleeting
    ? 'regrown'
    : random.pick(['semaphore', 'semaphore', 'regrown', 'lagging', 'lagging'] as const);
  return {
    do: 'semaphore',
    how,
    ...(which !== 'semaphore' || waitMs !== undefined ? { waitMs: waitMs ?? 300 } : {}),
    ...(abortMs === undefined ? {} : { abortMs }),
    which,
    count: random.pick([1, 1, 1, 2, 3]),
    stayMs: random.int(0, 30),
  };
}

const maybeTtl = (random: Random): { ttlMs?: number } =>
  random.chance(0.3) ? { ttlMs: random.int(80, 500) } : {};

export function anyAct(random: Random, role: Role): Act {
  return random.weighted<Act>([
    [40, () => lockAct(random, role)],
    [12, () => permitsAct(random, role)],
    [10, () => semaphoreAct(random, role)],
    [3, () => ({ do: 'regrow', remove: random.chance(0.4), ...maybeTtl(random) })],
    [
      4,
      () => {
        const call = random.pick(['add', 'add', 'release', 'drain']);
        return { do: 'ledger', call, delta: call === 'add' ? random.int(-3, 4) : random.int(1, 3) };
      },
    ],
    [2, () => ({ do: 'resize', delta: random.pick([-1, 1, 1, 2, -2]) })],
    [
      2,
      () => ({
        do: 'others permit',
        which: random.int(0, 9),
        ...(random.chance(0.5) ? { updateMs: random.pick([30, 500]) } : {}),
      }),
    ],
    [3, () => ({ do: 'force', kind: random.pick(KINDS), amid: random.chance(0.5) })],
    [6, () => ({ do: 'count down' })],
    [4, () => ({ do: 'latch set', count: random.int(1, 6), ...maybeTtl(random) })],
    [8, () => ({ do: 'latch down' })],
    [2, () => ({ do: 'latch delete' })],
    [
      6,
      () => ({
        do: 'latch wait',
        isRelay: random.chance(0.4),
        ...(random.chance(0.7) ? { waitMs: random.int(0, 500) } : {}),
        ...(random.chance(0.3) ? { abortMs: random.int(0, 200) } : {}),
      }),
    ],
    [1, () => ({ do: 'crowd', kind: random.pick(KINDS), abortMs: random.int(5, 80) })],
    [3, () => ({ do: 'look', kind: random.pick(KINDS) })],
    [4, () => ({ do: 'rest', ms: random.int(1, 30) })],
  ]);
}
