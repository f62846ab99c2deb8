// A lock that becomes free while others wait is soon taken, also when a short lease was let run out.

import type { Operation, Violation } from '../history.js';
import { happeningsOf, type Happenings } from './happenings.js';
import type { Checker } from './property.js';
import { at, nameOf, without, type Span } from './spans.js';
import { soundEndOf } from './server-holds.js';
import { isWaiter, keptOut } from './waking.js';

/** Behind a fault waiters may have to look for themselves, and of a client that races nobody knows which lease it
 * wants: "waiters get in" has the bounds of that. */
export const checkIdle: Checker = ({ history, bounds, property, kinds }) => {
  if (!history.isFlow || history.faults.length > 0) {
    return { checked: 0, violations: [] };
  }
  // What is given up in a sound network is back as soon as the server is told.
  const tight = { ...bounds, cleanUpMs: 2 * bounds.networkMs };
  let checked = 0;
  const violations = happeningsOf(history, tight, kinds).flatMap((happenings) => {
    const waiters = happenings.operations.filter(isWaiter);
    checked += waiters.length;
    return waiters.flatMap((waiter): Violation[] => {
      const idle = idleDuring(happenings, waiters, waiter);
      if (idle === undefined) {
        return [];
      }
      const text = `nobody had it from ${at(idle.from)} to ${at(idle.until)}, while ${nameOf(waiter)} waited from ${at(waiter.calledAt)}`;
      return [{ property, object: happenings.object, at: idle.from, text }];
    });
  });
  return { checked, violations };
};

/** A time in which somebody waited, and nobody had it, longer than that may be. */
function idleDuring(
  happenings: Happenings,
  waiters: readonly Operation[],
  waiter: Operation,
): Span | undefined {
  const { bounds, history } = happenings;
  const { calledAt, returnedAt, abortedAt = Number.POSITIVE_INFINITY } = waiter;
  const span = { from: calledAt, until: Math.min(returnedAt, abortedAt, history.endedAt) };
  const boundMs = bounds.aheadMs + 4 * bounds.networkMs;
  const isLong = ({ from, until }: Span): boolean => until - from > boundMs;
  if (!isLong(span)) {
    return undefined;
  }
  const others = waiters.filter(
    (other) => other !== waiter && other.calledAt < span.until && other.returnedAt > calledAt,
  );
  const kept = keptOut(happenings, others, waiter, soundEndOf);
  return kept && without(span, kept).find(isLong);
}
