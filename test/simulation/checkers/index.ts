// All properties of a history, by name: the names are those of the failure table.

import type { History, Kind, Violation } from '../history.js';
import { checkBounded } from './bounded.js';
import { BOUNDS, type Bounds } from './bounds.js';
import { checkAnswers, checkCauses } from './causes.js';
import { checkExclusion, checkExclusionInClient, checkPermits } from './claims.js';
import { checkEnds } from './ends.js';
import { checkFairness } from './fairness.js';
import { checkForced } from './forced.js';
import { checkFencedStore } from './fenced-store.js';
import { checkIdle } from './idle.js';
import { checkLeftovers, checkSurprises } from './leftovers.js';
import { checkProvenHolds, checkToldLosses } from './losses.js';
import { checkOrder } from './order.js';
import type { Property } from './property.js';
import { checkReaderOrder } from './reader-order.js';
import { checkRuns } from './runs.js';
import { checkSettling } from './settling.js';
import { checkStarving } from './starving.js';
import { checkThrough } from './through.js';
import { checkTokens } from './tokens.js';
import { checkWaking } from './waking.js';

const FENCED = ['fenced', 'quorum-fenced'] as const;
const QUORUM = ['quorum', 'quorum-fenced'] as const;
const SINGLES = ['lock', 'fair', 'fenced', ...QUORUM] as const;
/** A call that is about several names is done when all are, and waits for any of them. */
const MULTI = ['multi', 'quorum-multi'] as const;
const MUTEXES = [...SINGLES, ...MULTI] as const;
const LOCKS = [...MUTEXES, 'rwlock'] as const;
const PERMITS = ['semaphore', 'expirable'] as const;
const ALONE = [...SINGLES, 'rwlock', ...PERMITS, 'latch'] as const;
const LEASED = [...LOCKS, 'expirable'] as const;
const GRANTS = [...LOCKS, ...PERMITS] as const;
export const KINDS: readonly Kind[] = [...LOCKS, ...PERMITS, 'latch'];

export const PROPERTIES: readonly Property[] = [
  { name: 'one holder at an instant', kinds: MUTEXES, check: checkExclusion },
  { name: 'one writer, or readers', kinds: ['rwlock'], check: checkExclusion },
  { name: 'one holder in a client, whatever happens', kinds: LOCKS, check: checkExclusionInClient },
  { name: 'never more permits than there are', kinds: PERMITS, check: checkPermits },
  { name: 'calls have an order', kinds: ALONE, check: checkOrder },
  { name: 'fencing tokens grow', kinds: FENCED, check: checkTokens },
  { name: 'a fenced store takes no stale write', kinds: FENCED, check: checkFencedStore },
  { name: 'first come, first served', kinds: ['fair'], check: checkFairness },
  {
    name: 'readers that asked before a writer get in before it',
    kinds: ['rwlock'],
    check: checkReaderOrder,
  },
  // A multi-lock has a name that was passed on to it before it is granted: it waits for its other names.
  { name: 'a run ends while others wait', kinds: [...SINGLES, 'rwlock'], check: checkRuns },
  { name: 'waiters get in', kinds: ALONE, check: checkWaking },
  {
    name: 'a free lock with waiters is soon taken',
    kinds: [...LOCKS, 'expirable'],
    check: checkIdle,
  },
  {
    name: 'nobody who keeps asking starves',
    kinds: ['lock', 'fenced', 'rwlock'],
    check: checkStarving,
  },
  { name: 'everybody gets through when all is well', kinds: LOCKS, check: checkThrough },
  { name: 'calls settle in time', kinds: KINDS, check: checkSettling },
  { name: 'no call fails without a cause', kinds: KINDS, check: checkAnswers },
  { name: 'a loss is told, a release is not', kinds: LEASED, check: checkToldLosses },
  { name: 'each grant has one end', kinds: GRANTS, check: checkEnds },
  { name: 'whoever is forced out knows it at once', kinds: LOCKS, check: checkForced },
  { name: 'a hold ends before its lease', kinds: LEASED, check: checkProvenHolds },
  { name: 'nobody holds beyond its bound', kinds: LEASED, check: checkBounded },
  { name: 'nothing is lost without a cause', kinds: LEASED, check: checkCauses },
  { name: 'nothing is left behind', kinds: KINDS, check: checkLeftovers },
  { name: 'no error where none belongs', kinds: KINDS, check: checkSurprises },
];

/** What was found of one property. */
export interface Finding {
  readonly name: string;
  /** Objects, calls or holds that were looked at. */
  readonly checked: number;
  readonly violations: readonly Violation[];
}

export interface Choice {
  /** All kinds when left out; the other objects are not looked at. */
  readonly kinds?: readonly Kind[];
  readonly bounds?: Partial<Bounds>;
}

/** The properties that objects of some kinds have. */
export function propertiesOf(kinds: readonly Kind[]): Property[] {
  return PROPERTIES.filter((property) => property.kinds.some((kind) => kinds.includes(kind)));
}

export function checkAll(history: History, choice: Choice = {}): Finding[] {
  const kinds = choice.kinds ?? KINDS;
  const bounds = { ...BOUNDS, ...choice.bounds };
  return propertiesOf(kinds).map((property) => {
    const { name } = property;
    const chosen = new Set(property.kinds.filter((kind) => kinds.includes(kind)));
    return { name, ...property.check({ history, bounds, property: name, kinds: chosen }) };
  });
}

export function violationsOf(findings: readonly Finding[]): Violation[] {
  return findings.flatMap(({ violations }) => violations);
}
