// For how long the server may have kept what was granted.

import type { Claim, Operation } from '../history.js';
import type { Ghost, Happenings } from './happenings.js';
import { endOf, killedAt, stepMs, type Span } from './spans.js';

export type EndOf = (happenings: Happenings, claim: Claim) => number;

/** When the server has certainly ended a grant. */
export function serverEndOf(happenings: Happenings, claim: Claim): number {
  const { bounds, history } = happenings;
  const own = happenings.claims.filter(
    ({ owner, mode }) => owner === claim.owner && mode === claim.mode,
  );
  if (claim.end === 'released') {
    const end = releaseEnd(happenings, own);
    if (end !== undefined) {
      return end;
    }
  }
  const leaseMs = Math.max(...own.map((one) => one.leaseMs)) * (1 + bounds.drift);
  const until = Math.max(...own.map((one) => one.until));
  // A clock that steps back makes leases longer.
  const stretchMs = history.faults.reduce(
    (sum, fault) => sum + (fault.what === 'clock step' ? Math.max(0, -stepMs(fault)) : 0),
    0,
  );
  return until + leaseMs + stretchMs + bounds.lateMs;
}

/** The same of a grant that no fault has met: a fixed lease runs from the grant on, or from its confirmation. */
export function soundEndOf(happenings: Happenings, claim: Claim): number {
  const { drift, networkMs } = happenings.bounds;
  const own = happenings.claims.filter(
    ({ owner, mode }) => owner === claim.owner && mode === claim.mode,
  );
  const ends = own.map(({ from, leaseMs, isRenewed }) =>
    isRenewed ? Number.POSITIVE_INFINITY : from + leaseMs * (1 + drift) + networkMs,
  );
  return Math.min(serverEndOf(happenings, claim), Math.max(...ends));
}

/** When the last release of an owner was done, where all of them are known to be. */
function releaseEnd({ operations }: Happenings, own: readonly Claim[]): number | undefined {
  const { owner, mode } = own[0]!;
  const releases = operations.filter(
    (other) => other.action === 'release' && other.owner === owner && other.mode === mode,
  );
  const done = releases.filter(({ outcome }) => outcome === 'ok');
  const isAll = done.length === releases.length && done.length >= own.length;
  return isAll ? Math.max(...done.map(({ returnedAt }) => returnedAt)) : undefined;
}

/** Grants that nobody was told of; and after a loss of data late copies of commands, and what was
 * released in the writes that are lost. */
export function unseenHolds(happenings: Happenings, waiter: Operation): Span[] {
  const { bounds } = happenings;
  const ghosts = happenings.ghosts
    .filter(({ operation }) => operation !== waiter)
    .flatMap((ghost) => ghostSpans(happenings, ghost));
  const losses = happenings.losses.map((fault) => ({
    from: fault.from,
    until: fault.until + bounds.lateMs + happenings.longestLeaseMs,
  }));
  return [...ghosts, ...losses];
}

export function ghostSpans(happenings: Happenings, ghost: Ghost): Span[] {
  const { history, bounds } = happenings;
  const { operation, from, until } = ghost;
  const isPending =
    operation.returnedAt > history.endedAt && killedAt(history, operation.client) > history.endedAt;
  if (!isPending) {
    return [{ from, until }];
  }
  // One that waits for ever is not the reason why another one does, unless its answer was lost.
  return history.faults
    .filter((fault) => fault.client === undefined || fault.client === operation.client)
    .map((fault) => ({
      from: fault.from,
      until: endOf(fault) + bounds.lateMs + bounds.recoveryMs + happenings.leaseMsOf(operation),
    }));
}
