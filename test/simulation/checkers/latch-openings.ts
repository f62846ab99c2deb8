// When a latch was open for certain.

import type { Operation } from '../history.js';
import type { Happenings } from './happenings.js';
import type { Span } from './spans.js';

/** From the return of the call that opened it to the next call that may have set it. */
export function opensOf({ operations, losses }: Happenings): Span[] {
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
  return [BEGINNING, ...deletions, ...zeros]
    .map(({ calledAt, returnedAt }) => ({ from: returnedAt, until: nextSet(sets, calledAt) }))
    .filter(({ from, until }) => until > from);
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
