// No two are told to hold at an instant what only one may hold.

import type { Claim, History } from '../history.js';
import { groupBy, meeting, spansOf, type Span } from '../intervals.js';

interface Told {
  readonly claim: Claim;
  readonly span: Span;
}

const shares = ({ claim }: Told): boolean => claim.kind === 'read';

/** Re-entries of one hold exclude each other, as long as that hold is not released. A writer's
 * branches that read and write are not told apart: they are one holder. */
function areSiblings(one: Claim, other: Claim, parents: Map<number, Claim>, at: number): boolean {
  if (one.parent === undefined || one.parent !== other.parent || one.kind !== other.kind) {
    return false;
  }
  const releasedAt = parents.get(one.parent)?.releasedAt;
  return releasedAt === undefined || releasedAt > at;
}

export function checkExclusion(history: History): void {
  const byId = new Map(history.claims.map((claim) => [claim.id, claim]));
  const locks = history.claims.filter(({ kind }) => kind !== 'permit');
  for (const [name, claims] of groupBy(locks, (claim) => claim.name)) {
    const told = claims
      .flatMap((claim) => spansOf(claim, history).map((span) => ({ claim, span })))
      .toSorted((a, b) => a.span.from - b.span.from);
    told.forEach((one, i) => {
      for (const other of told.slice(i + 1)) {
        if (other.span.from > one.span.until) {
          break;
        }
        const both = meeting(one.span, other.span);
        if (both === undefined || (shares(one) && shares(other))) {
          continue;
        }
        const isOneHolder = one.claim.root === other.claim.root;
        if (!isOneHolder || areSiblings(one.claim, other.claim, byId, both.until)) {
          const text = `${label(one.claim)} and ${label(other.claim)} were both told held for ${(both.until - both.from).toFixed(1)} ms`;
          const property = isOneHolder ? 'branches exclude each other' : 'one holder at an instant';
          history.violated(property, name, text, both.from);
        }
      }
    });
  }
}

export function label({ id, actor, kind, holderId, depth }: Claim): string {
  return `#${id} (${actor}, ${kind}, ...${holderId.slice(-8)}, depth ${depth})`;
}
