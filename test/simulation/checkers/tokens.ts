// Fencing tokens grow with every grant, whatever happens, and are equal on re-entry.

import type { Claim, History, Violation } from '../history.js';
import type { Checker } from './property.js';
import { endOf, groupBy, lossesOf, nameOf, placeSince, runOf, stepMs, type Span } from './spans.js';

interface Grant {
  readonly claim: Claim;
  readonly calledAt: number;
  readonly token: bigint;
}

/**
 * A token is the counter plus one, or the time of the server in microseconds where that is larger: it falls
 * where the counter is lost and the clock is behind. In a crowd that may be so by itself: scripts take no time
 * here, so that a server issues sixteen tokens more often than each sixteen microseconds.
 */
export function mayTokensFall(history: History, object: string): boolean {
  const isLost = history.faults.some(
    ({ what, object: concerned }) =>
      (what === 'flush' || what === 'failover') &&
      (concerned === undefined || concerned === object),
  );
  const isBehind = history.faults.some(
    (fault) => fault.what === 'clock step' && !(stepMs(fault) > 0),
  );
  return isLost && (isBehind || history.isCrowd);
}

export const checkTokens: Checker = ({ history, property, kinds }) => {
  const claims = history.claims.filter(({ kind, token }) => kinds.has(kind) && token !== undefined);
  const operations = new Map(history.operations.map((operation) => [operation.id, operation]));
  const askedAt = (claim: Claim): number => operations.get(claim.operation)?.calledAt ?? claim.from;
  const placedAt = (claim: Claim): number => {
    const grant = operations.get(claim.operation);
    return grant === undefined ? claim.from : placeSince(history.operations, grant);
  };
  const violations = [...groupBy(claims, ({ object }) => object)].flatMap(([object, own]) => {
    const grants = own.map((claim) => {
      const runAskedAt = Math.min(...runOf(own, claim).map(placedAt));
      const isOutlasted = mayOutlast(history, object, { from: runAskedAt, until: claim.from });
      return { claim, calledAt: isOutlasted ? runAskedAt : askedAt(claim), token: claim.token! };
    });
    const tell = (text: string, at: number): Violation => ({ property, object, at, text });
    const firsts = firstGrants(grants);
    return [
      ...unequal(grants, tell),
      ...(mayTokensFall(history, object)
        ? []
        : [
            ...falling(firsts, tell),
            ...twice(firsts, tell),
            ...groupByRun(firsts).flatMap((run) => fallingIn(run, tell)),
          ]),
    ];
  });
  return { checked: claims.length, violations };
};

/** The server may have ended the lease of a run meanwhile: until its client knows, it passes on what it has,
 * and with that the tokens that came with the first hold. A fenced store refuses those. */
function mayOutlast(history: History, object: string, { from, until }: Span): boolean {
  const isForced = history.operations.some(
    (one) =>
      one.object === object &&
      one.action === 'force' &&
      one.outcome !== 'failed' &&
      one.calledAt <= until &&
      (one.outcome === 'unknown' || one.returnedAt >= from),
  );
  return (
    isForced || lossesOf(history, object).some((loss) => loss.from <= until && endOf(loss) >= from)
  );
}

const groupByRun = (grants: readonly Grant[]): Grant[][] =>
  [...groupBy(grants, ({ claim }) => claim.holderId).entries()].flatMap(([holderId, run]) =>
    holderId === undefined ? [] : [run],
  );

/** Whatever happens, the tokens of one run grow. */
function fallingIn(run: readonly Grant[], tell: Tell): Violation[] {
  const inOrder = run.toSorted((a, b) => a.claim.from - b.claim.from);
  return inOrder.flatMap((grant, i) => {
    const before = inOrder[i - 1];
    return before !== undefined &&
      before.claim.from < grant.claim.from &&
      grant.token <= before.token
      ? [tell(`in one run ${show(before)}, and then ${show(grant)}`, grant.claim.from)]
      : [];
  });
}

type Tell = (text: string, at: number) => Violation;

/** The outermost hold of each owner. */
function firstGrants(grants: readonly Grant[]): Grant[] {
  return [...groupBy(grants, ({ claim }) => claim.owner).values()].map((own) =>
    own.reduce((first, one) => (one.claim.from < first.claim.from ? one : first)),
  );
}

function unequal(grants: readonly Grant[], tell: Tell): Violation[] {
  return [...groupBy(grants, ({ claim }) => claim.owner).values()].flatMap((own) =>
    new Set(own.map(({ token }) => token)).size > 1
      ? [tell(`holds of one owner have several: ${own.map(show).join(', ')}`, lastOf(own))]
      : [],
  );
}

/** Whoever had a hold before another one asked for one has a smaller token. */
function falling(grants: readonly Grant[], tell: Tell): Violation[] {
  const byGrant = grants.toSorted((a, b) => a.claim.from - b.claim.from);
  const violations: Violation[] = [];
  let next = 0;
  let largest: Grant | undefined;
  for (const grant of grants.toSorted((a, b) => a.calledAt - b.calledAt)) {
    for (; next < byGrant.length && byGrant[next]!.claim.from < grant.calledAt; next += 1) {
      const earlier = byGrant[next]!;
      largest = largest === undefined || earlier.token > largest.token ? earlier : largest;
    }
    if (largest !== undefined && grant.token < largest.token) {
      violations.push(tell(`${show(largest)}, and later ${show(grant)}`, grant.claim.from));
    }
  }
  return violations;
}

function twice(grants: readonly Grant[], tell: Tell): Violation[] {
  return [...groupBy(grants, ({ token }) => token).values()].flatMap((same) =>
    same.length > 1 ? [tell(`one token twice: ${same.map(show).join(', ')}`, lastOf(same))] : [],
  );
}

const show = ({ claim, token }: Grant): string => `${nameOf(claim)} has ${token}`;
const lastOf = (grants: readonly Grant[]): number =>
  Math.max(...grants.map(({ claim }) => claim.from));
