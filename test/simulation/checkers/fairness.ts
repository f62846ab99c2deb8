// A fair lock serves its waiters in the order in which they reached the server.

import type { History, Operation, Violation } from '../history.js';
import type { Bounds } from './bounds.js';
import type { Checker } from './property.js';
import { operationsOf } from './property.js';
import { at, groupBy, isDisturbed, nameOf } from './spans.js';

/**
 * A history has no arrival times. But who was called later than the other one stood in line arrived
 * later, if nothing held the other one up.
 */
export const checkFairness: Checker = (scope) => {
  const { history, bounds, property } = scope;
  const operations = operationsOf(scope);
  const asks = operations.filter(({ action }) => action === 'acquire');
  const forces = operations.filter(
    ({ action, outcome }) => action === 'force' && outcome !== 'failed',
  );
  let checked = 0;
  const violations = [...groupBy(asks, ({ object }) => object)].flatMap(([object, own]) => {
    const firsts = firstAsks(own);
    const line = firsts.filter(({ waits }) => waits);
    const waiters = line.filter(({ abortedAt }) => abortedAt === undefined);
    const granted = firsts.filter(({ outcome }) => outcome === 'ok');
    checked += granted.length;
    return granted.flatMap((grant): Violation[] => {
      const passed = waiters.find(
        (waiter) =>
          isPassed(history, bounds, waiter, grant) &&
          !forces.some((force) => mayHaveEnded(force, waiter, grant)),
      );
      if (passed === undefined || hasEntryBack(history, bounds, line, grant)) {
        return [];
      }
      const text = `${say(grant)} got in before ${say(passed)}`;
      return [{ property, object, at: grant.returnedAt, text }];
    });
  });
  return { checked, violations };
};

/** When a waiter certainly stands in line: its first ask takes its place there. */
function inLineBy({ networkMs }: Bounds, { calledAt }: Operation): number {
  return calledAt + networkMs;
}

/** Re-entries pass everybody. */
export function firstAsks(asks: readonly Operation[]): Operation[] {
  return [...groupBy(asks, ({ owner }) => owner).values()].map((own) =>
    own.reduce((first, one) => (one.calledAt < first.calledAt ? one : first)),
  );
}

function isPassed(history: History, bounds: Bounds, waiter: Operation, grant: Operation): boolean {
  const isLater = inLineBy(bounds, waiter) < grant.calledAt;
  const isThere = leftAt(bounds, waiter) > grant.returnedAt;
  if (!isLater || !isThere) {
    return false;
  }
  // A client that is not heard of is passed over until it is heard of again.
  const span = { from: waiter.calledAt - bounds.passOverMs, until: grant.returnedAt };
  return !isDisturbed(history, waiter.client, span, bounds.recoveryMs);
}

/** A forced release may end a grant before its waiter is told of it. The next one gets in then. */
function mayHaveEnded(force: Operation, waiter: Operation, grant: Operation): boolean {
  return force.returnedAt >= waiter.calledAt && force.calledAt <= grant.returnedAt;
}

/** A failover that loses writes brings back the entry of a waiter that gave up, or was let in, just
 * before. It keeps its place as long as its client waits, and a later waiter of that client gets in
 * by it. */
function hasEntryBack(
  { faults }: History,
  { networkMs }: Bounds,
  line: readonly Operation[],
  { client, returnedAt }: Operation,
): boolean {
  const failovers = faults.filter(({ what, from }) => what === 'failover' && from <= returnedAt);
  return line.some(
    (wait) =>
      wait.client === client &&
      failovers.some(({ from, detail }) => {
        const lostMs = Number.parseFloat(detail) + networkMs;
        // Whoever was let in later has left the line since.
        const isLetIn = wait.outcome !== 'ok' || wait.returnedAt <= from + networkMs;
        return isLetIn && wait.calledAt <= from && wait.returnedAt >= from - lostMs;
      }),
  );
}

/** Until when it certainly stood in line. Who is granted the lock had it before anybody else. */
function leftAt(
  { networkMs }: Bounds,
  { outcome, calledAt, waitMs, returnedAt }: Operation,
): number {
  switch (outcome) {
    case 'ok':
      return returnedAt;
    case 'no':
      return Math.min(returnedAt, calledAt + (waitMs ?? 0)) - networkMs;
    case 'unknown':
      return returnedAt;
    default:
      return calledAt;
  }
}

const say = (operation: Operation): string =>
  `${nameOf(operation)}, called at ${at(operation.calledAt)}`;
