// Whoever loses a hold is told, in time; whoever released it is not. Nobody believes in a hold for
// longer than it can be proven.

import {
  isMulti,
  isOfQuorum,
  type Claim,
  type Fault,
  type History,
  type Operation,
  type Violation,
} from '../history.js';
import type { Bounds } from './bounds.js';
import type { Checker } from './property.js';
import { at, groupBy, killedAt, lossesOf, nameOf, stalledMs } from './spans.js';

/** Permits of a counting semaphore cannot be lost: they have no owner. */
const leased = ({ kind }: Claim): boolean => kind !== 'semaphore';

export const checkToldLosses: Checker = ({ history, bounds, property, kinds }) => {
  const claims = history.claims.filter((claim) => kinds.has(claim.kind) && leased(claim));
  const violations = claims.flatMap((claim) => {
    const wrong = wrongTelling(history, bounds, claim);
    const text = `${nameOf(claim)} ${wrong}`;
    return wrong === undefined ? [] : [{ property, object: claim.object, at: claim.until, text }];
  });
  return { checked: claims.length, violations };
};

function wrongTelling(history: History, bounds: Bounds, claim: Claim): string | undefined {
  const { until, end, toldLostAt, client } = claim;
  if (toldLostAt === undefined) {
    // The time for telling may not have come before the end.
    const told = until + bounds.settleMs;
    const isOver = told + stalledMs(history, client, { from: until, until: history.endedAt });
    const hadTime = Math.min(history.endedAt, killedAt(history, client)) > isOver;
    return end === 'lost' && hadTime ? `was lost at ${at(until)}, and never told so` : undefined;
  }
  if (toldLostAt < until) {
    return `was told a loss at ${at(toldLostAt)}, and held until ${at(until)}`;
  }
  const lateMs =
    toldLostAt - until - stalledMs(history, client, { from: until, until: toldLostAt });
  switch (end) {
    case 'released':
      // A release that finds the lease over, or cannot be done in time, tells the loss.
      return lateMs > provenMs(claim, bounds) &&
        isCleanlyReleased(history, claim) &&
        !isOfFailedRun(history, claim, toldLostAt)
        ? `was released at ${at(until)}, and told a loss at ${at(toldLostAt)}`
        : undefined;
    case 'open':
      return `was told a loss at ${at(toldLostAt)}, and kept what it had`;
    default:
      return lateMs > bounds.settleMs
        ? `was lost at ${at(until)}, and told so at ${at(toldLostAt)}`
        : undefined;
  }
}

/** For so long a hold that was passed on may be told as lost: until an answer proves it. Of a quorum, where no majority
 * may answer for a while, that is a lease at most. */
function provenMs({ kind, leaseMs }: Claim, { releasedMs, settleMs }: Bounds): number {
  return isOfQuorum(kind) ? releasedMs + leaseMs + settleMs : releasedMs;
}

/** It was passed on, and the release of a later hold of its run has failed when it was told. */
function isOfFailedRun(
  { operations }: History,
  { kind, object, client, until }: Claim,
  toldLostAt: number,
): boolean {
  const failed = operations.filter(
    (other) => other.action === 'release' && other.object === object && other.outcome !== 'ok',
  );
  return (
    isOfQuorum(kind) &&
    failed.some(
      (other) =>
        other.client === client && other.calledAt >= until && other.returnedAt === toldLostAt,
    )
  );
}

/** The release did not say itself that the hold was over before, or that it may not be done. */
function isCleanlyReleased({ operations }: History, { object, owner, until }: Claim): boolean {
  return !operations.some(
    ({ action, outcome, calledAt, ...release }) =>
      action === 'release' &&
      outcome !== 'ok' &&
      calledAt === until &&
      release.object === object &&
      release.owner === owner,
  );
}

