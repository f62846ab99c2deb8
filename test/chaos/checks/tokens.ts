// Fencing tokens grow with every grant, and are equal on re-entry.

import type { Claim, History } from '../history.js';
import { groupBy } from '../intervals.js';
import { label } from './exclusion.js';

const PROPERTY = 'tokens grow';

export function checkTokens(history: History): void {
  const fenced = history.claims.filter(({ kind }) => kind === 'fenced');
  for (const [name, claims] of groupBy(fenced, (claim) => claim.name)) {
    for (const one of groupBy(claims, ({ root }) => root).values()) {
      if (new Set(one.map(({ token }) => token)).size > 1) {
        const text = `the holds of one holder have several: ${one.map(show).join(', ')}`;
        history.violated(PROPERTY, name, text, one.at(-1)!.grantedAt);
      }
    }
    const outermost = claims.filter(({ depth }) => depth === 1);
    const byGrant = outermost.toSorted((a, b) => a.grantedAt - b.grantedAt);
    let at = 0;
    let largest: Claim | undefined;
    for (const claim of outermost.toSorted((a, b) => a.askedAt - b.askedAt)) {
      // Whoever had it before this one was asked for has a smaller one.
      for (; at < byGrant.length && byGrant[at]!.grantedAt < claim.askedAt; at += 1) {
        const earlier = byGrant[at]!;
        largest = largest === undefined || tokenOf(earlier) > tokenOf(largest) ? earlier : largest;
      }
      if (largest !== undefined && tokenOf(claim) <= tokenOf(largest)) {
        const text = `${show(largest)}, and later ${show(claim)}`;
        history.violated(PROPERTY, name, text, claim.grantedAt);
      }
    }
    for (const same of groupBy(outermost, tokenOf).values()) {
      if (same.length > 1) {
        const text = `one token twice: ${same.map(show).join(', ')}`;
        history.violated(PROPERTY, name, text, same.at(-1)!.grantedAt);
      }
    }
  }
}

const tokenOf = ({ token }: Claim): bigint => token ?? -1n;
const show = (claim: Claim): string => `${label(claim)} has ${claim.token}`;
