// A client that keeps asking for a lock gets it, however long each of its waits lasts.

import type { Claim, Operation, Violation } from '../history.js';
import type { Bounds } from './bounds.js';
import { happeningsOf, type Happenings } from './happenings.js';
import type { Checker } from './property.js';
import { soundEndOf } from './server-holds.js';
import { at, groupBy, without, type Span } from './spans.js';
import { isWaiter } from './waking.js';

/** Each other client gets in so often at most. */
const TURNS_MAX = 2;

export const checkStarving: Checker = ({ history, bounds, property, kinds }) => {
  let checked = 0;
  const violations = happeningsOf(history, bounds, kinds).flatMap((happenings): Violation[] => {
    return dryTimes(happenings).flatMap(({ client, from, until }): Violation[] => {
      checked += 1;
      const passed = turnsOfOthers(happenings, client, { from, until });
      const most = Math.max(0, ...passed.values());
      if (most <= TURNS_MAX) {
        return [];
      }
      const text = `client ${client} waited all the time from ${at(from)} to ${at(until)}, and another one that asked later got in ${most} times`;
      return [{ property, object: happenings.object, at: until, text }];
    });
  });
  return { checked, violations };
};

interface DryTime extends Span {
  readonly client: number;
}

/** The times in which a client waited without a gap, and got nothing. */
function dryTimes(happenings: Happenings): DryTime[] {
  const { bounds, operations, history } = happenings;
  if (
    !history.isFlow ||
    history.faults.length > 0 ||
    operations.some(({ mode }) => mode === 'shared')
  ) {
    return [];
  }
  return [...groupBy(operations.filter(isWaiter), ({ client }) => client)].flatMap(
    ([client, waits]) => {
      const own = happenings.claims.filter((claim) => claim.client === client);
      return waitingOf(bounds, waits)
        .flatMap((span) => dryIn(happenings, own, span))
        .map((span) => ({ client, ...span }));
    },
  );
}

/** The times in which one wait began before the one before had ended. */
function waitingOf({ networkMs }: Bounds, waits: readonly Operation[]): Span[] {
  const spans: { from: number; until: number }[] = [];
  for (const { calledAt, returnedAt, abortedAt } of waits.toSorted(
    (a, b) => a.calledAt - b.calledAt,
  )) {
    const until = Math.min(returnedAt, abortedAt ?? returnedAt);
    const last = spans.at(-1);
    if (last !== undefined && calledAt + networkMs < last.until) {
      last.until = Math.max(last.until, until);
    } else {
      spans.push({ from: calledAt, until });
    }
  }
  return spans;
}

/** What is left of a time without the turns of the client itself. */
function dryIn(happenings: Happenings, own: readonly Claim[], span: Span): Span[] {
  const turns = own.map((claim) => ({ from: claim.from, until: soundEndOf(happenings, claim) }));
  return without(span, turns);
}

/** How often each other client was let in that asked after the beginning of a time. */
function turnsOfOthers(
  { claims, operations, bounds, history }: Happenings,
  client: number,
  span: Span,
): Map<number, number> {
  const later = new Set(
    operations
      .filter(({ calledAt }) => calledAt > span.from + 2 * bounds.networkMs)
      .map(({ id }) => id),
  );
  const turns = claims.filter(
    ({ operation, client: other, from }) =>
      other !== client && later.has(operation) && from < Math.min(span.until, history.endedAt),
  );
  return new Map(
    [...groupBy(turns, (claim) => claim.client)].map(([other, own]) => [
      other,
      new Set(own.map(({ holderId, owner }) => holderId ?? owner)).size,
    ]),
  );
}
