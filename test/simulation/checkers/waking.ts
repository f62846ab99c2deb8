// Nobody waits for what is free: when it becomes free, and somebody waits, one gets in, in time.

import type { Operation, Violation } from '../history.js';
import { happeningsOf, hasLine, type Happenings } from './happenings.js';
import { opensOf, sleptOn, successorsOf } from './latch-openings.js';
import type { Checker } from './property.js';
import { at, endOf, isDisturbed, killedAt, nameOf, without, type Span } from './spans.js';
import { serverEndOf, unseenHolds, type EndOf } from './server-holds.js';
import { shortages } from './shortages.js';

export const checkWaking: Checker = ({ history, bounds, property, kinds }) => {
  let checked = 0;
  const violations = happeningsOf(history, bounds, kinds).flatMap((happenings) => {
    const waiters = happenings.operations.filter(isWaiter);
    checked += waiters.length;
    return waiters.flatMap((waiter): Violation[] => {
      const late = sleptThrough(happenings, waiters, waiter);
      if (late === undefined) {
        return [];
      }
      const text = `${nameOf(waiter)} waited from ${at(waiter.calledAt)}, and nothing kept it from ${at(late.from)} to ${at(late.until)}`;
      return [{ property, object: happenings.object, at: late.from, text }];
    });
  });
  return { checked, violations };
};

export function isWaiter({ action, waits }: Operation): boolean {
  return action === 'wait' || (action === 'acquire' && waits);
}

/** A time in which somebody waited for what was free, longer than it may. */
function sleptThrough(
  happenings: Happenings,
  waiters: readonly Operation[],
  waiter: Operation,
): Span | undefined {
  const { bounds, history } = happenings;
  const { client, calledAt, returnedAt, abortedAt } = waiter;
  const until = Math.min(
    returnedAt,
    history.endedAt,
    abortedAt ?? Number.POSITIVE_INFINITY,
    killedAt(history, client),
  );
  const unaware = happenings.kind === 'latch' ? sleptOn(happenings, waiter, until) : undefined;
  if (unaware !== undefined) {
    return unaware;
  }
  let boundMs = bounds.recheckMs + 2 * bounds.networkMs;
  // Most waits are shorter.
  if (until - calledAt <= boundMs) {
    return undefined;
  }
  const span = { from: calledAt, until };
  const others = waiters.filter(
    (other) => other !== waiter && other.calledAt < until && other.returnedAt > calledAt,
  );
  if (hasLine(happenings.kind) && others.some((other) => isSilent(happenings, other, span))) {
    boundMs += bounds.passOverMs;
  }
  const kept = keptOut(happenings, others, waiter);
  if (kept === undefined) {
    return undefined;
  }
  const disturbed = history.faults
    .filter((fault) => fault.client === undefined || fault.client === client)
    .map((fault) => ({ from: fault.from, until: endOf(fault) + bounds.recoveryMs }));
  return without(span, [...disturbed, ...kept]).find((rest) => rest.until - rest.from > boundMs);
}

/** The others in the line may wait for one that is not heard of. */
function isSilent({ history, bounds }: Happenings, { client }: Operation, span: Span): boolean {
  return isDisturbed(history, client, span, bounds.passOverMs + bounds.recoveryMs);
}

/** What kept a waiter out; undefined where that cannot be told. */
export function keptOut(
  happenings: Happenings,
  others: readonly Operation[],
  waiter: Operation,
  endOfHold: EndOf = serverEndOf,
): Span[] | undefined {
  if (happenings.kind === 'latch') {
    const always = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
    return without(always, [...opensOf(happenings), ...successorsOf(happenings, waiter)]);
  }
  if (happenings.kind === 'semaphore' || happenings.kind === 'expirable') {
    const need = Math.max(waiter.amount, ...others.map(({ amount }) => amount));
    return shortages(happenings, waiter, need, endOfHold);
  }
  if (
    happenings.claims.some(
      ({ owner, operation }) => owner === waiter.owner && operation !== waiter.id,
    )
  ) {
    // A re-entry waits for the branches beside it.
    return undefined;
  }
  const isShared = waiter.mode === 'shared';
  const holds = happenings.claims
    .filter(({ owner, mode }) => owner !== waiter.owner && !(isShared && mode === 'shared'))
    .map((claim) => ({ from: claim.from, until: endOfHold(happenings, claim) }));
  return [
    ...holds,
    ...unseenHolds(happenings, waiter),
    ...(isShared ? writersInLine(happenings, others) : []),
  ];
}

/** Readers wait for the writers that came before them. */
function writersInLine({ history, bounds }: Happenings, others: readonly Operation[]): Span[] {
  return others
    .filter(({ mode }) => mode === 'exclusive')
    .map(({ client, calledAt, returnedAt }) => ({
      from: calledAt,
      until: Math.min(returnedAt, killedAt(history, client) + bounds.passOverMs) + bounds.cleanUpMs,
    }));
}
