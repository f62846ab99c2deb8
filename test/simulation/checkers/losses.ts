// Whoever loses a hold is told, in time; whoever released it is not. Nobody believes in a hold for
// longer than it can be proven.

import type { Claim, Fault, History, Operation, Violation } from '../history.js';
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
  switch (end) {
    case 'released':
      // A release that finds the lease over, or cannot be done in time, tells the loss.
      return toldLostAt > until + bounds.releasedMs && isCleanlyReleased(history, claim)
        ? `was released at ${at(until)}, and told a loss at ${at(toldLostAt)}`
        : undefined;
    case 'open':
      return `was told a loss at ${at(toldLostAt)}, and kept what it had`;
    default: {
      const lateMs =
        toldLostAt - until - stalledMs(history, client, { from: until, until: toldLostAt });
      return lateMs > bounds.settleMs
        ? `was lost at ${at(until)}, and told so at ${at(toldLostAt)}`
        : undefined;
    }
  }
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
      : fixedEnd(own, operations, bounds);
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
function isEndedByOthers(history: History, { object, operation, until }: Claim): boolean {
  const calledAt = history.operations.find(({ id }) => id === operation)?.calledAt ?? until;
  const isFreed = history.operations.some(
    (other) =>
      (other.action === 'force' || other.action === 'delete') &&
      other.object === object &&
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
    const isSilent = what === 'server stall' || (what === 'stall' && client === own[0]!.client);
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
