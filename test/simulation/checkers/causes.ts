// Nothing goes wrong without a cause. Nobody loses a renewed hold, unless faults kept its renewals from
// the server, or something ended the hold there. No call stays without an answer, unless a fault kept
// it from the server.

import {
  isMulti,
  isOfQuorum,
  type Claim,
  type Fault,
  type FaultKind,
  type History,
  type Operation,
} from '../history.js';
import type { Bounds } from './bounds.js';
import { operationsOf, type Checker } from './property.js';
import { at, endOf, lossesOf, nameOf, runOf, without, type Span } from './spans.js';

/** A lease is renewed when so much of it has passed. */
const RENEWED_AFTER = 1 / 3;

/** A renewal that did not get through is made again in less than this, as soon as it can be. */
const RETRIED_MS = 2_500;

/** These keep no call and no answer from getting through. */
const HARMLESS: ReadonlySet<FaultKind> = new Set([
  'script flush',
  'no messages',
  'clock step',
  'flush',
]);

export const checkCauses: Checker = ({ history, bounds, property, kinds }) => {
  const fixed = new Set(
    history.claims.flatMap(({ isRenewed, maxHoldMs, owner }) =>
      isRenewed && maxHoldMs === undefined ? [] : [owner],
    ),
  );
  // Holds of one owner are one on the server: where one is not renewed, or has a bound, all may end with it.
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

/** Whether a hold was ended by others, or could not be renewed in the last third of its lease: until
 * then it was, and whoever looks then would have found that it is gone. */
function hasCause(history: History, bounds: Bounds, claim: Claim): boolean {
  const { client, until, object, kind } = claim;
  const asked = askedAt(history, claim);
  const leaseMs = Math.max(
    ...history.claims.filter(({ owner }) => owner === claim.owner).map((own) => own.leaseMs),
  );
  const { drift, settleMs, networkMs, recoveryMs } = bounds;
  const lastMs = leaseMs * RENEWED_AFTER * (1 + drift) + 2 * networkMs + settleMs;
  const last: Span = { from: Math.max(asked, until - lastMs), until };
  const meets = (one: Span): boolean => one.from <= last.until && one.until >= last.from;
  const isEnded =
    history.operations.some(
      (one) => (one.object === object || isMulti(kind)) && meets(endingOf(one)),
    ) || lossesOf(history, object).some((loss) => meets(afterwards(loss, bounds, recoveryMs)));
  const kept = disturbances(history, client)
    .map((fault) => afterwards(fault, bounds, recoveryMs))
    .filter(meets);
  return isEnded || (kept.length > 0 && without(last, kept).every(isShort));
}

/** The server was asked for the first hold of a run; a forced release since may be known only later. */
function askedAt({ claims, operations }: History, claim: Claim): number {
  const asks = new Set(runOf(claims, claim).map(({ operation }) => operation));
  const times = operations.filter(({ id }) => asks.has(id)).map(({ calledAt }) => calledAt);
  return Math.min(claim.from, ...times);
}

const isShort = ({ from, until }: Span): boolean => until - from <= RETRIED_MS;

/** When a call may have ended the holds of others. */
function endingOf({ action, outcome, calledAt, returnedAt }: Operation): Span {
  const ends = (action === 'force' || action === 'delete') && outcome !== 'failed';
  if (!ends) {
    return { from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
  }
  // A call of unknown outcome may run later.
  return {
    from: calledAt,
    until: outcome === 'unknown' ? Number.POSITIVE_INFINITY : returnedAt,
  };
}

/** What may have kept calls of a client, or their answers, from getting through. */
function disturbances({ faults }: History, client: number): Fault[] {
  return faults.filter(
    ({ what, client: whose }) => !HARMLESS.has(what) && (whose === undefined || whose === client),
  );
}

function afterwards(fault: Fault, { lateMs }: Bounds, recoveryMs: number): Span {
  return { from: fault.from, until: endOf(fault) + lateMs + recoveryMs };
}

/** Within which a client is connected to all servers of a quorum. */
const CONNECTING_MS = 100;

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

/** A fault kept a call, or what came back, from getting through; or its client was closed meanwhile. */
function isKept(history: History, bounds: Bounds, operation: Operation): boolean {
  const { action, calledAt, client, kind, returnedAt } = operation;
  const isClosed = history.closings.some(
    (one) => one.client === client && one.at >= calledAt && one.at <= returnedAt,
  );
  const isDisturbed = disturbances(history, client).some((fault) => {
    const { from, until } = afterwards(fault, bounds, RETRIED_MS);
    return from <= returnedAt && until >= calledAt;
  });
  // What is held by a majority may be extended before the last server is connected. A forced release may have ended
  // it on one of the others by then.
  const isConnecting = isOfQuorum(kind) && action === 'extend' && calledAt < CONNECTING_MS;
  return isClosed || isDisturbed || isConnecting;
}
