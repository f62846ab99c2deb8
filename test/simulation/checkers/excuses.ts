// What makes it no fault of ours that a hold is told to be held for longer than the server keeps it.

import { isOfQuorum, type Claim, type Fault, type History, type Operation } from '../history.js';
import type { Bounds } from './bounds.js';
import { groupBy, lossesOf, placeSince, type Span } from './spans.js';

/** Between two holds of a run messages are read. */
const PASSED_MS = 1;

/**
 * A loss of data, and a release by somebody else, leave a hold true until its next renewal. That is
 * missed at the latest when the lease has run out. In the client that called, it ends with the
 * answer. A loss of data also forgets which calls have run: a late copy of one runs again.
 */
export function excusesOf(
  history: History,
  bounds: Bounds,
  object: string,
): (claim: Claim) => Span[] {
  const losses = lossesOf(history, object);
  const forced = history.operations.filter(
    (call) =>
      call.object === object &&
      (call.action === 'force' || call.action === 'delete') &&
      // It frees each server of a quorum, and is told no where a majority had no one holder by then.
      (mayHaveRun(losses, call) || (isOfQuorum(call.kind) && call.outcome === 'no')),
  );
  const again = losses
    .filter(
      ({ what, until }) => what !== 'clock step' && forced.some((call) => call.calledAt <= until),
    )
    .map(({ from, until }) => ({ from, until: until + bounds.lateMs }));
  const since = askedSince(history);
  // All holds of one owner share the longest lease.
  const owners = groupBy(history.claims, ({ owner }) => owner);
  return (claim) => {
    const askedAt = since.get(claim) ?? claim.from;
    const leases = (owners.get(claim.owner) ?? [claim]).map(({ leaseMs }) => leaseMs);
    const longMs = Math.max(...leases) * (1 + bounds.drift) + bounds.networkMs;
    return [
      ...[...losses, ...again]
        .filter(({ until }) => askedAt <= until)
        .map(({ from, until }) => ({ from, until: until + longMs })),
      ...forced
        .map((call) => ({ ...call, ranBy: ranBy(history, call, bounds) }))
        .filter((call) => askedAt <= call.ranBy)
        .map((call) => ({
          from: call.calledAt,
          until: call.ranBy + (call.client === claim.client ? 0 : longMs),
        })),
    ];
  };
}

/** When a call has run at the latest. One without an answer may be on its way for as long as the server
 * stands still, or the network keeps it. */
function ranBy(
  { faults }: History,
  { outcome, client, calledAt, returnedAt }: Operation,
  { lateMs }: Bounds,
): number {
  if (outcome !== 'unknown') {
    return returnedAt;
  }
  const ends = faults.flatMap((fault) => {
    const concerns = fault.client === undefined || fault.client === client;
    const isMet = fault.from <= returnedAt && fault.until >= calledAt;
    return concerns && isMet && Number.isFinite(fault.until) ? [fault.until] : [];
  });
  return Math.max(returnedAt, ...ends) + lateMs;
}

/** Since when the server was asked for each hold. A hold that follows right behind another one of its client
 * may be of the same run: the server was asked for the first of them. */
function askedSince({ claims, operations }: History): Map<Claim, number> {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const since = new Map<Claim, number>();
  for (const own of groupBy(claims, ({ client, object }) => `${client} ${object}`).values()) {
    let before: Claim | undefined;
    for (const claim of own.toSorted((a, b) => a.from - b.from)) {
      const grant = byId.get(claim.operation);
      const ownSince = grant === undefined ? claim.from : placeSince(operations, grant);
      const isNext = before !== undefined && claim.from - before.until <= PASSED_MS;
      since.set(claim, isNext ? Math.min(ownSince, since.get(before!) ?? ownSince) : ownSince);
      before = claim;
    }
  }
  return since;
}

/** A call that spans a loss may have run before it, whatever its second copy answers. */
export function mayHaveRun(
  losses: readonly Fault[],
  { outcome, calledAt: from, returnedAt: until }: Operation,
): boolean {
  return (
    outcome === 'ok' ||
    outcome === 'unknown' ||
    (outcome === 'no' && losses.some((loss) => loss.from <= until && loss.until >= from))
  );
}