export const checkProvenHolds: Checker = ({ history, bounds, property, kinds }) => {
  const operations = new Map(history.operations.map((operation) => [operation.id, operation]));
  const claims = history.claims.filter((claim) => kinds.has(claim.kind) && leased(claim));
  const groups = groupBy(claims, ({ object, mode, owner }) => `${object} ${mode} ${owner}`);
  const violations = [...groups.values()].flatMap((own) => {
    const provenUntil = own.some(({ isRenewed }) => isRenewed)
      ? lastProof(history, own, bounds)
      : Math.max(fixedEnd(own, operations, bounds), reentryEnd(history, own, bounds));
    return own.flatMap((claim): Violation[] => {
      const { object, until } = claim;
      if (until === claim.from && claim.end === 'lost' && !isEndedByOthers(history, claim)) {
        const text = `${nameOf(claim)} was granted at ${at(until)} what was over by then`;
        return [{ property, object, at: until, text }];
      }
      const seenBy = provenUntil + bounds.settleMs;
      const text = `${nameOf(claim)} held until ${at(until)}, and its lease was over at ${at(provenUntil)}`;
      return until > seenBy ? [{ property, object, at: until, text }] : [];
    });
  });
  return { checked: claims.length, violations };
};

/** What is under way when an object is freed by force is lost with it, and what a server forgets may
 * be taken by another acquisition whose answer comes along. */
function isEndedByOthers(history: History, { object, kind, operation, until }: Claim): boolean {
  const calledAt = history.operations.find(({ id }) => id === operation)?.calledAt ?? until;
  const isFreed = history.operations.some(
    (other) =>
      (other.action === 'force' || other.action === 'delete') &&
      (other.object === object || isMulti(kind)) &&
      other.calledAt <= until &&
      other.returnedAt >= calledAt,
  );
  const losses = lossesOf(history, object);
  return isFreed || losses.some((loss) => loss.from <= until && loss.until >= calledAt);
}

/** Of holds that nobody renews: all of one owner share the longest lease. */
function fixedEnd(
  own: readonly Claim[],
  operations: ReadonlyMap<number, Operation>,
  { drift }: Bounds,
): number {
  return Math.max(
    ...own.map(
      ({ operation, from, leaseMs }) =>
        (operations.get(operation)?.returnedAt ?? from) + leaseMs * (1 + drift),
    ),
  );
}

/** A re-entry of a lock of a quorum asks the servers to confirm the lease of its holder. Where too few have answered in
 * time, the lease stands where those that answer later have confirmed it. */
function reentryEnd(history: History, own: readonly Claim[], { drift }: Bounds): number {
  const [first] = own;
  const asked = history.operations.filter(
    ({ kind, object, owner, action, outcome }) =>
      isOfQuorum(kind) &&
      object === first?.object &&
      owner === first.owner &&
      action === 'acquire' &&
      outcome === 'failed',
  );
  return Math.max(
    ...asked.map(({ returnedAt, leaseMs = 0 }) => returnedAt + leaseMs * (1 + drift)),
    0,
  );
}

/**
 * Of holds that are renewed: while their process stands still, or the server does not answer,
 * nothing is proven, and what has run out then does not come back.
 */
function lastProof(history: History, own: readonly Claim[], { drift }: Bounds): number {
  const first = Math.min(...own.map(({ from }) => from));
  const last = Math.max(...own.map(({ until }) => until));
  const leaseMs = Math.max(...own.map((claim) => claim.leaseMs)) * (1 + drift);
  const ends = history.faults.flatMap((fault) => {
    const { what, client, from } = fault;
    const until = what === 'server stall' ? servedAgainAt(history, fault) : fault.until;
    // One of several servers proves nothing by itself.
    const isServer = what === 'server stall' && !isOfQuorum(own[0]!.kind);
    const isSilent = isServer || (what === 'stall' && client === own[0]!.client);
    const isDuring = first <= from && last > from && until - from >= leaseMs;
    return isSilent && isDuring ? [from + leaseMs] : [];
  });
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}

/** A server that stands still answers nobody, unless another one takes its place meanwhile. */
function servedAgainAt(history: History, stall: Fault): number {
  const replaced = history.faults.filter(
    ({ what, from, until }) =>
      (what === 'restart' || what === 'failover') && from <= stall.until && until >= stall.from,
  );
  return Math.min(stall.until, ...replaced.map(({ until }) => until));
}
