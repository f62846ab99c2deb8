// When a latch was open for certain, or another one was set.

import type { Operation } from '../history.js';
import type { Happenings } from './happenings.js';
import { isDisturbed, type Span } from './spans.js';

/** The server counts whole milliseconds. */
const ROUNDED_MS = 2;

/** From the return of the call that opened it to the next call that may have set it. */
export function opensOf(happenings: Happenings): Span[] {
  const { operations, losses } = happenings;
  // After a loss of data late copies may set it again.
  if (losses.length > 0) {
    return [];
  }
  const sets = operations.filter(
    ({ action, outcome }) => action === 'set' && (outcome === 'ok' || outcome === 'unknown'),
  );
  const deletions = operations.filter(
    ({ action, outcome }) => action === 'delete' && (outcome === 'ok' || outcome === 'no'),
  );
  const zeros = sets
    .filter(({ outcome }) => outcome === 'ok')
    .flatMap((set) => zeroOf(operations, sets, set) ?? []);
  const ends = [BEGINNING, ...deletions, ...zeros].map(({ calledAt, returnedAt }) => ({
    from: returnedAt,
    until: nextSet(sets, calledAt),
  }));
  return [...ends, ...lapsesOf(happenings, sets)].filter(({ from, until }) => until > from);
}

/** When the life of a latch was over, from the first instant to the last one at which it may have been. */
export function lifeOf(
  { bounds }: Happenings,
  { calledAt, returnedAt }: Operation,
  ttlMs: number,
): Span {
  return {
    from: calledAt + ttlMs * (1 - bounds.drift) - ROUNDED_MS,
    until: returnedAt + ttlMs * (1 + bounds.drift) + ROUNDED_MS,
  };
}

/** True when the clock of the server was moved: then lives last for other times. */
export function hasSteps({ history }: Happenings): boolean {
  return history.faults.some(({ what }) => what === 'clock step');
}

/** From the end of a latch that ended by itself, if nothing ended it before. */
function lapsesOf(happenings: Happenings, sets: readonly Operation[]): Span[] {
  if (hasSteps(happenings)) {
    return [];
  }
  return sets.flatMap((set) =>
    set.ttlMs === undefined || set.outcome !== 'ok'
      ? []
      : {
          from: lifeOf(happenings, set, set.ttlMs).until,
          until: nextSet(sets, set.calledAt, set),
        },
  );
}

/** From when on a waiter has nothing left to wait for: the next latch was set after its first look. */
export function successorsOf(happenings: Happenings, waiter: Operation): Span[] {
  const { history, bounds, operations, losses } = happenings;
  const { client, calledAt } = waiter;
  const looked = calledAt + 2 * bounds.networkMs + bounds.settleMs;
  const isLate = isDisturbed(history, client, { from: calledAt, until: looked }, bounds.recoveryMs);
  if (losses.length > 0 || isLate) {
    return [];
  }
  const sets = operations.filter(
    (set) => set.action === 'set' && set.outcome === 'ok' && set.calledAt > looked,
  );
  return sets.map(({ returnedAt }) => ({ from: returnedAt, until: Number.POSITIVE_INFINITY }));
}

/** A time in which a waiter slept on in a sound network, though the message of the next latch woke it. */
export function sleptOn(
  happenings: Happenings,
  waiter: Operation,
  until: number,
): Span | undefined {
  const { history, bounds } = happenings;
  const { client, calledAt } = waiter;
  // For a subscription, the message and a look.
  const toldMs = 4 * bounds.networkMs + bounds.settleMs;
  const isSound = (span: Span): boolean => !isDisturbed(history, client, span, bounds.recoveryMs);
  return successorsOf(happenings, waiter)
    .map(({ from }) => ({ from, until }))
    .find(({ from }) => {
      return until - from > toldMs && isSound({ from: calledAt, until: from + toldMs });
    });
}

const BEGINNING = {
  calledAt: Number.NEGATIVE_INFINITY,
  returnedAt: Number.NEGATIVE_INFINITY,
};

/** When it may have been set again at the earliest. */
function nextSet(sets: readonly Operation[], since: number, but?: Operation): number {
  return sets
    .filter((set) => set !== but && set.returnedAt >= since)
    .reduce((first, { calledAt }) => Math.min(first, calledAt), Number.POSITIVE_INFINITY);
}

/** The call that made a count zero for certain, if nothing but it can have been counted down. */
function zeroOf(
  operations: readonly Operation[],
  sets: readonly Operation[],
  set: Operation,
): Operation | undefined {
  const end = nextSet(sets, set.calledAt, set);
  const downs = operations.filter(
    ({ action, outcome, calledAt, returnedAt }) =>
      action === 'count down' && outcome === 'ok' && calledAt > set.returnedAt && returnedAt < end,
  );
  return downs.toSorted((a, b) => a.returnedAt - b.returnedAt)[set.amount - 1];
}
