// Histories that never happened, to show that a checker finds what is wrong in them.

import { History, type Call, type Claim } from './history.js';

export type Given = Partial<Claim> & { readonly held?: readonly [from: number, until: number] };

/** A history in which these were told held. */
export function historyOf(claims: readonly Given[], leaseMs = 100): History {
  const history = new History();
  for (const { held: [first, last] = [0, 0], ...given } of claims) {
    const id = history.claims.length;
    const claim: Claim = {
      id,
      name: 'x',
      kind: 'lock',
      client: 'c0',
      actor: 'c0/0',
      root: id,
      parent: undefined,
      holderId: `holder-${id}`,
      depth: 1,
      token: undefined,
      askedAt: first - 5,
      grantedAt: first,
      first,
      last,
      releasedAt: last,
      ...given,
    };
    history.claims.push(claim);
    history.lengthen(claim.root, leaseMs);
  }
  return history;
}

export function call(history: History, given: Partial<Call>): void {
  history.calls.push({
    what: 'call',
    name: 'x',
    client: 'c0',
    actor: 'c0/0',
    from: 0,
    limitMs: undefined,
    abortedAt: undefined,
    until: 10,
    outcome: 'done',
    delta: 0,
    lifeMs: Infinity,
    ...given,
  });
}

/** The properties that were violated. */
export const found = ({ violations }: History): string[] =>
  violations.map(({ property }) => property);
