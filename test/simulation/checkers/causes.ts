// Nothing goes wrong without a cause. Nobody loses a renewed hold, unless a fault kept its renewals from
// the server, or something ended the hold there. No call fails, unless a fault kept it from the server.

import type { Claim, FaultKind, History, Operation } from '../history.js';
import type { Bounds } from './bounds.js';
import { operationsOf, type Checker } from './property.js';
import { at, endOf, nameOf, type Span } from './spans.js';

/** A lease is renewed when so much of it has passed. */
const RENEWED_AFTER = 1 / 3;

/** It takes a while to see that a hold is gone: its next renewal finds that. */
export const checkCauses: Checker = ({ history, bounds, property, kinds }) => {
  const fixed = new Set(
    history.claims.flatMap(({ isRenewed, owner }) => (isRenewed ? [] : [owner])),
  );
  // Holds of one owner are one on the server: where one is not renewed, all may end with it.
  const claims = history.claims.filter(({ kind, owner }) => kinds.has(kind) && !fixed.has(owner));
  const violations = claims
    .filter((claim) => claim.end === 'lost' && !hasCause(history, bounds, claim))
    .map((claim) => ({
      property,
      object: claim.object,
      at: claim.until,
      text: `${nameOf(claim)} lost at ${at(claim.until)} what it had from ${at(claim.from)}, without a cause`,
    }));
  return { checked: claims.length, violations };
};

function hasCause(history: History, bounds: Bounds, claim: Claim): boolean {
  const { client, until, object, operation } = claim;
  const asked = history.operations.find(({ id }) => id === operation)?.calledAt ?? claim.from;
  const leaseMs = Math.max(
    ...history.claims.filter(({ owner }) => owner === claim.owner).map((own) => own.leaseMs),
  );
  const { drift, settleMs, networkMs, lateMs, recoveryMs } = bounds;
  const roundTripMs = 2 * networkMs + settleMs;
  // The last renewal that may have been done in time: all was well until it, or nothing since.
  const window: Span = {
    from: Math.max(asked, until - leaseMs * RENEWED_AFTER * (1 + drift) - roundTripMs),
    until,
  };
  const meets = (one: Span): boolean => one.from <= window.until && one.until >= window.from;
  const isFaulty = history.faults.some(
    (fault) =>
      (fault.client === undefined || fault.client === client) &&
      meets({ from: fault.from, until: endOf(fault) + lateMs + recoveryMs }),
  );
  return isFaulty || history.operations.some((one) => one.object === object && ends(one));

  function ends({ action, outcome, calledAt, returnedAt }: Operation): boolean {
    // A call of unknown outcome may run later.
    const lastAt = outcome === 'ok' ? returnedAt : Number.POSITIVE_INFINITY;
    return (action === 'force' || action === 'delete') && meets({ from: calledAt, until: lastAt });
  }
}

/** They may leave connections half-open. */
const MUTE: ReadonlySet<FaultKind> = new Set(['half-open', 'restart']);

/** Nothing came back in time. */
const UNANSWERED = new Set(['CommandTimeoutError', 'OutcomeUnknownError']);

export const checkAnswers: Checker = (scope) => {
  const { history, bounds, property } = scope;
  const operations = operationsOf(scope);
  const violations = operations
    .filter(({ error = '' }) => UNANSWERED.has(error))
    // A shorter wait may end before the first answer comes.
    .filter(({ waitMs = bounds.commandTimeoutMs }) => waitMs >= bounds.commandTimeoutMs)
    .filter((operation) => !isKept(history, bounds, operation))
    .map((operation) => ({
      property,
      object: operation.object,
      at: operation.calledAt,
      text: `${nameOf(operation)}: ${operation.action}, called at ${at(operation.calledAt)}, failed with ${operation.error} at ${at(operation.returnedAt)}, without a cause`,
    }));
  return { checked: operations.length, violations };
};

/** A fault kept a call, or what came back, from getting through. */
function isKept(history: History, bounds: Bounds, operation: Operation): boolean {
  const { calledAt, returnedAt, client } = operation;
  return history.faults
    .filter((fault) => fault.client === undefined || fault.client === client)
    .some((fault) => {
      // A connection that nobody uses is not known to be half-open until somebody does.
      const used = MUTE.has(fault.what)
        ? firstUse(history, client, fault.from)
        : Number.NEGATIVE_INFINITY;
      const noticedBy = Math.max(endOf(fault), used + bounds.commandTimeoutMs);
      return fault.from <= returnedAt && noticedBy + bounds.lateMs + bounds.recoveryMs >= calledAt;
    });
}

function firstUse({ operations }: History, client: number, after: number): number {
  const later = operations.filter((one) => one.client === client && one.returnedAt >= after);
  return Math.min(...later.map(({ calledAt }) => Math.max(calledAt, after)));
}
