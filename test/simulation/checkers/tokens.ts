// Fencing tokens grow with every grant, whatever happens, and are equal on re-entry.

import type { Claim, History, Violation } from '../history.js';
import type { Checker } from './property.js';
import { groupBy, nameOf, stepMs } from './spans.js';

interface Grant {
  readonly claim: Claim;
  readonly calledAt: number;
  readonly token: bigint;
}

/**
 * A token is the counter plus one, or the time of the server where that is larger: it falls where
 * the counter is lost and the clock is behind.
 */
export function mayTokensFall(history: History, object: string): boolean {
  const isLost = history.faults.some(
    ({ what, object: concerned }) =>
      (what === 'flush' || what === 'failover') &&
      (concerned === undefined || concerned === object),
  );
  return (
    isLost && history.faults.some((fault) => fault.what === 'clock step' && !(stepMs(fault) > 0))
  );
}

export const checkTokens: Checker = ({ history, property, kinds }) => {
  const claims = history.claims.filter(({ kind, token }) => kinds.has(kind) && token !== undefined);
  const calledAt = new Map(
    history.operations.map((operation) => [operation.id, operation.calledAt]),
  );
  const violations = [...groupBy(claims, ({ object }) => object)].flatMap(([object, own]) => {
    const grants = own.map((claim) => ({
      claim,
      calledAt: calledAt.get(claim.operation) ?? claim.from,
      token: claim.token!,
    }));
    const tell = (text: string, at: number): Violation => ({ property, object, at, text });
    const firsts = firstGrants(grants);
    return [
      ...unequal(grants, tell),
      ...(mayTokensFall(history, object) ? [] : [...falling(firsts, tell), ...twice(firsts, tell)]),
    ];
  });
  return { checked: claims.length, violations };
};

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
