// Histories that are made up for the tests of the checkers.

import type { Claim, Fault, History, Kind, Operation, StoreRecord, Violation } from '../history.js';
import type { Bounds } from './bounds.js';
import { checkAll, violationsOf } from './index.js';

/** A call, and the claim that came of it. */
export interface Part {
  readonly operations: readonly Operation[];
  readonly claims: readonly Claim[];
  readonly faults: readonly Fault[];
}

let lastId = 0;

/** A call from one time to another. */
export function call(
  action: Operation['action'],
  [calledAt, returnedAt]: readonly [number, number],
  given: Partial<Operation> = {},
): Operation {
  lastId += 1;
  return {
    id: lastId,
    object: 'x',
    kind: 'lock',
    action,
    mode: 'exclusive',
    client: 1,
    owner: `o${lastId}`,
    amount: 1,
    waits: false,
    waitMs: undefined,
    calledAt,
    returnedAt,
    outcome: 'ok',
    abortedAt: undefined,
    token: undefined,
    answer: undefined,
    error: undefined,
    ...given,
  };
}

export function part(...operations: readonly Operation[]): Part {
  return { operations, claims: [], faults: [] };
}

type HoldGiven = Partial<Operation> &
  Partial<Pick<Claim, 'end' | 'toldLostAt' | 'isRenewed' | 'maxHoldMs' | 'holderId'>>;

/** Acquired in [calledAt, from], released in [until, releasedAt]; without the last it was not. */
export function hold(
  owner: string,
  [calledAt, from, until, releasedAt]: readonly [number, number, number, number?],
  { end, toldLostAt, isRenewed, maxHoldMs, holderId, ...given }: HoldGiven = {},
): Part {
  const acquire = call('acquire', [calledAt, from], { owner, waits: true, leaseMs: 300, ...given });
  const { object, kind, mode, client, token, amount, id } = acquire;
  const claim: Claim = {
    operation: id,
    object,
    kind,
    mode,
    client,
    owner,
    permits: amount,
    token,
    holderId,
    leaseMs: acquire.leaseMs ?? Number.POSITIVE_INFINITY,
    firstMs: (acquire.leaseMs ?? Number.POSITIVE_INFINITY) - (from - acquire.calledAt),
    isRenewed: isRenewed ?? true,
    maxHoldMs,
    from,
    until,
    end: end ?? (releasedAt === undefined ? 'lost' : 'released'),
    toldLostAt,
  };
  const release = call('release', [until, releasedAt ?? until], {
    object,
    kind,
    mode,
    client,
    owner,
    amount,
  });
  return {
    operations: releasedAt === undefined ? [acquire] : [acquire, release],
    claims: [claim],
    faults: [],
  };
}

export function fault(
  what: Fault['what'],
  [from, until]: readonly [number, number],
  given: Partial<Fault> = {},
): Part {
  const one: Fault = {
    what,
    from,
    until,
    client: undefined,
    object: undefined,
    detail: '',
    ...given,
  };
  return { operations: [], claims: [], faults: [one] };
}

const NOTHING: StoreRecord = { writes: [], value: 0 };

export function historyOf(parts: readonly Part[], given: Partial<History> = {}): History {
  return {
    seed: 0,
    operations: parts.flatMap(({ operations }) => operations),
    claims: parts.flatMap(({ claims }) => claims),
    faults: parts.flatMap(({ faults }) => faults),
    fencedStore: NOTHING,
    openStore: NOTHING,
    closings: [],
    told: [],
    healedAt: 0,
    quietAt: Number.POSITIVE_INFINITY,
    endedAt: 1_000,
    left: [],
    isCrowd: false,
    isFlow: false,
    surprises: [],
    ...given,
  };
}

/** Small bounds, so that the times of made-up histories are small numbers. */
export const SMALL: Bounds = {
  networkMs: 2,
  lateMs: 20,
  drift: 0,
  leaseMs: 300,
  recheckMs: 100,
  aheadMs: 10,
  passOverMs: 100,
  recoveryMs: 50,
  commandTimeoutMs: 200,
  settleMs: 5,
  cleanUpMs: 5,
  releasedMs: 10,
  openTurnMs: 5,
  toldMs: 4,
  maxSteps: 100_000,
};

/** Most made-up losses have no cause that is told. */
const CAUSE = 'nothing is lost without a cause';

/** The properties that are violated, in order, each once; of losses without a cause see `uncaused`. */
export function found(parts: readonly Part[], given: Partial<History> = {}): string[] {
  return foundIn(historyOf(parts, given));
}

export function foundIn(history: History, bounds: Partial<Bounds> = SMALL): string[] {
  const violations = violationsOf(checkAll(history, { kinds: kindsOf(history), bounds }));
  const properties = violations.map(({ property }: Violation) => property);
  return [...new Set(properties)].filter((property) => property !== CAUSE);
}

/** How many losses have no cause. */
export function uncaused(parts: readonly Part[]): number {
  const history = historyOf(parts);
  const findings = checkAll(history, { kinds: kindsOf(history), bounds: SMALL });
  return violationsOf(findings).filter(({ property }) => property === CAUSE).length;
}

function kindsOf(history: History): Kind[] {
  return [...new Set(history.operations.map(({ kind }) => kind))];
}
